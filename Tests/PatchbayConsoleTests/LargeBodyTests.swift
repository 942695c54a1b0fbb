import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Bodies up to 1 MiB are edited in the form, larger ones in the person's own editor.
@Suite(.bounded) struct LargeBodyTests {
  private static let item = #"{"id":1,"name":"山田 太郎","tags":["a","b"]},"#

  /// A form whose body has as many items in one line, with the keys in it: 16,000 are 0.8 MB, 40,000 are 2 MB.
  private func driver(_ count: Int) -> ConsoleDriver {
    var driver = ConsoleDriver()
    let json = "[" + String(repeating: Self.item, count: count) + "0]"
    driver.add([.make(1, body: json)])
    driver.press("s e")
    guard var form = driver.state.boxes.last as? StubForm else { return driver }
    form.form.focus("body")
    driver.replaceTop(with: form)
    return driver
  }

  private func form(_ driver: ConsoleDriver) -> StubForm? {
    driver.state.boxes.last as? StubForm
  }

  private func job(_ driver: ConsoleDriver) throws -> (token: Int, text: String) {
    guard case .openEditor(let job)? = driver.effects.last, case .text(let text, _) = job.content else {
      throw FormProblem("no editor")
    }
    return (job.token, text)
  }

  // MARK: Above the limit

  @Test func ofALargeBodyTheSizeIsSeenAndTheKeyThatOpensIt() throws {
    var driver = driver(40_000)
    #expect(driver.shows("MB: too large to be edited here. ctrl-e opens it"))
    let before = try #require(form(driver)?.form.text("body"))
    driver.type("x")
    driver.press("delete ctrl-z ctrl-v ctrl-g ctrl-r")
    driver.send(.input(.paste("pasted")))
    driver.press("ctrl-f")
    let screen = driver.screen
    #expect(screen.contains("The body is larger than"), "\(screen)")
    #expect(form(driver)?.form.text("body") == before)
  }

  @Test func aLargeBodyGoesThroughTheFormUnchanged() throws {
    var driver = driver(40_000)
    let before = driver.board.entries.first?.stub.then.response?.body
    driver.press("tab")
    driver.type("changed")
    driver.press("ctrl-s")
    let stub = try #require(driver.board.entries.first?.stub)
    #expect(stub.name.contains("changed"))
    #expect(stub.then.response?.body == before)
  }

  @Test func aLargeBodyOfARequestGoesThroughTheFormByteForByte() throws {
    var exchange = Exchange.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)
    let body = Data(String(repeating: "a line\r\nanother\n", count: 80_000).utf8)
    exchange.request.body = body
    var driver = ConsoleDriver()
    driver.add([exchange])
    driver.press("c e tab")
    driver.type("x")
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last,
      case .continue(let request?, _) = decisions.first?.decision
    else { return #expect(Bool(false), "no decision") }
    #expect(request.url != exchange.request.url)
    #expect(request.body == body)
  }

  @Test func thePersonsEditorTakesALargeBody() throws {
    var driver = driver(40_000)
    driver.press("ctrl-e")
    let (token, text) = try job(driver)
    #expect(text == form(driver)?.form.text("body"))
    driver.send(.editorReturned(token: token, .text(" " + text + "\n")))
    #expect(driver.shows("too large to be edited here"))
    driver.press("ctrl-s")
    #expect(driver.board.entries.first?.stub.then.response?.body == .data(Data((" " + text).utf8)))
  }

  @Test func whatThePersonsEditorLeavesSmallerIsEditedHereAgain() throws {
    var driver = driver(40_000)
    driver.press("ctrl-e")
    driver.send(.editorReturned(token: try job(driver).token, .text("[1]\n")))
    driver.press("ctrl-end backspace")
    driver.type(", 2]")
    driver.press("ctrl-s")
    #expect(driver.board.entries.first?.stub.then.response?.body == .json(.array([.number("1"), .number("2")])))
  }

