import ArgumentParser
import Foundation
import PatchbayInspect
import PatchbayRuntime
import PatchbayStubs
import PatchbaySystem

/// `patchbay export FORMAT [FILTER] [-o FILE]`
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write recorded exchanges as \(ExportFormat.nouns).",
    discussion: "Secrets are masked unless --with-secrets is given.")

  @Argument(help: "\(ExportFormat.names).") var format: ExportFormat
  @OptionGroup var selection: HistorySelection
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The file to write, for bodies the folder; else standard output.", valueName: "file"),
    completion: .file())
  var output: String?
  @Flag(help: "Leave secrets as they are.") var withSecrets = false
  @Flag(help: "Of a file, print what was written as JSON.") var json = false
  @Flag(help: "End with status 1 when nothing was found.") var exitStatus = false

  func run() async throws {
    let filter = try selection.parsedFilter()
    let exporter = Exporter(history: try selection.open(), withSecrets: withSecrets)
    guard let output = output ?? (format.isFolder ? Exporter.freePath(format) : nil), output != "-" else {
      let count = try await exporter.write(format, filter: filter, limit: selection.limit) {
        try FileHandle.standardOutput.write(contentsOf: Data($0.utf8))
      }
      if count == 0, exitStatus { throw ExitCode.failure }
      return
    }
    let progress = ProgressLine("writing \(output)")
    let (result, signal) = await EndSignal.run { [format, selection] in
      try await exporter.write(format, filter: filter, limit: selection.limit, to: output) { progress.show($0) }
    }
    progress.clear()
    // What was interrupted in the history fails there in a way of its own.
    if let signal, case .failure = result {
      let rest = format.isFolder ? "" : "; nothing was written to \(output)"
      StandardError.say("stopped before the end\(rest).")
      signal.end()
    }
    let outcome = try result.get()
    let count = outcome.count
    if json {
      print(JSONValue.members(["written": .number(String(count)), "to": .string(output)]).compact)
    } else {
      StandardError.say("wrote \(format.counted(count)) to \(output).")
    }
    if let closed = outcome.closed { StandardError.say(OutputFile.sentence(closedToOthers: closed)) }
    if count == 0, exitStatus { throw ExitCode.failure }
  }
}

extension ExportFormat: ExpressibleByArgument {}
