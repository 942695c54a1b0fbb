import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// Stubs that a program's own code declares: how they are shown, kept and exported.
@Suite(.bounded) struct CodeStubTests {
  private static let when = RequestPattern(methods: ["GET"], url: .glob("*/orders"))

  private let stubs = [
    Stub(name: "closure", when: when, then: .code),
    Stub(name: "answer", when: when, then: .respond(CannedResponse(status: 418, body: .text("tea")))),
    Stub(name: "failure", enabled: false, when: when, then: .fail(Fault(.named("timedOut")))),
    Stub(name: "steps", when: when, then: .sequence([.code, .hold(.both)], afterwards: .repeat)),
  ]

  private var board: StubBoard {
    StubBoard(
      revision: 3,
      entries: stubs.map { stub in
        var entry = StubBoard.Entry(stub: stub, origin: .code("shop 7"))
        entry.baseline = stub
        return entry
      })
  }

  private func exchange(_ by: Exchange.Answerer) -> Exchange {
    var exchange = Exchange(
      id: 7, process: HarnessProcess(name: "shop", pid: 7), startedAt: Timestamp(microseconds: 1_700_000_000_000_000),
      request: RecordedRequest(method: "GET", url: "https://a.example/orders"))
    (exchange.phase, exchange.outcome, exchange.by, exchange.stub) = (.ended, .responded, by, "closure")
    exchange.response = RecordedResponse(
      status: 418, headers: [HeaderField("Content-Type", "text/plain")], body: Data("tea".utf8))
    exchange.timing = Timing(head: 1_000, end: 2_000)
    exchange.bytesReceived = 3
    return exchange
  }

  @Test func whatTheyBecomeAsAWhole() throws {
    var parts = stubs.map { ("the stub \($0.name) as YAML", StubFile.yaml([$0])) }
    parts.append(("all of them copied", StubFile.copy(stubs)))
    parts.append(("the one in code copied", StubFile.copy([stubs[0]])))
    let kept = KeptStubs(id: "x", savedAt: Timestamp(microseconds: 5), board: board, draft: nil)
    parts.append(("the board as it is kept", KeptStubsFile.text(kept, place: "here") + "\n"))
    let answered = exchange(.code)
    parts.append(("the line of what one answered", OneLine.text(answered.summary) + "\n"))
    parts.append(("JSON Lines", JSONLines.line(answered) + "\n"))
    for kind in [CopyKind.stub, .swift, .har] {
      parts.append(("copied: \(kind)", try CopyText.make(answered, kind).text + "\n"))
    }
    try expectRecorded(parts.map { "== \($0.0)\n\($0.1)" }.joined(), "Whole/CodeStubs.txt")
  }

  /// What is copied is pasted into a stub file, and has to be one.
  @Test func whatIsCopiedIsAStubFile() throws {
    let folder = try TemporaryFolder()
    func read(_ some: [Stub], as name: String) throws -> [Stub] {
      try StubFile.read(folder.write(StubFile.copy(some), to: name)).stubs
    }
    let odd = Stub(name: "two\nlines: # [x]", when: Self.when, then: .code)
    #expect(try read(stubs, as: "all.yaml") == [stubs[1], stubs[2]])
    #expect(try read([stubs[3], odd, stubs[0]], as: "code.yaml") == [])
    #expect(StubFile.copy([stubs[1]]) == StubFile.yaml([stubs[1]]))
    #expect(StubFile.copy([]) == StubFile.yaml([]))
  }

  @Test func whatIsKeptComesBack() throws {
    let folder = try TemporaryFolder()
    let kept = KeptStubs(id: folder.file("k.json"), savedAt: Timestamp(microseconds: 5), board: board, draft: nil)
    let path = try folder.write(KeptStubsFile.text(kept, place: "here"), to: "k.json")
    let read = try #require(KeptStubsFile.read(path, place: "here"))
    #expect(read.board == board && read.savedAt == kept.savedAt && read.id == path && read.draft == nil)
    #expect(KeptStubsFile.read(path, place: "there") == nil)
    #expect(KeptStubsFile.read(folder.file("none"), place: "here") == nil)
  }

  @Test func aDraftIsKeptBesideThem() throws {
    let folder = try TemporaryFolder()
    for base in [nil, "closure"] as [String?] {
      let draft = KeptDraft(base: base, stub: Stub(name: "", then: .hold(.both)))
      let kept = KeptStubs(id: "x", savedAt: Timestamp(microseconds: 5), board: board, draft: draft)
      let path = try folder.write(KeptStubsFile.text(kept, place: "here"), to: "k.json")
      #expect(KeptStubsFile.read(path, place: "here")?.draft == draft)
    }
  }

  @Test func theyAreNotUnwrittenWork() {
    #expect(!board.isUnwritten)
    var edited = board
    edited.entries[1].stub.enabled = false
    edited.entries[1].edited = true
    #expect(edited.isUnwritten)
  }
}