  @Test func aBodyThatThePersonsEditorLeavesLargeIsNotEditedHereAnyMore() throws {
    var driver = driver(2)
    driver.press("ctrl-e")
    let large = String(repeating: "x", count: TextEditor.limit + 1)
    driver.send(.editorReturned(token: try job(driver).token, .text(large)))
    #expect(driver.shows("too large to be edited here"))
    driver.press("ctrl-s")
    guard case .data(let data)? = driver.board.entries.first?.stub.then.response?.body else {
      return #expect(Bool(false), "no data")
    }
    #expect(data == Data(large.utf8))
  }

  // MARK: Up to the limit

  @Test func itIsKeptAfterAPause() throws {
    var driver = driver(16_000)
    driver.press("ctrl-end")
    driver.type("x")
    driver.now = Timestamp(microseconds: driver.now.microseconds + 3_500_000)
    driver.send(.tick)
    let drafts = driver.effects.compactMap { effect -> KeptDraft? in
      if case .keepDraft(let draft?) = effect { draft } else { nil }
    }
    #expect(drafts.count == 1)
    guard case .data(let data)? = drafts.first?.stub.then.response?.body else { return #expect(Bool(false), "no data") }
    #expect(data.suffix(3) == Data("0]x".utf8))
    driver.press("esc d")
    #expect(driver.effects.last == .keepDraft(nil))
  }

  @Test func itIsReadAMomentAfterTheKeysAndNotAtEach() throws {
    var driver = driver(16_000)
    driver.press("ctrl-end")
    driver.type("oops")
    #expect(form(driver)?.bodyProblem == nil)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 500_000)
    driver.send(.tick)
    let problem = form(driver)?.bodyProblem
    #expect(problem?.hasPrefix("not JSON: ") == true, "\(problem ?? "none")")
  }

  @Test func whatWouldGrowBeyondTheLimitStaysAsItIs() throws {
    var driver = driver(16_000)
    let before = try #require(form(driver)?.form.text("body"))
    driver.press("ctrl-f")
    #expect(driver.shows("The body would be larger than"))
    driver.send(.input(.paste(before)))
    #expect(driver.shows("The text would become larger than"))
    #expect(form(driver)?.form.text("body") == before)
    driver.type("x")
    #expect(!driver.shows("The text would become larger than"))
  }

  @Test func theWordOfTheLastSearchIsTakenAgainOrTypedOver() {
    var driver = driver(16_000)
    driver.press("ctrl-g")
    driver.type("山田")
    driver.press("enter")
    #expect(driver.shows("1 of 16000"))
    driver.press("ctrl-g enter")
    #expect(driver.shows("2 of 16000"))
    driver.press("ctrl-g")
    driver.type("tags")
    driver.press("enter")
    #expect(driver.shows("2 of 16000"))
    #expect(form(driver)?.form.editor?.selectedText == "tags")
    driver.press("ctrl-r")
    driver.type("山田 太郎")
    driver.press("enter")
    driver.type("鈴木")
    driver.press("enter")
    #expect(driver.shows("16,000 places replaced"))
    #expect(form(driver)?.form.editor?.selectedText == nil)
    driver.press("ctrl-z")
    #expect(form(driver)?.form.text("body").hasPrefix("[" + Self.item) == true)
  }

  @Test func itIsSavedAsItWasTyped() throws {
    var driver = driver(16_000)
    driver.press("ctrl-end")
    driver.type(" ")
    driver.press("ctrl-s")
    guard case .data(let data)? = driver.board.entries.first?.stub.then.response?.body else {
      return #expect(Bool(false), "no data")
    }
    #expect(data.suffix(3) == Data("0] ".utf8))
  }

  @Test func theCursorIsSeenFarInTheLine() {
    var driver = driver(16_000)
    driver.press("ctrl-end")
    #expect(driver.shows(":byte 7") || driver.shows(":byte 8"))
    driver.type("終")
    #expect(driver.lines.contains { $0.contains("0]終") })
  }

  @Test func aPasteOfManyLinesIsOneStepOfUndo() {
    var editor = TextEditor("a")
    editor.insert(String(repeating: "長い行\n", count: 100_000))
    #expect(editor.lines.count == 100_001)
    editor.undo()
    #expect(editor.text == "a")
    editor.redo()
    #expect(editor.text.utf8.count == 1_000_001)
  }
}
