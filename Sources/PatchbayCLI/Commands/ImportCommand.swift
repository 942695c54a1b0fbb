import ArgumentParser
import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayRuntime
import PatchbayStubs
import Synchronization

/// `patchbay import FILE.har`, or a file of JSON Lines
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Record the exchanges of an HTTP archive (HAR) of a browser or a proxy, or of JSON Lines.")

  @Argument(help: "The archive, or lines as `export jsonl` writes them; - is standard input.", completion: .file())
  var file: String
  @Option(help: ArgumentHelp("The history; else the usual one.", valueName: "path"), completion: .file())
  var history: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("At most that many, the first.", valueName: "N")) var limit: Int?
  @Option(help: ArgumentHelp("Only what began after that: 10m, 2h, 2026-11-21T12:00:00Z.", valueName: "when"))
  var since: String?
  @Flag(help: "Print what was recorded and left out as JSON.") var json = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 on.") }
  }

  func run() async throws {
    let filter = try since.map(FilterArgument.since) ?? .everything
    let folders = PrivateFolders()
    let config = try ConfigLoading.load(folders: folders)
    let path = try history.map(AbsolutePath.of) ?? ConfigLoading.history(of: config, folders: folders)
    let store = try HistoryStore.open(.file(path), retention: config.retention(else: Retention()))
    let progress = ProgressLine("reading \(Importer.name(file))")
    let hasFailed = Atomic(false)
    // Of failures the reading itself tells.
    let telling = Task {
      var news = HistoryNews()
      for await event in store.events {
        if case .failed = event { hasFailed.store(true, ordering: .relaxed) }
        guard case .retired = event, let sentence = news.received(event) else { continue }
        progress.clear()
        StandardError.say(sentence)
      }
      for sentence in news.rest { StandardError.say(sentence) }
    }
    let before = store.count
    var importer = Importer(history: store)
    importer.limit = limit
    if since != nil { importer.filter = filter }
    importer.hasFailed = { hasFailed.load(ordering: .relaxed) }
    let (result, signal) = await EndSignal.run { [importer, file] in
      let found = try await importer.read(file) { progress.show($0) }
      try await store.flush()
      return found
    }
    await store.close()
    progress.clear()
    await telling.value
    if case .failure(let error as HistoryError) = result {
      throw RuntimeError("\(error.description) \(Self.kept(max(0, store.count - before)))")
    }
    let found = try result.get()
    let taken = found.ids.count
    tell(found.bad)
    if let failure = found.failure { throw RuntimeError("\(Importer.name(file)): \(failure) \(Self.kept(taken))") }
    if let signal, found.isStopped {
      StandardError.say("stopped before the end of \(Importer.name(file)). \(Self.kept(taken))")
      signal.end()
    }
    if json {
      let bad = found.bad.map {
        JSONValue.members(["entry": .number(String($0.index)), "reason": .string($0.reason)])
      }
      print(JSONValue.members(["recorded": .number(String(taken)), "leftOut": .array(bad)]).compact)
    } else {
      print("\(taken) exchange\(taken == 1 ? "" : "s") recorded, \(found.bad.count) left out.")
    }
  }

  private static func kept(_ count: Int) -> String {
    count == 1 ? "1 exchange was kept." : "\(count) exchanges were kept."
  }

  private func tell(_ bad: [BadEntry]) {
    for bad in bad.prefix(20) { StandardError.say("\(Importer.name(file)), \(bad)") }
    if bad.count > 20 { StandardError.say("… and \(bad.count - 20) more.") }
  }
}
