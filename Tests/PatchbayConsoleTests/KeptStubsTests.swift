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

  private func kept(draft: StubDraft? = nil) throws -> KeptStubs {
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

  @Test func thrownAwayOnlyWhenAsked() throws {
    var driver = driver()
    driver.send(.kept(try kept()))
    driver.press("D")
    #expect(driver.board == file)
    #expect(driver.effects.last == .dropKept(id: "k"))
    driver.press("u")
    #expect(driver.board.entries.map(\.stub.name) == ["mine", "a", "c"])
    driver.press("ctrl-r")
    #expect(driver.board.entries.map(\.stub.name) == ["a", "b", "c"])
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
    driver.send(.kept(try kept(draft: StubDraft(base: "c", stub: stub("c", 503)))))
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
    #expect(driver.effects.last == .keepDraft(StubDraft(base: "a", stub: stub("a", 404))))
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
    #expect(driver.effects.last == .keepDraft(StubDraft(base: "a", stub: stub("a", 404))))
    driver.press("esc d")
    #expect(driver.effects.last == .keepDraft(nil))
  }

  @Test func aDraftThatRenamesAStubIsNotCountedTwice() {
    let board = StubBoard(entries: [.init(stub: Stub(name: "a", then: .hold(.request)), origin: .console)])
    let draft = StubDraft(base: "a", stub: Stub(name: "b", then: .hold(.request)))
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
}
