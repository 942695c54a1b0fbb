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
  @Flag(help: "JSON Lines.") var json = false
  @Argument(help: "Only what fits.") var filter: String?

  func run() async throws {
    _ = try FilterArgument.parse(filter)
    for try await line in try await console.connect().follow(filter: filter ?? "") {
      switch line {
      case .exchange(let value): print(json ? value.compact : try LogLine.text(value))
      case .shed(let count): StandardError.say("\(count) lines were left out because this reader was slow.")
      }
      try StandardStreams.finishOutput()
    }
  }
}

/// An exchange of the control socket as one readable line, like those of a console without a screen.
enum LogLine {
  static func text(_ value: JSONValue) throws -> String {
    let exchange = try JSONLines.exchange(Data(value.compact.utf8))
    return SafeText.line(
      OneLine.text(ExchangeSummary(exchange), utcOffset: LocalTime.offset(at: exchange.startedAt)))
  }
}
