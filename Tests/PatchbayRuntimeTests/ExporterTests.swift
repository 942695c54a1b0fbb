import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayRuntime

/// Where exports go, and what is left out of them.
@Suite(.bounded) final class ExporterTests {
  private let folder: TemporaryFolder
  private let history: HistoryStore

  init() throws {
    folder = try TemporaryFolder()
    history = try HistoryStore.open(.memory)
  }

  private func record(_ count: Int64, body: Int = 4) async throws {
    history.record(
      (1...count).map { id in
        .answered(
          id, "http://a.example/\(id)?token=s3cret", body: Data(repeating: 0x61 + UInt8(id), count: body))
      })
    try await history.flush()
  }

  private func ids(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.firstMatch(of: /a.example\/(\d+)/).map { String($0.1) } }
  }

  @Test(arguments: [
    ("offline.yaml", "offline.bodies"), ("a.b.yaml", "a.b.bodies"), ("offline", "offline.bodies"),
    (".hidden", ".hidden.bodies"), ("/tmp/x/offline.yaml", "/tmp/x/offline.bodies"),
    ("/offline.yaml", "/offline.bodies"),
    ("/tmp/x.d/offline", "/tmp/x.d/offline.bodies"), ("offline.", "offline.bodies"),
  ])
  func largeBodiesOfAStubFileLieBesideIt(_ path: String, _ bodies: String) {
    let found = Exporter.bodyFolder(path)
    #expect(found == bodies || found == "./" + bodies)
  }

  @Test func aFreeNameIsFound() throws {
    let path = folder.file("out")
    #expect(FreePath.stem(path) == path)
    #expect(FreePath.stem(path, endings: [".har"]) == path)
    _ = try folder.write("", to: "out.har")
    #expect(FreePath.stem(path) == path)
    #expect(FreePath.stem(path, endings: [".har"]) == path + "-2")
    #expect(FreePath.stem(path, endings: [".txt", ".har"]) == path + "-2")
    _ = try folder.write("", to: "out-2.txt")
    _ = try folder.write("", to: "out-3.har")
    #expect(FreePath.stem(path, endings: [".txt", ".har"]) == path + "-4")
    #expect(FreePath.stem(path, endings: [".har"]) == path + "-2")
  }

  @Test func theNewestOfThoseThatFitAreWrittenOldestFirst() async throws {
    try await record(5)
    let path = folder.file("out.jsonl")
    var exporter = Exporter(history: history)
    var outcome = try await exporter.write(.jsonl, filter: .everything, to: path)
    #expect(outcome.count == 5 && outcome.closed == nil && outcome.stubs == nil)
    #expect(try ids(path) == ["1", "2", "3", "4", "5"])
    outcome = try await exporter.write(.jsonl, filter: .everything, limit: 2, to: path)
    #expect(outcome.count == 2)
    #expect(try ids(path) == ["4", "5"])
    exporter.first = 3
    let shares = Mutex<[Double]>([])
    outcome = try await exporter.write(.jsonl, filter: FilterArgument.parse("-url:*/4*"), to: path) { share in
      shares.withLock { $0.append(share) }
    }
    #expect(outcome.count == 2)
    #expect(try ids(path) == ["3", "5"])
    #expect(shares.withLock { $0 } == [0, 1])
    exporter.first = 6
    #expect(try await exporter.write(.jsonl, filter: .everything, to: path).count == 0)
    #expect(try ids(path) == [])
  }

  @Test func secretsAreMaskedUnlessTheyAreWanted() async throws {
    try await record(1)
    let path = folder.file("out.jsonl")
    _ = try await Exporter(history: history).write(.jsonl, filter: .everything, to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("token=***"))
    chmod(path, 0o644)
    let outcome = try await Exporter(history: history, withSecrets: true).write(.jsonl, filter: .everything, to: path)
    #expect(outcome.closed == path)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("token=s3cret"))
  }

  @Test func stubsAreCountedAndBeginWithTheirHead() async throws {
    try await record(3)
    let path = folder.file("offline.yaml")
    var exporter = Exporter(history: history)
    exporter.head = ["A head.", "And more."]
    let outcome = try await exporter.write(.stubs, filter: .everything, to: path)
    #expect(outcome.count == 3 && outcome.stubs == 3)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("# A head.\n# And more.\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("offline.bodies")))
  }

  @Test func largeBodiesOfStubsAreFilesBesideThem() async throws {
    try await record(2, body: 300_000)
    let path = folder.file("offline.yaml")
    _ = try await Exporter(history: history).write(.stubs, filter: .everything, to: path)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("offline.bodies"))
    #expect(names.count == 2)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for name in names {
      #expect(text.contains("offline.bodies/\(name)"))
      #expect(FileManager.default.contents(atPath: folder.file("offline.bodies/\(name)"))?.count == 300_000)
    }
    let mode =
      try FileManager.default.attributesOfItem(atPath: folder.file("offline.bodies"))[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test func bodiesAreFilesOfAFolder() async throws {
    try await record(3)
    let path = folder.file("deep/bodies")
    let outcome = try await Exporter(history: history).write(.bodies, filter: .everything, limit: 2, to: path)
    #expect(outcome.count == 2 && outcome.closed == nil && outcome.stubs == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
    let again = try await Exporter(history: history).write(.bodies, filter: .everything, to: path)
    #expect(again.count == 3)
    let first = path + "/" + (try FileManager.default.contentsOfDirectory(atPath: path).sorted()[0])
    for name in try FileManager.default.contentsOfDirectory(atPath: path) { chmod(path + "/" + name, 0o644) }
    let secret = try await Exporter(history: history, withSecrets: true).write(.bodies, filter: .everything, to: path)
    #expect(secret.count == 3 && secret.closed == first, "the first one is named")
  }

  @Test func whatIsNoFileHasNoFolderBesideIt() async throws {
    try await record(1, body: 300_000)
    let path = folder.file("offline.yaml")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    let outcome = try await Exporter(history: history).write(.stubs, filter: .everything, to: path)
    #expect(outcome.count == 1 && outcome.stubs == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["offline.yaml"])
  }

  @Test func aLinkInAFolderIsReplacedAndNotWhatItLeadsTo() async throws {
    try await record(1)
    let path = folder.file("bodies")
    let exporter = Exporter(history: history)
    _ = try await exporter.write(.bodies, filter: .everything, to: path)
    let file = path + "/" + (try FileManager.default.contentsOfDirectory(atPath: path)[0])
    let other = try folder.write("mine", to: "other")
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: other)
    #expect(try await exporter.write(.bodies, filter: .everything, to: path).count == 1)
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "bbbb")
  }

  @Test func whatCannotBeWrittenIsNamed() async throws {
    try await record(1)
    let path = folder.file("bodies")
    let exporter = Exporter(history: history)
    _ = try await exporter.write(.bodies, filter: .everything, to: path)
    let file = path + "/" + (try FileManager.default.contentsOfDirectory(atPath: path)[0])
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    await #expect {
      _ = try await exporter.write(.bodies, filter: .everything, to: path)
    } throws: { "\($0)" == "\(file) cannot be written (Is a directory): free some space, or choose another folder." }
    let none = folder.file("none/out.har")
    await #expect {
      _ = try await exporter.write(.har, filter: .everything, to: none)
    } throws: {
      "\($0)" == "\(none) cannot be written (No such file or directory): free some space, or choose another file."
    }
    await #expect {
      _ = try await exporter.write(.bodies, filter: .everything) { _ in }
    } throws: { "\($0)" == "Bodies are written to a folder: name it with -o DIR." }
  }

  @Test func aFolderThatWasMadeForWhatIsCancelledIsTakenAway() async throws {
    try await record(2)
    let (new, old) = (folder.file("new"), folder.file("old"))
    try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: false)
    try folder.write("mine", to: "old/mine.txt")
    let exporter = Exporter(history: history)
    for path in [new, old] {
      let writing = Task {
        try await exporter.write(.bodies, filter: .everything, to: path) { _ in
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await writing.value }
    }
    #expect(!FileManager.default.fileExists(atPath: new))
    #expect(try FileManager.default.contentsOfDirectory(atPath: old) == ["mine.txt"])
  }

  @Test func bodiesNeedAFolder() async throws {
    try await record(1)
    let file = try folder.write("", to: "file")
    let exporter = Exporter(history: history)
    await #expect {
      _ = try await exporter.write(.bodies, filter: .everything, to: file)
    } throws: { "\($0)" == "\(file) is a file: name a folder for the bodies with -o DIR." }
    await #expect {
      _ = try await exporter.write(.bodies, filter: .everything, to: file + "/x")
    } throws: { "\($0)" == "The folder \(file)/x cannot be made: choose another with -o DIR." }
    await #expect(throws: RuntimeError.self) {
      _ = try await exporter.write(.bodies, filter: .everything) { _ in }
    }
    #expect(try await exporter.write(.bodies, filter: FilterArgument.parse("host:none")) { _ in } == 0)
    await #expect(throws: RuntimeError.self) {
      _ = try await exporter.write(.har, filter: .everything, to: file + "/x.har")
    }
  }
}
