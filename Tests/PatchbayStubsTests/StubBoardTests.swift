import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

private func stub(_ name: String, _ status: Int = 200) -> Stub {
  Stub(name: name, then: .respond(CannedResponse(status: status)))
}

extension StubBoard {
  fileprivate var names: [String] { entries.map(\.stub.name) }

  fileprivate func applying(_ edits: StubEdit...) throws -> StubBoard {
    try edits.reduce(self) { try $0.apply($1) }
  }
}

@Suite(.bounded) struct StubBoardTests {
  private let loaded: StubBoard

  init() throws {
    loaded = try StubBoard().applying(
      .fileLoaded(path: "one.yaml", [stub("a"), stub("b")]), .fileLoaded(path: "two.yaml", [stub("c")]))
  }

  @Test func orderIsCodeThenConsoleThenFiles() throws {
    var board = try loaded.applying(.add(stub("new"), at: nil))
    board.entries.insert(
      StubBoard.Entry(stub: stub("coded"), origin: .code("demo 1"), baseline: stub("coded")), at: 0)
    board = try board.applying(
      .add(stub("newer"), at: nil), .fileLoaded(path: "two.yaml", [stub("d"), stub("c")]), .add(stub("last"), at: 99))
    #expect(board.names == ["coded", "newer", "new", "a", "b", "d", "c", "last"])
    #expect(try board.applying(.move(name: "c", to: 0)).names == ["coded", "c", "newer", "new", "a", "b", "d", "last"])
    #expect(try board.applying(.resetOrder).names == ["coded", "newer", "new", "last", "a", "b", "d", "c"])
    #expect(board.entries.filter { !$0.origin.isCode }.map(\.id) == ["newer", "new", "a", "b", "d", "c", "last"])
  }

  @Test func aStubMadeOnScreenIsWrittenBelowTheOneAboveIt() throws {
    let board = try loaded.applying(
      .add(stub("top"), at: nil), .add(stub("middle"), at: 2), .add(stub("last"), at: 99))
    #expect(board.names == ["top", "a", "middle", "b", "c", "last"])
    #expect(board.made(home: "one.yaml") == ["one.yaml": ["top", "middle"], "two.yaml": ["last"]])
    #expect(try StubBoard().applying(.add(stub("only"), at: nil)).made(home: "new.yaml") == ["new.yaml": ["only"]])
    #expect(loaded.made(home: "one.yaml").isEmpty)
  }

  @Test func revisionRisesOnlyWithChanges() throws {
    #expect(loaded.revision == 2)
    #expect(try loaded.apply(.fileLoaded(path: "two.yaml", [stub("c")])) == loaded)
    #expect(try loaded.apply(.setEnabled(name: "a", true)).revision == 2)
    #expect(try loaded.apply(.setEnabled(name: "a", false)).revision == 3)
  }

  @Test func editedStubsStayWhenTheirFileIsReadAgain() throws {
    var board = try loaded.applying(.replace(name: "a", with: stub("a", 500)))
    #expect(board["a"]?.edited == true)
    board = try board.applying(.fileLoaded(path: "one.yaml", [stub("b", 201), stub("a", 202)]))
    #expect(board["a"]?.stub == stub("a", 500))
    #expect(board["a"]?.baseline == stub("a", 202))
    #expect(board["b"]?.stub == stub("b", 201))
    #expect(board.names == ["b", "a", "c"])
    #expect(try board.applying(.revert(name: "a"))["a"]?.stub == stub("a", 202))
    // Written to the file: the mark goes.
    board = try board.applying(.fileLoaded(path: "one.yaml", [stub("b", 201), stub("a", 500)]))
    #expect(board["a"]?.edited == false)
  }

  /// A switch is no edit of what the stub says.
  @Test func stubsThatWereOnlySwitchedFollowTheirFile() throws {
    var board = try loaded.applying(
      .setEnabled(name: "a", false), .fileLoaded(path: "one.yaml", [stub("a", 201), stub("b")]))
    var off = stub("a", 201)
    off.enabled = false
    #expect(board["a"]?.stub == off && board["a"]?.edited == true)
    board = try board.applying(
      .setEnabled(name: "a", true), .fileLoaded(path: "one.yaml", [stub("a", 202), stub("b")]))
    #expect(board["a"]?.stub == stub("a", 202) && board["a"]?.edited == false)
    // Switched off there, too.
    off = stub("a", 203)
    off.enabled = false
    board = try board.applying(.setEnabled(name: "a", false), .fileLoaded(path: "one.yaml", [off, stub("b")]))
    #expect(board["a"]?.stub == off && board["a"]?.edited == false)
    board = try loaded.applying(.setEnabled(name: "a", false), .fileLoaded(path: "one.yaml", [stub("b")]))
    #expect(board.names == ["b", "c"])
  }

