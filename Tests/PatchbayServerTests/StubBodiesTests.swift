import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct StubBodiesTests {
  private func entry(_ paths: String..., name: String = "s") -> StubBoard.Entry {
    let steps = paths.map { Action.respond(CannedResponse(body: .file($0))) }
    return .init(stub: Stub(name: name, then: .sequence(steps, afterwards: .last)), origin: .console)
  }

  /// What each step answers with; nil where the stub cannot answer.
  private func bodies(_ stub: Stub?) -> [String]? {
    guard case .sequence(let steps, _)? = stub?.then else { return nil }
    return steps.compactMap { step in
      guard case .respond(let response) = step, case .data(let data) = response.body else { return nil }
      return String(decoding: data, as: UTF8.self)
    }
  }

  private func write(_ text: String, to path: String, at seconds: Int) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
    #expect(utimes(path, &times) == 0)
  }

  @Test func aFileIsReadAgainOnlyWhenItsSizeOrTimeChanged() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("body")
    let reads = SeenLock(0)
    let read = StubBodies { path in
      reads.withLock { $0 += 1 }
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    try write("one", to: path, at: 1_000)
    #expect(bodies(read.read([entry(path)]).stubs.first) == ["one"])
    #expect(bodies(read.read([entry(path, path)]).stubs.first) == ["one", "one"])
    #expect(reads.withLock { $0 } == 1)
    try write("two", to: path, at: 1_001)
    #expect(bodies(read.read([entry(path)]).stubs.first) == ["two"])
    try write("three", to: path, at: 1_001)
    #expect(bodies(read.read([entry(path)]).stubs.first) == ["three"])
    #expect(reads.withLock { $0 } == 3)
    // A file that no stub needs is not kept in memory.
    #expect(read.read([]).stubs.isEmpty)
    #expect(bodies(read.read([entry(path)]).stubs.first) == ["three"])
    #expect(reads.withLock { $0 } == 4)
  }

  /// To open a FIFO would wait for whoever writes to it.
  @Test func whatIsNoFileIsRefusedAndTheOthersAnswer() throws {
    let folder = try TemporaryFolder()
    try write("there", to: folder.file("there"), at: 1_000)
    #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
    let read = StubBodies().read([
      entry(folder.file("fifo"), name: "fifo"), entry(folder.file("none"), name: "none"),
      entry(folder.path, name: "folder"),
      entry(folder.file("there"), name: "there"),
    ])
    #expect(read.problems.count == 3)
    #expect(read.problems[0].contains("“fifo”") && read.problems[0].contains("it is not a file"))
    #expect(read.problems[1].contains(folder.file("none")))
    #expect(read.problems[2].contains("it is not a file"))
    #expect(read.stubs.map { bodies($0) } == [nil, nil, nil, ["there"]])
    // Its requests fail with the sentence.
    #expect(read.stubs[0].then == .fail(Fault(.custom(domain: "Patchbay", code: 1, message: read.problems[0]))))
  }

  @Test func aFileThatIsTooLargeIsRefused() throws {
    let folder = try TemporaryFolder()
    for (name, size) in [("most", StubBodies.fileLimit), ("more", StubBodies.fileLimit + 1)] {
      try Data().write(to: URL(fileURLWithPath: folder.file(name)))
      #expect(truncate(folder.file(name), off_t(size)) == 0)
    }
    let read = StubBodies { _ in Data("read".utf8) }
    #expect(read.read([entry(folder.file("most"))]).problems.isEmpty)
    #expect(read.read([entry(folder.file("more"))]).problems.first?.contains("larger than 64 MiB") == true)
  }

  @Test func pathsStartFromTheFolderOfTheStubFile() throws {
    let folder = try TemporaryFolder()
    try write("beside", to: folder.file("beside"), at: 1_000)
    var beside = entry("beside")
    beside.origin = .file(folder.file("stubs.yaml"))
    #expect(bodies(StubBodies().read([beside]).stubs.first) == ["beside"])
    #expect(bodies(try StubBodies.read(beside.stub, of: folder.file("stubs.yaml"))) == ["beside"])
    #expect(throws: ServerError.self) { try StubBodies.read(beside.stub, of: "/none/stubs.yaml") }
  }

  /// A folder, and a file of which each request says the name: the process reads them, wherever it runs.
  @Test func whatARequestNamesGetsAWholePath() {
    for (body, whole) in [
      (.folder("site", otherwise: .notFound), .folder("/f/site", otherwise: .notFound)),
      (.file("a/{{uuid}}"), .file("/f/a/{{uuid}}")),
    ] as [(CannedResponse.Body, CannedResponse.Body)] {
      let stub = Stub(name: "s", then: .respond(CannedResponse(body: body)))
      let read = StubBodies().read([.init(stub: stub, origin: .file("/f/stubs.yaml"))])
      #expect(read.problems.isEmpty)
      #expect(read.stubs == [Stub(name: "s", then: .respond(CannedResponse(body: whole)))])
    }
  }
}
