import ArgumentParser
import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs

/// `patchbay import FILE.har`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Record the exchanges of an HTTP archive (HAR) of a browser or a proxy.")

  @Argument(help: "The archive.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The history; else the usual one.", valueName: "path"), completion: .file())
  var history: String?
  @Option(help: ArgumentHelp("At most that many, the first.", valueName: "N")) var limit: Int?
  @Option(help: ArgumentHelp("Only what began after that: 10m, 2h, 2026-11-21T12:00:00Z.", valueName: "when"))
  var since: String?
  @Flag(help: "Print what was recorded and left out as JSON.") var json = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 on.") }
  }

  func run() async throws {
    let filter = try FilterArgument.parse(since.map { "since:\($0)" } ?? "", option: "--since")
    let store = try HistoryStore.open(
      .file(ConfigLoading.history(history)),
      retention: try ConfigLoading.load(folders: PrivateFolders()).retention(else: Retention()))
    let progress = ProgressLine("reading \(file)")
    // Of failures the reading itself tells.
    let telling = Task {
      var news = HistoryNews()
      for await event in store.events {
        guard case .retired = event, let sentence = news.take(event) else { continue }
        progress.clear()
        StandardError.say(sentence)
      }
      for sentence in news.rest { StandardError.say(sentence) }
    }
    var importer = Importer(history: store)
    importer.limit = limit
    if since != nil { importer.filter = filter }
    let found: Importer.Outcome
    do {
      found = try await importer.read(file) { progress.show($0) }
    } catch {
      progress.clear()
      await store.close()
      throw error
    }
    let taken = found.ids.count
    if found.failure == nil { try await store.flush() }
    await store.close()
    progress.clear()
    if found.failure == nil { await telling.value }
    tell(found.bad)
    if let failure = found.failure { throw CLIError("\(file): \(failure) \(taken) exchanges were kept.") }
    if json {
      let bad = found.bad.map {
        JSONValue.members(["entry": .number(String($0.index)), "reason": .string($0.reason)])
      }
      print(JSONValue.members(["recorded": .number(String(taken)), "leftOut": .array(bad)]).compact)
    } else {
      print("\(taken) exchange\(taken == 1 ? "" : "s") recorded, \(found.bad.count) left out.")
    }
  }

  private func tell(_ bad: [HARReader.BadEntry]) {
    for bad in bad.prefix(20) { StandardError.say("\(file), \(bad)") }
    if bad.count > 20 { StandardError.say("… and \(bad.count - 20) more.") }
  }
}
