import PatchbayGrid
import PatchbayInspect
import PatchbayServer
import PatchbayWire

/// Prints one readable line on standard error for each exchange that has ended.
struct LinePrinter: Sendable {
  let filter: Filter
  /// Colours only on a terminal, and not under `NO_COLOR`.
  let usesColor: Bool

  func take(_ event: ServerEvent) {
    switch event {
    case .exchanges(let exchanges):
      var text = ""
      for exchange in exchanges where exchange.phase == .ended && filter.matches(exchange) {
        text += line(exchange) + "\n"
      }
      if !text.isEmpty { StandardError.write(text) }
    case .notice(let process, let sentence):
      let name = process.map { "\($0.name) \($0.pid): " } ?? ""
      StandardError.say(SafeText.line(name + sentence))
    default: break
    }
  }

  private func line(_ exchange: Exchange) -> String {
    let text = SafeText.line(
      OneLine.text(ExchangeSummary(exchange), utcOffset: LocalTime.offset(at: exchange.startedAt)))
    guard usesColor else { return text }
    let color =
      switch exchange.outcome {
      case .failed, .abandoned: "31"
      case .cancelled: "90"
      default:
        switch exchange.response?.status ?? 0 {
        case 500...: "31"
        case 400..<500: "33"
        default: exchange.by == .network ? "0" : "36"
        }
      }
    return "\u{1B}[\(color)m\(text)\u{1B}[0m"
  }
}
