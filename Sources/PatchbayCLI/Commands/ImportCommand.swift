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

  private static let piece = 1 << 20

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0 on.") }
  }

  func run() async throws {
    let filter = try FilterArgument.parse(since.map { "since:\($0)" } ?? "", option: "--since")
    guard let input = FileHandle(forReadingAtPath: AbsolutePath.of(file)) else {
      throw CLIError("\(file) cannot be read: check the path.")
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: AbsolutePath.of(file))[.size] as? Int) ?? 0
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
    var reader = HARReader()
    var taken = 0
    var done = 0
    do {
      while taken < limit ?? .max, let bytes = try input.read(upToCount: Self.piece), !bytes.isEmpty {
        var exchanges = try reader.read(bytes)
        if since != nil { exchanges.removeAll { !filter.matches($0) } }
        exchanges = Array(exchanges.prefix((limit ?? .max) - taken))
        let first = store.reserveIDs(exchanges.count)
        for index in exchanges.indices { exchanges[index].id = first + Int64(index) }
        if !store.record(exchanges) { await store.room() }
        taken += exchanges.count
        done += bytes.count
        progress.show(Double(done) / Double(max(1, size)))
      }
      if taken < limit ?? .max { try reader.finish() }
    } catch let error as StubError {
      progress.clear()
      await store.close()
      tell(reader.bad)
      throw CLIError("\(file): \(error.description) \(taken) exchanges were kept.")
    }
    try await store.flush()
    await store.close()
    progress.clear()
    await telling.value
    tell(reader.bad)
    if json {
      let bad = reader.bad.map {
        JSONValue.members(["entry": .number(String($0.index)), "reason": .string($0.reason)])
      }
      print(JSONValue.members(["recorded": .number(String(taken)), "leftOut": .array(bad)]).compact)
    } else {
      print("\(taken) exchange\(taken == 1 ? "" : "s") recorded, \(reader.bad.count) left out.")
    }
  }

  private func tell(_ bad: [HARReader.BadEntry]) {
    for bad in bad.prefix(20) { StandardError.say("\(file), \(bad)") }
    if bad.count > 20 { StandardError.say("… and \(bad.count - 20) more.") }
  }
}
