import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs

/// `patchbay log [FILTER]`
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Follow the exchanges of a running console, one line each.")

  @OptionGroup var console: ControlSocketOption
  @Flag(help: "JSON Lines, with all that is recorded.") var json = false
  @Flag(help: "Leave secrets in URLs as they are.") var withSecrets = false
  @Argument(help: "Only what fits.") var filter: String?

  func run() async throws {
    _ = try FilterArgument.parse(filter)
    let log = try await console.connect().follow(filter: filter ?? "")
    do {
      for try await line in log { try show(line) }
    } catch ServerError.controlLost {
      // What was followed has come to its end.
      StandardError.say("the console has ended.")
    }
  }

  private func show(_ line: ControlLog.Line) throws {
    switch line {
    case .exchange(let value): print(json ? value.compact : try LogLine.text(value, withSecrets: withSecrets))
    case .shed(let count): StandardError.say("\(count) lines were left out because this reader was slow.")
    }
    try StandardStreams.finishOutput()
  }
}

/// An exchange of the control socket as one readable line, like those of a console without a screen.
enum LogLine {
  static func text(_ value: JSONValue, withSecrets: Bool) throws -> String {
    let exchange = try JSONLines.exchange(Data(value.compact.utf8))
    let offset = LocalTime.offset(at: exchange.startedAt)
    return SafeText.line(
      OneLine.text(ExchangeSummary(exchange), withSecrets: withSecrets, utcOffset: offset))
  }
}
