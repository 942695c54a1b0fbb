import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayRuntime
import PatchbayStubs

/// An exchange of the control socket as one readable line, like those of a console without a screen.
enum LogLine {
  static func text(_ value: JSONValue) throws -> String {
    let exchange = try JSONLines.exchange(Data(value.compact.utf8))
    return SafeText.line(
      OneLine.text(ExchangeSummary(exchange), utcOffset: LocalTime.offset(at: exchange.startedAt)))
  }
}
