import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct StubKeeperTests {
  private let process = HarnessProcess(name: "demo", pid: 7)
  private let link = LinkID(1)

  private func stub(_ name: String, _ text: String = "x", enabled: Bool = true) -> Stub {
    Stub(name: name, enabled: enabled, then: .respond(CannedResponse(body: .text(text))))
  }

  private func console(_ stub: Stub) -> StubBoard.Entry { .init(stub: stub, origin: .console) }

  @Test func revisionsRiseOnlyWithChanges() {
    var keeper = StubKeeper()
    #expect(keeper.board.revision == 1)
    _ = keeper.edit { $0.entries = [console(stub("a"))] }
    #expect(keeper.board.revision == 2)
    _ = keeper.edit { $0.revision = 900 }
    #expect(keeper.board.revision == 2)
    let same = keeper.set(unmatched: .pass, holdAll: nil)
    #expect(!same)
    let other = keeper.set(unmatched: .fail, holdAll: .both)
    #expect(other)
    #expect(keeper.board.revision == 3)
    #expect(keeper.push(for: link).set == StubSet(revision: 3, stubs: [stub("a")], unmatched: .fail, holdAll: .both))
  }

  /// Left out, the hooks would forget their counters.
  @Test func pausedStubsArePushedSwitchedOff() {
    var keeper = StubKeeper()
    _ = keeper.edit { $0.entries = [console(stub("a")), console(stub("b", enabled: false))] }
    keeper.declare([stub("coded")], link: link, process: process)
    _ = keeper.edit { $0.isPaused = true }
    let push = keeper.push(for: link)
    #expect(push.set.stubs == [stub("a", enabled: false), stub("b", enabled: false)])
    #expect(push.disabledCodeStubs.isEmpty && push.set.revision == keeper.board.revision)
    _ = keeper.edit { $0.isPaused = false }
    #expect(keeper.push(for: link).set.stubs == [stub("a"), stub("b", enabled: false)])
  }

  @Test func aPausedSetIsPushedSwitchedOffAndNoOther() {
    var keeper = StubKeeper()
    let file = StubBoard.Entry(stub: stub("b"), origin: .file("f.yaml"), baseline: stub("b"))
    _ = keeper.edit { $0.entries = [console(stub("a")), file] }
    _ = keeper.edit { $0.pausedSets = [.file("f.yaml")] }
    #expect(keeper.push(for: link).set.stubs == [stub("a"), stub("b", enabled: false)])
    _ = keeper.edit { $0.pausedSets = [] }
    #expect(keeper.push(for: link).set.stubs == [stub("a"), stub("b")])
  }

  @Test func aChangeThatThrowsChangesNothing() {
    var keeper = StubKeeper()
    #expect(throws: ServerError.notRunning) {
      _ = try keeper.edit { board in
        board.entries = [console(stub("a"))]
        throw ServerError.notRunning
      }
    }
    #expect(keeper.board == StubBoard(revision: 1))
  }

  /// A file was read meanwhile: whoever changed the stubs first has won, and nothing of the late draft is in force.
  @Test func aDraftOfAnOlderBoardIsNotCommitted() {
    var keeper = StubKeeper()
    let (_, late) = keeper.draft(reading: StubBodies()) { $0.entries = [console(stub("late"))] }
    _ = keeper.edit { $0.entries = [console(stub("first"))] }
    let refused = keeper.commit(late)
    #expect(refused == nil)
    #expect(keeper.push(for: link).set == StubSet(revision: 2, stubs: [stub("first")]))
    // A stub that was declared meanwhile, and changed nothing on the board, still shows where it is no longer hidden.
    keeper.declare([stub("first", "in code")], link: link, process: process)
    #expect(keeper.board.revision == 2)
    let (_, draft) = keeper.draft(reading: StubBodies()) { $0.entries = [] }
    let problems = keeper.commit(draft)
    #expect(problems == [])
    #expect(keeper.board.stubs == [stub("first", "in code")])
  }

  @Test func stubsInCodeComeFirstAndStayInTheirProcess() {
    var keeper = StubKeeper()
    _ = keeper.edit { $0.entries = [console(stub("mine"))] }
    keeper.declare([stub("one"), stub("two")], link: link, process: process)
    #expect(keeper.board.stubs.map(\.name) == ["one", "two", "mine"])
    #expect(keeper.board["one"]?.origin == .code("demo 7"))
    // The hook has them already: it is told of the console's only.
    #expect(keeper.push(for: link) == StubPush(set: StubSet(revision: 3, stubs: [stub("mine")])))
    #expect(keeper.push(for: LinkID(2)).disabledCodeStubs.isEmpty)
  }

  @Test func stubsInCodeAreSwitchedOffAndOverridden() {
    var keeper = StubKeeper()
    keeper.declare([stub("one"), stub("two"), stub("three")], link: link, process: process)
    _ = keeper.edit { board in
      board.entries[0].stub.enabled = false
      board.entries[1].stub.then = .fail(Fault(.named("timedOut")))
    }
    let push = keeper.push(for: link)
    #expect(push.disabledCodeStubs == ["one", "two"])
    #expect(push.set.stubs == [Stub(name: "two", then: .fail(Fault(.named("timedOut"))))])
    #expect(push.overrides == ["two"])
    #expect(keeper.push(for: LinkID(9)).set.stubs.isEmpty)
  }

  /// Two processes declare a stub of the same name: each is told of its own by the name that it knows.
  @Test func anOverrideGoesOutUnderTheNameInCode() {
    var keeper = StubKeeper()
    keeper.declare([stub("one")], link: link, process: process)
    keeper.declare([stub("one")], link: LinkID(2), process: HarnessProcess(name: "demo", pid: 8))
    _ = keeper.edit { $0.entries[1].stub.then = .fail(Fault(.named("timedOut"))) }
    let push = keeper.push(for: LinkID(2))
    #expect(push.set.stubs.map(\.name) == ["one"] && push.overrides == ["one"])
    #expect(keeper.push(for: link).set.stubs.isEmpty)
  }

  @Test func whatAPersonDecidedOutlivesTheProcess() {
    var keeper = StubKeeper()
    keeper.declare([stub("one"), stub("two")], link: link, process: process)
    _ = keeper.edit { $0.entries[1].stub.enabled = false }
    // Declared anew by the same process: the decision stays, a new text comes in.
    keeper.declare([stub("one", "new"), stub("two", "new")], link: link, process: process)
    #expect(keeper.board.stubs == [stub("one", "new"), stub("two", "new", enabled: false)])
    let withdrawn = keeper.withdraw(link: link)
    #expect(withdrawn)
    #expect(keeper.board.entries.isEmpty)
    keeper.declare([stub("two")], link: LinkID(2), process: HarnessProcess(name: "demo", pid: 8))
    #expect(keeper.push(for: LinkID(2)).disabledCodeStubs == ["two"])
    #expect(keeper.board.entries.map(\.origin) == [.code("demo 8")])
  }

  @Test func namesOnTheBoardStayUnique() {
    var keeper = StubKeeper()
    keeper.declare([stub("one"), stub("one")], link: link, process: process)
    keeper.declare([stub("one")], link: LinkID(2), process: HarnessProcess(name: "demo", pid: 8))
    #expect(keeper.board.stubs.map(\.name) == ["one", "one (demo 7)", "one (demo 8)"])
    _ = keeper.edit { $0.entries[2].stub.enabled = false }
    #expect(keeper.push(for: LinkID(2)).disabledCodeStubs == ["one"])
    #expect(keeper.push(for: link).disabledCodeStubs.isEmpty)
  }

  @Test func aStubOfTheConsoleOverridesThoseOfItsNameInCodeWhileItIsThere() throws {
    var keeper = StubKeeper()
    keeper.declare([stub("one"), stub("two")], link: link, process: process)
    _ = try keeper.edit { $0 = try $0.apply(.add(stub("one", "mine"), at: nil)) }
    #expect(keeper.board.stubs == [stub("two"), stub("one", "mine")])
    #expect(keeper.push(for: link).disabledCodeStubs == ["one"])
    #expect(keeper.push(for: link).set.stubs == [stub("one", "mine")])
    keeper.declare([stub("one")], link: LinkID(2), process: HarnessProcess(name: "demo", pid: 8))
    #expect(keeper.push(for: LinkID(2)).disabledCodeStubs == ["one"])
    _ = try keeper.edit { $0 = try $0.apply(.remove(name: "one")) }
    #expect(keeper.board.stubs.map(\.name) == ["one", "two", "one (demo 8)"])
    #expect(keeper.push(for: link).disabledCodeStubs.isEmpty)
  }

  /// An undo puts an old board back, in which other processes were linked.
  @Test func anUndoKeepsTheStubsInCodeOfThoseWhoAreLinked() throws {
    var keeper = StubKeeper()
    keeper.declare([stub("old")], link: link, process: process)
    let before = keeper.board
    _ = keeper.edit { $0.entries.insert(console(stub("mine")), at: 0) }
    _ = keeper.withdraw(link: link)
    keeper.declare([stub("new")], link: LinkID(2), process: HarnessProcess(name: "other", pid: 8))
    let revision = keeper.board.revision
    _ = try keeper.edit { $0 = try $0.apply(.restore(before)) }
    #expect(keeper.board.stubs == [stub("new")])
    #expect(keeper.board.revision == revision + 1)
  }

  /// What all others are told is made once; it must not be what one of them alone is told.
  @Test func aLinkThatDeclaresStubsIsToldSomethingOfItsOwn() {
    var keeper = StubKeeper()
    #expect(!keeper.hasOwnPush(link))
    keeper.declare([], link: link, process: process)
    #expect(!keeper.hasOwnPush(link))
    keeper.declare([stub("one")], link: link, process: process)
    #expect(keeper.hasOwnPush(link) && !keeper.hasOwnPush(LinkID(2)))
    _ = keeper.withdraw(link: link)
    #expect(!keeper.hasOwnPush(link))
  }

  /// It is there as long as its process, so nothing has changed.
  @Test func aStubInCodeThatIsTakenFromTheBoardIsThereAgain() {
    var keeper = StubKeeper()
    keeper.declare([stub("one")], link: link, process: process)
    let board = keeper.board
    _ = keeper.edit { $0.entries = [] }
    #expect(keeper.board == board)
  }

  @Test func anOverrideThatIsSwitchedOffIsNotPushed() {
    var keeper = StubKeeper()
    keeper.declare([stub("one")], link: link, process: process)
    #expect(keeper.board.entries.map(\.edited) == [false])
    _ = keeper.edit { board in
      board.entries[0].stub.then = .fail(Fault(.named("timedOut")))
      board.entries[0].stub.enabled = false
    }
    let push = keeper.push(for: link)
    #expect(push.set.stubs.isEmpty && push.overrides.isEmpty && push.disabledCodeStubs == ["one"])
    #expect(keeper.board.entries.map(\.edited) == [true])
    _ = keeper.edit { $0.entries[0].stub = stub("one") }
    #expect(keeper.board.entries.map(\.edited) == [false])
    #expect(keeper.push(for: link).disabledCodeStubs.isEmpty)
  }

  /// Another process has taken its name on the board meanwhile.
  @Test func anOverrideOutlivesTheProcessUnderAnotherName() {
    var keeper = StubKeeper()
    keeper.declare([stub("one")], link: link, process: process)
    _ = keeper.edit { $0.entries[0].stub.then = .fail(Fault(.named("timedOut"))) }
    _ = keeper.withdraw(link: link)
    keeper.declare([stub("one")], link: LinkID(2), process: HarnessProcess(name: "other", pid: 8))
    keeper.declare([stub("one")], link: LinkID(3), process: HarnessProcess(name: "demo", pid: 9))
    #expect(keeper.board.stubs.map(\.name) == ["one", "one (demo 9)"])
    #expect(keeper.board.entries.map(\.edited) == [false, true])
    #expect(keeper.push(for: LinkID(2)).overrides.isEmpty)
    #expect(keeper.push(for: LinkID(3)).set.stubs == [Stub(name: "one", then: .fail(Fault(.named("timedOut"))))])
  }

  @Test func bodiesInFilesAreReadAgainWhenTheyChange() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("stubs.yaml")
    let respond = Stub(name: "a", then: .respond(CannedResponse(body: .file("body.json"))))
    var keeper = StubKeeper()
    let missing = keeper.edit { $0.entries = [.init(stub: respond, origin: .file(file))] }
    #expect(missing.notices.count == 1)
    #expect(missing.notices.first?.contains(folder.file("body.json")) == true)
    guard case .fail? = keeper.push(for: link).set.stubs.first?.then else {
      Issue.record("a stub without its file must fail")
      return
    }
    try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.file("body.json")))
    let found = keeper.edit { $0.entries.append(console(stub("b"))) }
    #expect(found.notices.isEmpty)
    guard case .respond(let response)? = keeper.push(for: link).set.stubs.first?.then else {
      Issue.record("the file is there")
      return
    }
    #expect(response.body == .data(Data("{}".utf8)))
    #expect(response.headers == [HeaderField("Content-Type", "application/json")])
    // The board keeps the path, for writing it back.
    #expect(keeper.board["a"]?.stub == respond)
  }

  @Test func bodiesInsideOtherActionsAreReadToo() throws {
    let folder = try TemporaryFolder()
    try Data("half".utf8).write(to: URL(fileURLWithPath: folder.file("b")))
    let inner = CannedResponse(headers: [HeaderField("content-type", "x/y")], body: .file(folder.file("b")))
    let action = Action.sequence(
      [.fail(Fault(.named("timedOut"), after: .init(response: inner))), .respond(inner), .hold(.both)],
      afterwards: .last)
    var keeper = StubKeeper()
    _ = keeper.edit { $0.entries = [console(Stub(name: "s", then: action))] }
    var read = inner
    read.body = .data(Data("half".utf8))
    #expect(
      keeper.push(for: link).set.stubs.first?.then
        == .sequence(
          [.fail(Fault(.named("timedOut"), after: .init(response: read))), .respond(read), .hold(.both)],
          afterwards: .last))
  }
}

extension StubKeeper {
  /// A change in one step: nobody else is there who could come first.
  fileprivate mutating func edit<Result>(
    _ change: (inout StubBoard) throws -> Result
  ) rethrows -> (result: Result, notices: [String]) {
    let (result, draft) = try draft(reading: StubBodies(), change)
    return (result, commit(draft) ?? ["stale"])
  }
}
