import ArgumentParser
import Foundation
import PatchbayInspect
import PatchbayRuntime
import PatchbayServer

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