  @Test func goneFromTheFile() throws {
    var board = try loaded.applying(
      .replace(name: "a", with: stub("a", 500)), .fileLoaded(path: "one.yaml", []))
    #expect(board.names == ["a", "c"])
    #expect(board["a"]?.edited == true)
    #expect(board["a"]?.baseline == nil)
    board = try board.applying(.fileForgotten(path: "two.yaml"))
    #expect(board.names == ["a"])
  }

  @Test func removedStubsStayRemovedUntilBroughtBack() throws {
    var board = try loaded.applying(
      .remove(name: "a"), .fileLoaded(path: "one.yaml", [stub("a", 201), stub("b")]))
    #expect(board.names == ["b", "c"])
    board = try board.applying(.revert(name: "a"))
    #expect(board["a"]?.stub == stub("a", 201))
    board = try loaded.applying(.remove(name: "a"), .fileLoaded(path: "one.yaml", [stub("b")]))
    #expect(board.removed.isEmpty)
  }

  @Test func renamedStubsFollowTheirBaseline() throws {
    let board = try loaded.applying(
      .replace(name: "a", with: stub("z")), .fileLoaded(path: "one.yaml", [stub("a", 201), stub("b")]))
    #expect(board.names == ["z", "b", "c"])
    #expect(board["z"]?.baseline == stub("a", 201))
    #expect(try board.applying(.revert(name: "z")).names == ["a", "b", "c"])
  }

