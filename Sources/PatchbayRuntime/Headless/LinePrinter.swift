import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayServer
import PatchbayWire
import Synchronization

/// Prints one readable line on standard error for each exchange that has ended. As soon as a second process has linked
/// the process stands at the end of the line.
final class LinePrinter: Sendable {
  private let filter: Filter
  private let usesColor: Bool
  /// Secrets in URLs are printed as they are.
  private let withSecrets: Bool
  private let processes = Mutex(Set<Int32>())

  /// - Parameter usesColor: only on a terminal, and not under `NO_COLOR`.
  init(filter: Filter, usesColor: Bool, withSecrets: Bool) {
    self.filter = filter
    self.usesColor = usesColor
    self.withSecrets = withSecrets
  }

  func received(_ event: ServerEvent) {
    let text = text(event)
    if !text.isEmpty { StandardError.write(text) }
  }

  /// What is to be printed then: whole lines, or nothing.
  func text(_ event: ServerEvent) -> String {
    switch event {
    case .linked(let info):
      // Two are enough to know that there are several.
      processes.withLock { if $0.count < 2 { $0.insert(info.process.pid) } }
    case .exchanges(let exchanges):
      let namesProcess = processes.withLock { $0.count > 1 }
      var text = ""
      var budget = YieldBudget(milliseconds: 10)
      for exchange in exchanges where exchange.phase == .ended && filter.matches(exchange) {
        text += line(exchange, namesProcess: namesProcess) + "\n"
        budget.step()
      }
      return text
    case .unlinked(let info):
      let sentences = [Self.sentence(of: info.shed), Self.sentence(of: info.cut, because: "took too much memory")]
      return sentences.compactMap(\.self)
        .map { StandardError.line("\(info.process.name) \(info.process.pid): \($0)") }.joined()
    case .notice(let process, let sentence):
      let name = process.map { "\($0.name) \($0.pid): " } ?? ""
      return StandardError.line(name + sentence)
    default: break
    }
    return ""
  }

  /// What a process's reports lack; nil where nothing was shed.
  static func sentence(of shed: Shed, because reason: String = "came faster than they were read") -> String? {
    let bodies = shed.bodies == 1 ? "1 body" : "\(Quantity.count(shed.bodies)) bodies"
    let requests = shed.exchanges == 1 ? "1 request" : "\(Quantity.count(shed.exchanges)) requests"
    let missing: String
    switch (shed.bodies, shed.exchanges) {
    case (0, 0): return nil
    case (_, 0): missing = bodies
    case (0, _): missing = requests
    default: missing = "\(requests) and \(bodies)"
    }
    return "Left out of the record: \(missing), which \(reason)."
  }

  private func line(_ exchange: Exchange, namesProcess: Bool) -> String {
    let process = namesProcess ? "  \(exchange.process.name) \(exchange.process.pid)" : ""
    let early = exchange.wasBeforeStubs ? " (its stubs were not there yet)" : ""
    let offset = LocalTime.offset(at: exchange.startedAt)
    let text = SafeText.line(
      OneLine.text(ExchangeSummary(exchange), withSecrets: withSecrets, utcOffset: offset) + early + process)
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

/// The time of day where the person is.
package enum LocalTime {
  /// For a terminal: the time of day, after the date where that is not today.
  package static func short(_ moment: Timestamp, now: Timestamp = .now, in zone: TimeZone = .current) -> String {
    let text = local(moment, zone)
    return text.prefix(10) == local(now, zone).prefix(10)
      ? String(text.dropFirst(11).prefix(12)) : withDate(moment, in: zone)
  }

  /// Date and time of day, to the second.
  static func withDate(_ moment: Timestamp, in zone: TimeZone = .current) -> String {
    let text = local(moment, zone)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  private static func local(_ moment: Timestamp, _ zone: TimeZone) -> String {
    Moment.rfc3339(Timestamp(microseconds: moment.microseconds + Int64(offset(at: moment, in: zone)) * 1_000_000))
  }

  /// Seconds east of UTC at that moment.
  package static func offset(at moment: Timestamp, in zone: TimeZone = .current) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.microseconds) / 1e6))
  }
}
