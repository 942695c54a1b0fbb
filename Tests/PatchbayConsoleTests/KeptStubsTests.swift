import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct KeptStubsTests {
  private func stub(_ name: String, _ status: Int = 200, enabled: Bool = true) -> Stub {
    Stub(name: name, enabled: enabled, then: .respond(CannedResponse(status: status)))
  }

  private var file: StubBoard {
    StubBoard(
      revision: 2,
      entries: ["a", "b", "c"].map { .init(stub: stub($0), origin: .file("/s.yaml"), baseline: stub($0)) })
  }

  private func kept(draft: KeptDraft? = nil) throws -> KeptStubs {
    let board = try [
      StubEdit.setEnabled(name: "a", false), .remove(name: "b"), .add(stub("mine", 418), at: 0),
    ].reduce(file) { try $0.apply($1) }
    return KeptStubs(id: "k", savedAt: Timestamp(microseconds: 0), board: board, draft: draft)
  }

  private func driver() -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.board = file
    driver.send(.board(file, by: nil))
    return driver
  }

  @Test func whatAnEarlierConsoleLeftIsOfferedAndNotBroughtBackSilently() throws {
    var driver = driver()
    driver.send(.kept(try kept()))
    #expect(driver.shows("• mine"))
    #expect(driver.board == file)
    driver.press("2")
    #expect(driver.board == file)
    #expect(driver.shows("B brings back 3"))
    #expect(!driver.effects.contains(.dropKept(id: "k")))
    driver.press("B B")
    #expect(driver.board.entries.map(\.stub.name) == ["mine", "a", "c"])
    #expect(driver.board["a"]?.stub.enabled == false)
    #expect(driver.board["a"]?.edited == true)
    #expect(driver.effects.contains(.dropKept(id: "k")))
    driver.press("u")
    #expect(driver.board.entries.map(\.stub.name) == ["a", "b", "c"])
    #expect(driver.board["a"]?.stub.enabled == true)
  }

  /// Else they would be gone with the console in which it was undone.
  @Test(arguments: ["B", "D"]) func theDecisionUndoneTheyAreOfferedAgainAndKept(_ key: String) throws {
    var driver = driver()
    let left = try kept()
    let next = KeptStubs(
      id: "n", savedAt: Timestamp(microseconds: 0), board: try file.apply(.add(stub("other"), at: 0)))
    func lastOfThem() -> ConsoleEffect? {
      driver.effects.last { if case .keepAgain = $0 { true } else { $0 == .dropKept(id: "k") } }
    }
    driver.send(.kept(left))
    driver.press(key)
    driver.send(.kept(next))
    driver.press("2")
    for _ in 0..<2 {
      driver.press("u")
      #expect(driver.board.stubs == file.stubs)
      #expect(lastOfThem() == .keepAgain(left))
      #expect(driver.shows("B brings back 3 "), "\(driver.screen)")
      driver.press("ctrl-r")
      #expect(lastOfThem() == .dropKept(id: "k"))
      #expect(driver.shows("B brings back 1 "), "\(driver.screen)")
      #expect(driver.board.entries.map(\.stub.name) == (key == "B" ? ["mine", "a", "c"] : ["a", "b", "c"]))
    }
    driver.press("u B D")
    #expect(lastOfThem() == .dropKept(id: "k") && driver.board.stubs == file.stubs)
    #expect(driver.state.stubs.kept == [next])
  }

  @Test func thrownAwayOnlyWhenAsked() throws {
    var driver = driver()
    driver.send(.kept(try kept()))
    driver.press("D")
    #expect(driver.board == file)
    #expect(driver.effects.last == .dropKept(id: "k"))
    driver.press("u")
    #expect(driver.board == file, "offered again, not in force without the person's word")
  }

  @Test func whatIsThereAlreadyIsNotOffered() throws {
    var driver = ConsoleDriver()
    let left = try kept()
    driver.board = left.board
    driver.send(.board(left.board, by: nil))
    driver.send(.kept(left))
    #expect(driver.state.boxes.isEmpty)
    #expect(driver.effects.last == .dropKept(id: "k"))
  }

  @Test func theFormThatWasOpenComesBackToo() throws {
    var driver = driver()
    driver.send(.kept(try kept(draft: KeptDraft(base: "c", stub: stub("c", 503)))))
    driver.press("B")
    #expect(driver.board["c"]?.stub.then.response?.status == 503)
  }

  @Test func aFormBelowAPromptIsKeptTooWhenItsTimeComes() {
    var driver = driver()
    driver.press("2 e")
    guard var form = driver.state.boxes.last as? StubForm else { return #expect(Bool(false), "no form") }
    form.form.focus("status")
    driver.replaceTop(with: form)
    driver.press("ctrl-u")
    driver.type("404")
    driver.press("ctrl-g")
    #expect(driver.state.boxes.last is Prompt && driver.state.boxes.count == 2)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 1_000_000)
    driver.send(.tick)
    #expect(driver.effects.last == .keepDraft(KeptDraft(base: "a", stub: stub("a", 404))))
    #expect(driver.state.boxes.last is Prompt, "the prompt stays")
  }

  @Test func aFormThatIsOpenIsKeptAMomentAfterTyping() {
    var driver = driver()
    driver.press("2 e")
    guard var form = driver.state.boxes.last as? StubForm else { return #expect(Bool(false), "no form") }
    form.form.focus("status")
    driver.replaceTop(with: form)
    driver.press("ctrl-u")
    driver.type("404")
    #expect(driver.state.nextTick != nil)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 1_000_000)
    driver.send(.tick)
    #expect(driver.effects.last == .keepDraft(KeptDraft(base: "a", stub: stub("a", 404))))
    driver.press("esc d")
    #expect(driver.effects.last == .keepDraft(nil))
  }

  @Test func aDraftThatRenamesAStubIsNotCountedTwice() {
    let board = StubBoard(entries: [.init(stub: Stub(name: "a", then: .hold(.request)), origin: .console)])
    let draft = KeptDraft(base: "a", stub: Stub(name: "b", then: .hold(.request)))
    let kept = KeptStubs(id: "x", savedAt: Timestamp(microseconds: 1), board: board, draft: draft)
    #expect(kept.names == ["a"])
    #expect(KeptStubs(id: "x", savedAt: kept.savedAt, board: StubBoard(), draft: draft).names == ["b"])
  }

  /// Whether anything would be gone with the console: the order, what was taken away, or one stub alone.
  @Test func oneThingThatNoFileHasIsEnough() {
    let inFile = StubBoard.Entry(stub: stub("a"), origin: .file("/s.yaml"), baseline: stub("a"))
    #expect(!StubBoard().isUnwritten && !StubBoard(entries: [inFile]).isUnwritten && !inFile.isUnwritten)
    var edited = inFile
    edited.edited = true
    #expect(edited.isUnwritten && StubBoard(entries: [inFile, edited]).isUnwritten)
    let here = StubBoard.Entry(stub: stub("b"), origin: .console)
    #expect(here.isUnwritten && StubBoard(entries: [here, inFile]).isUnwritten)
    var board = StubBoard(entries: [inFile])
    board.isOrderEdited = true
    #expect(board.isUnwritten)
    board.isOrderEdited = false
    board.removed = [inFile]
    #expect(board.isUnwritten)
  }

  // MARK: What is kept

  /// The stub of the form counts where it is not among the others.
  @Test(
    arguments: [
      (nil, "new", ["z", "new"]), (nil, "z", ["z"]), ("z", "renamed", ["z"]), ("gone", "z", ["z"]),
      ("a", "a", ["z", "a"]),
    ] as [(String?, String, [String])])
  func theStubOfTheFormIsNamedOnce(_ base: String?, _ name: String, _ names: [String]) {
    let entries: [StubBoard.Entry] = [
      .init(stub: stub("z"), origin: .console), .init(stub: stub("a"), origin: .file("/s.yaml"), baseline: stub("a")),
    ]
    let kept = KeptStubs(
      id: "x", savedAt: Timestamp(microseconds: 1), board: StubBoard(entries: entries),
      draft: KeptDraft(base: base, stub: stub(name)))
    #expect(kept.names == names)
  }

  @Test func theOrderComesBackOnlyWhereItWasChangedThere() throws {
    func edits(_ left: StubBoard, on board: StubBoard) -> [StubEdit] {
      KeptStubs(id: "x", savedAt: Timestamp(microseconds: 1), board: left).edits(on: board)
    }
    let moved = try file.apply(.move(name: "c", to: 0))
    let switched = try file.apply(.setEnabled(name: "a", false))
    #expect(edits(moved, on: file) == [.move(name: "c", to: 0)])
    #expect(edits(moved, on: moved).isEmpty && edits(file, on: moved).isEmpty)
    #expect(edits(switched, on: moved) == [.replace(name: "a", with: stub("a", enabled: false))])
  }

  @Test(
    arguments: [
      (nil, "new", StubEdit.add(Stub(name: "new", then: .hold(.both)), at: 0)),
      ("gone", "new", .add(Stub(name: "new", then: .hold(.both)), at: 0)),
      ("c", "new", .replace(name: "c", with: Stub(name: "new", then: .hold(.both)))),
      ("gone", "c", .replace(name: "c", with: Stub(name: "c", then: .hold(.both)))),
    ] as [(String?, String, StubEdit)])
  func theStubOfTheFormComesBackInItsPlaceOrOnTop(_ base: String?, _ name: String, _ edit: StubEdit) {
    let draft = KeptDraft(base: base, stub: Stub(name: name, then: .hold(.both)))
    let kept = KeptStubs(id: "x", savedAt: Timestamp(microseconds: 1), board: StubBoard(), draft: draft)
    #expect(kept.edits(on: file) == [edit])
  }

  // MARK: The offer

  private func offer(_ driver: ConsoleDriver) -> Menu<[Outcome]>? { (driver.state.boxes.last as? MenuBox)?.menu }

  @Test(arguments: [(1, nil), (5, nil), (6, "and 1 more"), (8, "and 3 more")] as [(Int, String?)])
  func theOfferNamesFiveAtMost(_ count: Int, _ rest: String?) throws {
    var driver = ConsoleDriver()
    let entries = (1...count).map { StubBoard.Entry(stub: stub("mine \($0)"), origin: .console) }
    driver.send(.kept(KeptStubs(id: "k", savedAt: Timestamp(microseconds: 0), board: StubBoard(entries: entries))))
    let menu = try #require(offer(driver))
    let names = (1...min(5, count)).map { "• mine \($0)" }
    #expect(Array(menu.text.dropFirst()) == names + [rest].compactMap(\.self))
    #expect(menu.isOffer && menu.note == "any other key: later, with B on the Stubs screen")
  }

  @Test func theOfferWaitsForWhatIsOpenAndTakesThePlaceOfAnotherOffer() throws {
    var driver = driver()
    driver.press("?")
    driver.send(.kept(try kept()))
    #expect(driver.state.boxes.count == 1 && driver.state.boxes.last is HelpBox)
    driver.press("esc 2 B")
    #expect(driver.state.boxes.count == 1 && offer(driver)?.title == "Stubs of an earlier console")
    var other = self.driver()
    other.add([.make(7, "GET", "https://api.example.com/v1/users/42")])
    other.press("s")
    #expect(other.state.boxes.last is StubOffer)
    other.send(.kept(try kept()))
    #expect(other.state.boxes.count == 1 && offer(other)?.title == "Stubs of an earlier console")
  }

  @Test func whatSomebodyBroughtBackMeanwhileIsNoStepToUndo() throws {
    var driver = driver()
    let left = try kept()
    driver.send(.kept(left))
    driver.board = left.board
    driver.send(.board(left.board, by: "a script"))
    driver.press("B")
    let notice = Notice(.good, "Brought back 3 stubs of an earlier console.")
    #expect(driver.state.toast == Toast(notice, undoable: false, isAboutHeld: false, at: driver.now))
    #expect(driver.state.log.steps.isEmpty && driver.effects.contains(.dropKept(id: "k")))
    #expect(driver.board == left.board && driver.state.stubs.kept.isEmpty)
  }

  @Test func whatIsKeptIsSaidBeforeWhatOnlyExplains() throws {
    var driver = driver()
    driver.send(.kept(try kept()))
    driver.press("2")
    #expect(driver.lines[1].hasPrefix(" B brings back 3 of an earlier console.  First match wins."))
  }
}