  @Test func namesAreUnique() throws {
    #expect(throws: StubError("The name `a` is taken by another stub; `a 2` is free.")) {
      try loaded.apply(.add(stub("a"), at: nil))
    }
    #expect(throws: StubError.self) { try loaded.apply(.replace(name: "a", with: stub("b"))) }
    #expect(throws: StubError.self) { try loaded.apply(.fileLoaded(path: "two.yaml", [stub("a")])) }
    #expect(throws: StubError("There is no stub named `mantenance`.")) { try loaded.apply(.remove(name: "mantenance")) }
    #expect(throws: StubError.self) { try loaded.apply(.add(stub(" "), at: nil)) }
  }

  @Test func aNearNameIsProposed() throws {
    let board = try loaded.applying(.add(stub("maintenance"), at: nil))
    #expect(throws: StubError("There is no stub named `mantenance`; did you mean `maintenance`?")) {
      try board.apply(.remove(name: "mantenance"))
    }
  }

  @Test func freeNames() throws {
    let board = try StubBoard().applying(
      .add(stub("x"), at: nil), .add(stub("x 2"), at: nil), .add(stub("v1"), at: nil))
    #expect(board.freeName("x") == "x 3")
    #expect(board.freeName("x 2") == "x 3")
    #expect(board.freeName("v1") == "v1 2")
    #expect(board.freeName("y") == "y")
    #expect(board.freeName("") == "stub")
    #expect(board.freeName("x", besides: ["x"]) == "x")
    #expect(StubBoard.freeName("x (demo 1)", taken: ["x (demo 1)", "x (demo 1) 2"]) == "x (demo 1) 3")
  }

  @Test func aRemovedStubKeepsItsNameToComeBackTo() throws {
    let board = try loaded.applying(.remove(name: "a"))
    #expect(board.freeName("a") == "a 2")
    #expect(board.freeName("a", besides: ["a"]) == "a 2")
  }

  @Test func movingIsKeptWhenFilesAreReadAgain() throws {
    var board = try loaded.applying(.move(name: "c", to: 0))
    #expect(board.names == ["c", "a", "b"])
    board = try board.applying(.fileLoaded(path: "one.yaml", [stub("a"), stub("n"), stub("b")]))
    #expect(board.names == ["c", "a", "n", "b"])
    #expect(try board.applying(.resetOrder).names == ["a", "n", "b", "c"])
  }

  @Test func madeOnScreenThenWrittenToAFile() throws {
    let board = try loaded.applying(
      .add(stub("mine"), at: nil), .fileLoaded(path: "two.yaml", [stub("c"), stub("mine")]))
    #expect(board.names == ["a", "b", "c", "mine"])
    #expect(board["mine"]?.origin == .file("two.yaml"))
    #expect(board["mine"]?.edited == false)
  }

  @Test func stubsInCodeAreSwitchedOffOrOverridden() throws {
    var board = loaded
    board.entries.insert(
      StubBoard.Entry(stub: stub("coded"), origin: .code("demo 1"), baseline: stub("coded")), at: 0)
    #expect(throws: StubError.self) { try board.apply(.remove(name: "coded")) }
    #expect(throws: StubError.self) { try board.apply(.move(name: "coded", to: 0)) }
    let off = try board.apply(.setEnabled(name: "coded", false))
    #expect(off["coded"]?.isOverride == false)
    let other = try board.apply(.replace(name: "coded", with: stub("coded", 500)))
    #expect(other["coded"]?.isOverride == true && other.stubs.first == stub("coded", 500))
    #expect(other["coded"]?.edited == true)
  }

  @Test func travelsAsJSON() throws {
    let board = try loaded.applying(
      .replace(name: "a", with: stub("a", 500)), .remove(name: "b"), .move(name: "c", to: 0))
    let back = try StubBoard(json: JSONValue(parsing: board.json.compact))
    #expect(back == board)
    let edits: [StubEdit] = [
      .add(stub("n"), at: 1), .add(stub("n"), at: nil), .replace(name: "a", with: stub("b")), .remove(name: "a"),
      .move(name: "a", to: 2), .setEnabled(name: "a", false), .setAllEnabled(true), .setPaused(true),
      .setSetPaused(.file("p"), true), .setSetPaused(.console, false),
      .revert(name: "a"), .revertAll,
      .resetOrder, .fileLoaded(path: "p", [stub("q")]), .fileForgotten(path: "p"), .restore(board),
    ]
    for edit in edits {
      #expect(try StubEdit(json: JSONValue(parsing: edit.json.compact)) == edit)
    }
    #expect(throws: StubError("`dance` is no change of the stubs.")) { try StubEdit(json: ["edit": "dance"]) }
  }

  @Test func pausedTheyKeepTheirSwitchesAndThoseOfCodeStay() throws {
    let coded = StubBoard.Entry(stub: stub("coded"), origin: .code("demo (7)"), baseline: stub("coded"))
    var board = try loaded.applying(.setEnabled(name: "b", false))
    board.entries.append(coded)
    let paused = try board.applying(.setPaused(true))
    #expect(paused.revision == board.revision + 1 && paused.entries == board.entries)
    #expect(paused.stubsInForce.filter(\.enabled).map(\.name) == ["coded"])
    #expect(paused.stubsInForce.map(\.name) == board.stubs.map(\.name))
    #expect(try paused.applying(.setPaused(true)) == paused)
    #expect(try StubBoard(json: JSONValue(parsing: paused.json.compact)) == paused)
    let back = try paused.applying(.setPaused(false))
    #expect(back.stubsInForce == board.stubs && !back.isPaused)
  }

  @Test func aPausedSetKeepsItsSwitchesAndGoesWithItsFile() throws {
    let board = try loaded.applying(.setEnabled(name: "b", false)).applying(.add(stub("made"), at: nil))
    let path = "one.yaml"
    #expect(board.sets == [.console, .file(path), .file("two.yaml")])
    let paused = try board.applying(.setSetPaused(.file(path), true))
    #expect(paused.entries == board.entries && paused.stubsInForce.filter(\.enabled).map(\.name) == ["made", "c"])
    #expect(paused.entries.filter(paused.isPaused).map(\.stub.name) == ["a", "b"])
    #expect(try StubBoard(json: JSONValue(parsing: paused.json.compact)) == paused)
    #expect(try paused.applying(.setSetPaused(.file(path), false)).stubsInForce == board.stubs)
    let other = try paused.applying(.setSetPaused(.console, true))
    #expect(other.stubsInForce.filter(\.enabled).map(\.name) == ["c"])
    #expect(try other.applying(.fileForgotten(path: path)).pausedSets == [.console])
    let removed = try board.applying(.remove(name: "a"))
    #expect(removed.removed.map(\.stub.name) == ["a"])
    #expect(try removed.applying(.fileForgotten(path: path)).removed.isEmpty)
    #expect(throws: StubError("There is no stub of that set.")) { try board.apply(.setSetPaused(.file("no"), true)) }
  }

  @Test func amongThousandsTheOneThatTakesAllIsFound() {
    var stubs = (0..<1_000).map { number in
      Stub(name: "\(number)", when: RequestPattern(methods: ["M\(number)"]), then: stub("x").then)
    }
    // Of those that take a part of all requests no more are compared than can be in a short time.
    stubs[500].when.methods = ["M499"]
    stubs[900].when.methods = ["M899"]
    stubs += [stub("all"), Stub(name: "late", when: RequestPattern(path: .glob("/late")), then: stub("x").then)]
    #expect(ShadowCheck.findings(stubs) == [.init(index: 500, by: 499), .init(index: 1_001, by: 1_000)])
  }
}
