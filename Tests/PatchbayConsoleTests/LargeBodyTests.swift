import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct LargeBodyTests {
  private static let item = #"{"id":1,"name":"山田 太郎","tags":["a","b"]},"#

  /// A form whose body has 2 MB in one line, with the keys in it.
  private func driver() -> ConsoleDriver {
    var driver = ConsoleDriver()
    let json = "[" + String(repeating: Self.item, count: 40_000) + "0]"
    driver.add([.make(1, body: json)])
    driver.press("s e")
    guard case .stubForm(var form)? = driver.state.overlays.last else { return driver }
    form.form.focus("body")
    driver.state.overlays = [.stubForm(form)]
    return driver
  }

  private func form(_ driver: ConsoleDriver) -> StubForm? {
    if case .stubForm(let form)? = driver.state.overlays.last { form } else { nil }
  }

  @Test func itIsKeptWithoutBeingReadBetweenTwoKeys() throws {
    var driver = driver()
    driver.press("ctrl-end")
    driver.type("x")
    driver.now = Timestamp(microseconds: driver.now.microseconds + 3_500_000)
    driver.send(.tick)
    let drafts = driver.effects.compactMap { effect -> LargeDraft? in
      if case .keepLargeDraft(let draft) = effect { draft } else { nil }
    }
    #expect(drafts.count == 1)
    #expect(try #require(drafts.first?.draft).stub == form(driver).flatMap { LargeDraft(form: $0).draft?.stub })
    driver.press("esc d")
    #expect(driver.effects.last == .keepDraft(nil))
  }

  /// Where the pieces of the body are in memory.
  private func address(_ driver: ConsoleDriver) -> UInt? {
    form(driver)?.form.editor(of: "body")?.lines.pieces.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func aKeyDoesNotCopyTheLines() {
    var driver = driver()
    driver.send(.input(.paste(String(repeating: "a line\n", count: 5_000))))
    driver.type("x")
    let before = address(driver)
    driver.type("yz")
    driver.press("backspace ctrl-z")
    #expect(address(driver) == before)
  }

  @Test func itIsReadAMomentAfterTheKeysAndNotAtEach() throws {
    var driver = driver()
    driver.press("ctrl-end")
    driver.type("oops")
    #expect(form(driver)?.bodyProblem == nil)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 500_000)
    driver.send(.tick)
    let asked = driver.effects.compactMap { effect -> Int? in
      if case .readJSON(let token, _, false) = effect { token } else { nil }
    }
    #expect(asked.count == 1)
    driver.send(.jsonRead(token: try #require(asked.first), problem: StubError("line 1, column 9"), text: nil))
    #expect(form(driver)?.bodyProblem == "not JSON: line 1, column 9")
  }

  @Test func whatWasReadBeforeTheLastKeyDoesNotCount() throws {
    var driver = driver()
    driver.press("ctrl-f")
    guard case .readJSON(let token, let lines, true)? = driver.effects.last else {
      return #expect(Bool(false), "not asked to format")
    }
    #expect(lines.count == 1)
    driver.type("x")
    driver.send(.jsonRead(token: token, problem: nil, text: EditedLines("[]")))
    #expect(form(driver)?.form.editor(of: "body")?.lines.count == 1)
    driver.press("backspace ctrl-f")
    guard case .readJSON(let again, _, true)? = driver.effects.last else {
      return #expect(Bool(false), "not asked to format")
    }
    driver.send(.jsonRead(token: again, problem: nil, text: EditedLines("[\n  0\n]")))
    #expect(form(driver)?.form.editor(of: "body")?.lines.count == 3)
    driver.press("ctrl-z")
    #expect(form(driver)?.form.editor(of: "body")?.lines.count == 1)
  }

  @Test func theWordOfTheLastSearchIsTakenAgainOrTypedOver() {
    var driver = driver()
    driver.press("ctrl-g")
    driver.type("山田")
    driver.press("enter")
    #expect(driver.shows("1 of 40000"))
    driver.press("ctrl-g enter")
    #expect(driver.shows("2 of 40000"))
    driver.press("ctrl-g")
    driver.type("tags")
    driver.press("enter")
    #expect(driver.shows("2 of 40000"))
    #expect(form(driver)?.form.editor?.selectedText == "tags")
    driver.press("ctrl-r")
    driver.type("山田 太郎")
    driver.press("enter")
    driver.type("鈴木")
    driver.press("enter")
    #expect(driver.shows("40,000 places replaced"))
    #expect(form(driver)?.form.editor?.selectedText == nil)
    driver.press("ctrl-z")
    #expect(form(driver)?.form.text("body").hasPrefix("[" + Self.item) == true)
  }

  @Test func itIsSavedAsItWasTyped() throws {
    var driver = driver()
    driver.press("ctrl-end")
    driver.type(" ")
    driver.press("ctrl-s")
    guard case .data(let data)? = driver.board.entries.first?.stub.then.response?.body else {
      return #expect(Bool(false), "no data")
    }
    #expect(data.suffix(3) == Data("0] ".utf8))
  }

  @Test func theCursorIsSeenFarInTheLine() {
    var driver = driver()
    driver.press("ctrl-end")
    #expect(driver.shows(":byte 1,9") || driver.shows(":byte 2,"))
    driver.type("終")
    #expect(driver.lines.contains { $0.contains("0]終") })
  }

  @Test func aMegabytePastedAtOnceIsOneStepOfUndo() {
    var editor = TextEditor("a")
    editor.insert(String(repeating: "長い行\n", count: 100_000))
    #expect(editor.lines.count == 100_001)
    editor.undo()
    #expect(editor.text == "a")
    #expect(editor.size == 1)
    editor.redo()
    #expect(editor.size == 900_001)
  }
}
