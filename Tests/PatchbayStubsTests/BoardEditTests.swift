import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

private func stub(_ name: String, _ status: Int = 200) -> Stub {
  Stub(name: name, then: .respond(CannedResponse(status: status)))
}

private typealias Entry = StubBoard.Entry

/// What each change leaves of the board, as a whole; what it is called; and how it travels.
@Suite(.bounded) struct BoardEditTests {
  private static let one = StubBoard.Origin.file("one.yaml")
  private static let two = StubBoard.Origin.file("two.yaml")

  private static func entry(_ name: String, _ origin: StubBoard.Origin = one, _ status: Int = 200) -> Entry {
    Entry(stub: stub(name, status), origin: origin, baseline: stub(name, status))
  }

  private let loaded: StubBoard

  init() throws {
    loaded = try StubBoard().apply(.fileLoaded(path: "one.yaml", [stub("a"), stub("b")]))
      .apply(.fileLoaded(path: "two.yaml", [stub("c")]))
  }

  private func after(_ edits: StubEdit...) throws -> StubBoard { try edits.reduce(loaded) { try $0.apply($1) } }

  /// What was moved and moved back is in its file's order again, which the file may change.
  @Test func anOrderThatWasPutBackIsTheFilesAgain() throws {
    func names(_ board: StubBoard) -> String { board.stubs.map(\.name).joined() }
    let moved = try after(.move(name: "a", to: 1))
    #expect(names(moved) == "bac" && moved.isOrderEdited)
    let back = try moved.apply(.move(name: "a", to: 0))
    #expect(names(back) == "abc" && !back.isOrderEdited)
    #expect(names(try back.apply(.fileLoaded(path: "one.yaml", [stub("b"), stub("a")]))) == "bac")
    #expect(
      names(try moved.apply(.fileLoaded(path: "one.yaml", [stub("a"), stub("b")]))) == "bac", "it stays as moved")
    // So is one that was deleted and brought back.
    let gone = try after(.remove(name: "b"), .revert(name: "b"))
    #expect(names(gone) == "bac" || names(gone) == "abc")
    #expect(try !gone.apply(.move(name: "b", to: 1)).isOrderEdited)
    let saved = try StubBoard(json: moved.json)
    #expect(saved == moved && (try !saved.apply(.move(name: "a", to: 0)).isOrderEdited))
  }

  /// `after` with a stub of code on top.
  private func withCode(_ edits: StubEdit...) throws -> StubBoard {
    var board = loaded
    board.entries.insert(Self.entry("coded", .code("demo 1")), at: 0)
    return try edits.reduce(board) { try $0.apply($1) }
  }

  private static func sentence(_ board: StubBoard, _ edit: StubEdit) -> String? {
    do throws(StubError) {
      _ = try board.apply(edit)
      return nil
    } catch { return error.description }
  }

  @Test func aBoardThatWasLoaded() {
    var expected = StubBoard(revision: 2, entries: [Self.entry("a"), Self.entry("b"), Self.entry("c", Self.two)])
    expected.files = ["one.yaml", "two.yaml"]
    expected.orders = ["one.yaml": ["a", "b"], "two.yaml": ["c"]]
    #expect(loaded == expected)
    #expect(loaded.sets == [Self.one, Self.two] && loaded.countOfCode == 0)
    #expect(loaded.stubs == [stub("a"), stub("b"), stub("c")] && loaded.stubsInForce == loaded.stubs)
    #expect(loaded["a"] == Self.entry("a") && loaded["x"] == nil)
  }

  @Test func adding() throws {
    let new = Entry(stub: stub("n"), origin: .console)
    for (index, place, isEdited) in [
      (nil, 0, false), (0, 0, false), (-5, 0, false), (1, 1, true), (2, 2, true), (3, 3, true), (99, 3, true),
    ] as [(Int?, Int, Bool)] {
      let board = try after(.add(stub("n"), at: index))
      #expect(board.entries.firstIndex(of: new) == place && board.isOrderEdited == isEdited && board.revision == 3)
      let coded = try withCode(.add(stub("n"), at: index))
      #expect(coded.entries.firstIndex(of: new) == min(max(index ?? 1, 1), 4))
      #expect(coded.isOrderEdited == (coded.entries.firstIndex(of: new) != 1))
    }
    // One of code gives way to it.
    let over = try withCode(.add(stub("coded", 500), at: nil))
    #expect(over.entries == [Entry(stub: stub("coded", 500), origin: .console)] + loaded.entries)
  }

  @Test func moving() throws {
    func names(_ board: StubBoard) -> String { board.entries.map(\.stub.name).joined() }
    for (index, order) in [(-1, "cab"), (0, "cab"), (1, "acb"), (2, "abc"), (9, "abc")] {
      let board = try after(.move(name: "c", to: index))
      #expect(names(board) == order && board.isOrderEdited == (order != "abc"))
      #expect(board.revision == (order == "abc" ? 2 : 3))
    }
    #expect(names(try after(.move(name: "a", to: 1))) == "bac" && names(try after(.move(name: "a", to: 99))) == "bca")
    let coded = try withCode(.move(name: "b", to: 0))
    #expect(names(coded) == "codedbac" && coded.isOrderEdited)
    #expect(names(try withCode(.move(name: "a", to: 0))) == "codedabc")
    #expect(try !withCode(.move(name: "a", to: 0)).isOrderEdited)
    let back = try after(.move(name: "c", to: 0), .resetOrder)
    #expect(names(back) == "abc" && !back.isOrderEdited && back.revision == 4)
  }

  @Test func switchingAndReplacing() throws {
    var off = stub("b")
    off.enabled = false
    var board = try after(.setEnabled(name: "b", false))
    #expect(board.entries[1] == Entry(stub: off, origin: Self.one, edited: true, baseline: stub("b")))
    #expect(!board.entries[1].isContentEdited && !board.entries[1].isOverride)
    board = try board.apply(.setEnabled(name: "b", true))
    #expect(board.entries == loaded.entries && board.revision == 4)
    board = try after(.setAllEnabled(false))
    #expect(board.entries.map(\.stub.enabled) == [false, false, false] && board.entries.allSatisfy(\.edited))
    #expect(try board.apply(.setAllEnabled(true)).entries == loaded.entries)
    board = try after(.replace(name: "b", with: stub("z", 500)))
    #expect(board.entries[1] == Entry(stub: stub("z", 500), origin: Self.one, edited: true, baseline: stub("b")))
    #expect(board.entries[1].isContentEdited && !board.entries[1].isOverride)
    #expect(try board.apply(.replace(name: "z", with: stub("b"))).entries == loaded.entries)
    // One made here has nothing to be measured by.
    board = try after(.add(stub("n"), at: nil), .setEnabled(name: "n", false), .replace(name: "n", with: stub("m")))
    #expect(board.entries[0] == Entry(stub: stub("m"), origin: .console) && !board.entries[0].isContentEdited)
    board = try withCode(.replace(name: "coded", with: stub("coded", 500)))
    #expect(board.entries[0].isOverride && board.entries[0].isContentEdited && board.entries[0].edited)
    var switched = board
    switched.entries[0].stub.enabled = false
    #expect(switched.entries[0].isOverride)
    let only = try withCode(.setEnabled(name: "coded", false))
    #expect(!only.entries[0].isOverride && only.entries[0].edited && !only.entries[0].isContentEdited)
  }

  @Test func removingAndReverting() throws {
    var board = try after(.remove(name: "a"))
    #expect(board.entries.map(\.id) == ["b", "c"] && board.removed == [Self.entry("a")])
    #expect(try board.apply(.revert(name: "a")).entries == loaded.entries)
    #expect(try board.apply(.revert(name: "a")).removed.isEmpty)
    board = try after(.add(stub("n"), at: nil), .remove(name: "n"))
    #expect(board.entries == loaded.entries && board.removed.isEmpty && board.revision == 4)
    // It comes back as the file has it, at the beginning of its file.
    board = try after(.replace(name: "b", with: stub("z", 500)), .remove(name: "z"), .revert(name: "z"))
    #expect(board.entries == [Self.entry("b"), Self.entry("a"), Self.entry("c", Self.two)] && board.removed.isEmpty)
    board = try after(.replace(name: "b", with: stub("b", 500)), .revert(name: "b"))
    #expect(board.entries == loaded.entries)
    board = try after(
      .replace(name: "b", with: stub("y")), .remove(name: "a"), .setEnabled(name: "c", false), .add(stub("n"), at: nil))
    board = try board.apply(.revertAll)
    #expect(board.entries == [Entry(stub: stub("n"), origin: .console)] + loaded.entries && board.removed.isEmpty)
    #expect(try after(.revertAll) == loaded)
    board = try withCode(.replace(name: "coded", with: stub("coded", 500)), .revert(name: "coded"))
    #expect(board.entries[0] == Self.entry("coded", .code("demo 1")))
  }

  @Test func whatCannotBeDoneIsSaid() throws {
    #expect(Self.sentence(loaded, .add(stub("b"), at: nil)) == "The name `b` is taken by another stub; `b 2` is free.")
    #expect(Self.sentence(loaded, .add(stub(" \t"), at: nil)) == "A stub needs a name that is not empty.")
    #expect(
      Self.sentence(loaded, .replace(name: "a", with: stub("b")))
        == "The name `b` is taken by another stub; `b 2` is free.")
    #expect(Self.sentence(loaded, .replace(name: "a", with: stub(""))) == "A stub needs a name that is not empty.")
    #expect(Self.sentence(loaded, .replace(name: "a", with: stub("a", 1))) == nil)
    for edit in [
      StubEdit.replace(name: "bb", with: stub("x")), .remove(name: "bb"), .move(name: "bb", to: 0),
      .setEnabled(name: "bb", true), .revert(name: "bb"),
    ] {
      #expect(Self.sentence(loaded, edit) == "There is no stub named `bb`; did you mean `b`?")
    }
    #expect(Self.sentence(loaded, .remove(name: "longer")) == "There is no stub named `longer`.")
    #expect(Self.sentence(loaded, .setSetPaused(.console, true)) == "There is no stub of that set.")
    let coded = try withCode()
    #expect(
      Self.sentence(coded, .replace(name: "coded", with: stub("x")))
        == "The stub `coded` is declared in code; its name cannot be changed here.")
    #expect(
      Self.sentence(coded, .remove(name: "coded"))
        == "The stub `coded` is declared in the code of demo 1; switch it off instead.")
    #expect(
      Self.sentence(coded, .move(name: "coded", to: 2))
        == "The stub `coded` is declared in the code of demo 1; stubs of code come first.")
    #expect(Self.sentence(coded, .replace(name: "a", with: stub("coded"))) == nil, "one of code gives way")
    #expect(
      Self.sentence(try after(.add(stub("n"), at: nil)), .revert(name: "n"))
        == "The stub `n` was made here; there is no file to go back to.")
    #expect(
      Self.sentence(try after(.remove(name: "a"), .add(stub("a"), at: nil)), .revert(name: "a"))
        == "The name `a` is taken by another stub; `a 2` is free.")
    #expect(
      Self.sentence(
        try after(.replace(name: "a", with: stub("z")), .add(stub("a"), at: nil)), .revert(name: "z"))
        == "The name `a` is taken by another stub; `a 2` is free.")
    #expect(
      Self.sentence(loaded, .fileLoaded(path: "two.yaml", [stub("a")]))
        == "The name `a` is taken by a stub of one.yaml.")
  }

  @Test func filesThatAreReadAgain() throws {
    func names(_ board: StubBoard) -> [String] { board.entries.map(\.stub.name) }
    // New ones stand where the file has them, also where the order was edited.
    var board = try after(.fileLoaded(path: "one.yaml", [stub("x"), stub("a"), stub("y"), stub("b"), stub("z")]))
    #expect(names(board) == ["x", "a", "y", "b", "z", "c"] && board.entries.allSatisfy { !$0.edited })
    board = try after(
      .move(name: "c", to: 0), .fileLoaded(path: "one.yaml", [stub("x"), stub("a"), stub("y"), stub("b"), stub("z")]))
    #expect(names(board) == ["c", "x", "a", "y", "b", "z"])
    // Two of a name and one that was made here and is written now.
    board = try after(.add(stub("m", 201), at: nil), .fileLoaded(path: "two.yaml", [stub("c"), stub("m")]))
    #expect(
      board.entries.last == Entry(stub: stub("m", 201), origin: Self.two, edited: true, baseline: stub("m")))
    #expect(names(board) == ["a", "b", "c", "m"])
    // One of code gives way to it.
    var coded = loaded
    coded.entries.insert(Self.entry("n", .code("demo 1"), 500), at: 0)
    board = try coded.apply(.fileLoaded(path: "two.yaml", [stub("n"), stub("c")]))
    #expect(names(board) == ["a", "b", "n", "c"] && board["n"] == Self.entry("n", Self.two))
    // A file in front of others is one more at the end.
    board = try after(.fileLoaded(path: "three.yaml", [stub("d")]))
    #expect(names(board) == ["a", "b", "c", "d"] && board.files == ["one.yaml", "two.yaml", "three.yaml"])
    #expect(try board.apply(.fileLoaded(path: "three.yaml", [])).files == board.files)
    // One that was removed follows its file, and goes when it goes there.
    board = try after(
      .replace(name: "a", with: stub("z")), .remove(name: "z"),
      .fileLoaded(path: "one.yaml", [stub("b"), stub("a", 7)]))
    #expect(
      names(board) == ["b", "c"] && board.removed.map(\.baseline) == [stub("a", 7)] && board.removed.map(\.id) == ["z"])
    board = try board.apply(.fileLoaded(path: "one.yaml", [stub("b")]))
    #expect(board.removed.isEmpty)
    // The removed ones of other files stay.
    board = try after(.remove(name: "c"), .fileLoaded(path: "one.yaml", []))
    #expect(names(board) == [] && board.removed == [Self.entry("c", Self.two)])
    // Of a file that is forgotten nothing stays, edited or removed; and its pause with it.
    board = try after(
      .replace(name: "a", with: stub("a", 500)), .remove(name: "b"), .remove(name: "c"), .setSetPaused(Self.one, true),
      .fileForgotten(path: "one.yaml"))
    #expect(
      board.entries.isEmpty && board.removed == [Self.entry("c", Self.two)] && board.files == ["two.yaml"]
        && board.pausedSets.isEmpty)
  }

  /// They live on, however often the file is read; what is new in it comes before them.
  @Test func editedStubsThatLeftTheirFileKeepTheirOrder() throws {
    var board = try after(
      .replace(name: "a", with: stub("a", 500)), .replace(name: "b", with: stub("b", 500)),
      .fileLoaded(path: "one.yaml", []))
    let expected = ["a", "b"].map { Entry(stub: stub($0, 500), origin: Self.one, edited: true) }
    #expect(board.entries == expected + [Self.entry("c", Self.two)])
    #expect(try board.apply(.fileLoaded(path: "one.yaml", [])) == board)
    board = try board.apply(.fileLoaded(path: "one.yaml", [stub("n")]))
    #expect(board.entries.map(\.id) == ["n", "a", "b", "c"])
  }

  @Test func aStubThatWasRenamedAndWrittenIsOneWithItsFiles() throws {
    let board = try after(
      .replace(name: "a", with: stub("x", 500)), .fileLoaded(path: "one.yaml", [stub("x", 500), stub("b")]))
    #expect(board.entries == [Self.entry("x", Self.one, 500), Self.entry("b"), Self.entry("c", Self.two)])
  }

  /// Whichever of the two stands first in the file, and however often it is read.
  @Test(arguments: [["a", "x", "b"], ["x", "a", "b"]])
  func aStubThatWasRenamedAndIsInTheFileByBothNamesIsTwo(_ names: [String]) throws {
    var board = try after(.replace(name: "a", with: stub("x", 500)))
    let file = names.map { stub($0, $0 == "x" ? 404 : 200) }
    for _ in 1...2 {
      board = try board.apply(.fileLoaded(path: "one.yaml", file))
      #expect(board.entries.map(\.id) == names + ["c"])
      #expect(board.entries.first { $0.id == "a" }?.edited == false)
      #expect(board.entries.first { $0.id == "x" }?.stub == stub("x", 500), "it stays as it was edited")
      #expect(board.entries.first { $0.id == "x" }?.baseline == stub("x", 404))
    }
  }

  @Test func stubsOfCodeComeFirstInTheOrderOfTheFiles() throws {
    var board = try after(.add(stub("n"), at: nil))
    board.entries.append(Self.entry("coded", .code("demo 1")))
    #expect(try board.apply(.resetOrder).entries.map(\.id) == ["coded", "n", "a", "b", "c"])
  }

  /// What was accepted once is not lost over a restart.
  @Test func savedStubsComeBackWithTheirMistakes() throws {
    let bad = Stub(name: "bad", when: RequestPattern(path: .matches("(")), then: .pass(PassChanges()))
    let board = try after(.fileLoaded(path: "one.yaml", [stub("a"), stub("b"), bad]))
    #expect(try StubBoard(json: JSONValue(parsing: board.json.compact)) == board)
  }

  @Test func whatEachChangeIsCalled() {
    let rows: [(StubEdit, String)] = [
      (.add(stub("x"), at: 1), "add `x`"), (.replace(name: "x", with: stub("x")), "edit `x`"),
      (.replace(name: "x", with: stub("y")), "edit `x`, now `y`"), (.remove(name: "x"), "remove `x`"),
      (.move(name: "x", to: 1), "move `x`"), (.setEnabled(name: "x", true), "switch `x` on"),
      (.setEnabled(name: "x", false), "switch `x` off"), (.setAllEnabled(true), "switch all stubs on"),
      (.setAllEnabled(false), "switch all stubs off"), (.setPaused(true), "pause all stubs"),
      (.setPaused(false), "resume all stubs"), (.setSetPaused(.file("f"), true), "pause the stubs of f"),
      (.setSetPaused(.console, false), "resume the stubs of this console"),
      (.setSetPaused(.code("demo 1"), true), "pause the stubs of demo 1"), (.revert(name: "x"), "revert `x`"),
      (.revertAll, "revert all stubs"), (.resetOrder, "put the order of the files back"),
      (.fileLoaded(path: "f", []), "read f"), (.fileForgotten(path: "f"), "forget f"), (.restore(StubBoard()), "undo"),
    ]
    for (edit, title) in rows { #expect(edit.title == title) }
  }

  @Test func howChangesTravel() throws {
    let x = #"{"name":"x","then":{"respond":{"status":200}}}"#
    let rows: [(StubEdit, String)] = [
      (.add(stub("x"), at: 1), #"{"edit":"add","stub":\#(x),"at":1}"#),
      (.add(stub("x"), at: nil), #"{"edit":"add","stub":\#(x),"at":null}"#),
      (.replace(name: "a", with: stub("x")), #"{"edit":"replace","name":"a","stub":\#(x)}"#),
      (.remove(name: "a"), #"{"edit":"remove","name":"a"}"#),
      (.move(name: "a", to: 2), #"{"edit":"move","name":"a","to":2}"#),
      (.setEnabled(name: "a", false), #"{"edit":"setEnabled","name":"a","on":false}"#),
      (.setAllEnabled(true), #"{"edit":"setAllEnabled","on":true}"#),
      (.setPaused(true), #"{"edit":"setPaused","paused":true}"#),
      (.setSetPaused(.file("p"), true), #"{"edit":"setSetPaused","set":{"file":"p"},"paused":true}"#),
      (.setSetPaused(.console, false), #"{"edit":"setSetPaused","set":"console","paused":false}"#),
      (.setSetPaused(.code("d 1"), false), #"{"edit":"setSetPaused","set":{"code":"d 1"},"paused":false}"#),
      (.revert(name: "a"), #"{"edit":"revert","name":"a"}"#), (.revertAll, #"{"edit":"revertAll"}"#),
      (.resetOrder, #"{"edit":"resetOrder"}"#),
      (.fileLoaded(path: "p", [stub("x")]), #"{"edit":"fileLoaded","path":"p","stubs":[\#(x)]}"#),
      (.fileForgotten(path: "p"), #"{"edit":"fileForgotten","path":"p"}"#),
    ]
    for (edit, text) in rows {
      #expect(edit.json.compact == text)
      #expect(try StubEdit(json: JSONValue(parsing: text)) == edit)
    }
    let board = try after(
      .replace(name: "a", with: stub("a", 500)), .remove(name: "b"), .setSetPaused(Self.two, true), .setPaused(true))
    #expect(
      board.json.compact
        == #"{"revision":6,"files":["one.yaml","two.yaml"],"isOrderEdited":false,"isPaused":true,"pausedSets":[{"file":"two.yaml"}],"#
        + #""entries":[{"stub":{"name":"a","then":{"respond":{"status":500}}},"origin":{"file":"one.yaml"},"edited":true,"baseline":{"name":"a","then":{"respond":{"status":200}}}},"#
        + #"{"stub":{"name":"c","then":{"respond":{"status":200}}},"origin":{"file":"two.yaml"},"edited":false,"baseline":{"name":"c","then":{"respond":{"status":200}}}}],"#
        + #""removed":[{"stub":{"name":"b","then":{"respond":{"status":200}}},"origin":{"file":"one.yaml"},"edited":false,"baseline":{"name":"b","then":{"respond":{"status":200}}}}],"#
        + #""orders":{"one.yaml":["a","b"],"two.yaml":["c"]}}"#
    )
    #expect(try StubEdit(json: StubEdit.restore(board).json) == .restore(board))
    let plain =
      #"{"revision":1,"files":[],"isOrderEdited":true,"entries":[{"stub":\#(x),"origin":"console","edited":false}],"removed":[]}"#
    var expected = StubBoard(revision: 1, entries: [Entry(stub: stub("x"), origin: .console)])
    expected.isOrderEdited = true
    #expect(try StubBoard(json: JSONValue(parsing: plain)) == expected, "one that was saved before there were pauses")
  }

  @Test(
    arguments: [
      ("{}", "In the change of the stubs the member `edit` is missing."),
      ("7", "In the change of the stubs the member `edit` is missing."),
      (#"{"edit":7}"#, "In the change of the stubs the member `edit` must be a text."),
      (#"{"edit":"x"}"#, "`x` is no change of the stubs."),
      (#"{"edit":"add"}"#, "In the change of the stubs the member `stub` is missing."),
      (#"{"edit":"remove"}"#, "In the change of the stubs the member `name` is missing."),
      (#"{"edit":"move","name":"a"}"#, "In the change of the stubs the member `to` is missing."),
      (#"{"edit":"move","name":"a","to":1.5}"#, "In the change of the stubs the member `to` must be a whole number."),
      (
        #"{"edit":"setEnabled","name":"a","on":1}"#, "In the change of the stubs the member `on` must be true or false."
      ),
      (
        #"{"edit":"fileLoaded","path":"p","stubs":{}}"#, "In the change of the stubs the member `stubs` must be a list."
      ),
      (#"{"edit":"setSetPaused","set":7,"paused":true}"#, "A stub's origin must be console, a file or code."),
      (#"{"edit":"restore","board":{}}"#, "In the saved stubs the member `revision` is missing."),
      (
        #"{"edit":"restore","board":{"revision":-1}}"#,
        "In the saved stubs the member `revision` must be a whole number."
      ),
      (
        #"{"edit":"restore","board":{"revision":"1"}}"#,
        "In the saved stubs the member `revision` must be a whole number."
      ),
      (
        #"{"edit":"restore","board":{"revision":1,"files":[],"isOrderEdited":false,"entries":[{}],"removed":[]}}"#,
        "In a saved stub the member `stub` is missing."
      ),
    ] as [(String, String)])
  func whatIsNoChangeIsSaid(_ text: String, _ sentence: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: StubError.self) { try StubEdit(json: json) }
    #expect(error?.description == sentence)
  }

  @Test(
    arguments: [
      ("x", [], "x"), ("x", ["x"], "x 2"), ("x", ["x", "x 2", "x 3"], "x 4"), ("x 2", ["x 2"], "x 3"),
      ("x 9", ["x 9"], "x 2"),
      ("x9", ["x9"], "x9 2"), (" x", [], "x"), (" \t", [], "stub"), ("", ["stub"], "stub 2"), ("7", ["7"], "7 2"),
      (" 7", ["7"], "7 2"),
      ("x 12", ["x 12", "x 2"], "x 3"), ("a 1 b", ["a 1 b"], "a 1 b 2"), ("x ", ["x "], "x 2"),
    ] as [(String, Set<String>, String)])
  func aFreeName(_ wanted: String, _ taken: Set<String>, _ free: String) {
    #expect(StubBoard.freeName(wanted, taken: taken) == free)
  }

  @Test func aNameIsFreeOnlyWhereNoStubComesBackToIt() throws {
    let board = try after(.remove(name: "a"), .replace(name: "b", with: stub("z")))
    #expect(board.freeName("a") == "a 2" && board.freeName("z") == "z 2" && board.freeName("z", besides: ["z"]) == "z")
    #expect(board.freeName("b") == "b" && board.freeName("q") == "q")
  }
}
