import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct StubFormTests {
  private func form(_ driver: ConsoleDriver) -> StubForm? {
    driver.state.boxes.last as? StubForm
  }

  /// Puts the keys into a field and its text to what is given.
  private func fill(_ driver: inout ConsoleDriver, _ field: String, _ text: String) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus(field)
    driver.replaceTop(with: form)
    driver.press("ctrl-a ctrl-u ctrl-k")
    if form.form.focused?.isText == true { driver.press("ctrl-a backspace") }
    driver.send(.input(.paste(text)))
  }

  @Test func savingChangesStatusHeadersBodyAndDelayAtOnce() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "404")
    fill(&driver, "headers", "Content-Type: application/json\nX-A: ü")
    fill(&driver, "body", "{\"z\": 1, \"a\": \"山田\"}")
    fill(&driver, "delay", "100ms to 900ms")
    driver.press("ctrl-s")
    let response = try #require(driver.board["orders down"]?.stub.then.response)
    #expect(response.status == 404)
    #expect(response.headers == [HeaderField("Content-Type", "application/json"), HeaderField("X-A", "ü")])
    #expect(response.body == .json(.members(["z": 1, "a": "山田"])))
    #expect(response.delay == .random(from: .milliseconds(100), to: .milliseconds(900)))
    #expect(driver.state.boxes.isEmpty)
    driver.press("u")
    #expect(driver.board["orders down"]?.stub.then.response?.status == 503)
  }

  @Test func escAsksOnlyIfSomethingWouldBeLost() {
    var driver = Sample.driver(120, 36)
    // A blank in JSON, and a letter that was taken back, are no loss.
    driver.press("2 e")
    fill(&driver, "body", "{ \"code\":100,  \"message\": \"ただいまメンテナンス中です。\" }")
    driver.press("esc")
    #expect(driver.state.boxes.isEmpty)
    driver.press("e")
    driver.type("x")
    driver.press("backspace esc")
    #expect(driver.state.boxes.isEmpty)
    driver.press("e")
    driver.type("x")
    driver.press("esc")
    #expect(driver.shows("Throw away"))
  }

  @Test func aStubThatIsNotTouchedStaysAsItIs() {
    let stubs =
      Sample.board().stubs + [
        Stub(
          name: "all of it",
          when: RequestPattern(
            methods: ["GET", "PUT"], url: .matches("^https"), scheme: .glob("https"), port: 8443,
            query: [.init("page", .glob("2")), .init("debug", nil)],
            headers: [.init("Authorization", .glob("Bearer *"))],
            body: BodyPattern(json: ["user": ["id": 7]]), process: .glob("demo")),
          then: .respond(
            CannedResponse(
              status: 206, headers: [HeaderField("A", "1"), HeaderField("A", "2")], body: .data(Data([0, 255])),
              pace: .dribble(pieces: 5, over: .seconds(2)))),
          skip: 1, chance: 0.25, seed: 1, times: 10),
        Stub(
          name: "fault",
          then: .fail(Fault(.custom(domain: "test.api", code: 1, message: "no way"), delay: .fixed(.milliseconds(200))))
        ),
        Stub(name: "file", then: .respond(CannedResponse(body: .file("a.json")))),
        Stub(
          name: "patch",
          then: .pass(PassChanges(status: 200, headers: [.init("X", ["1"]), .init("ETag", nil)], mergePatch: ["a": 1]))),
      ]
    for stub in stubs {
      var build = StubBuild(form: StubForm(editing: stub).form, original: stub)
      #expect(build.stub() == stub, "\(stub.name): \(build.problems)")
    }
  }

  @Test func aStatusIsFoundByItsName() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "teapot")
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.then.response?.status == 418)
  }

  @Test func badJSONIsMarkedWithLineAndColumnAndStillSavedAsText() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "body", "{\n  \"a\": ,\n}")
    #expect(form(driver)?.bodyProblem?.contains("2:") == true)
    #expect(driver.shows("The body is not JSON"))
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.then.response?.body == .text("{\n  \"a\": ,\n}"))
    #expect(driver.shows("sent as text"))
  }

  /// What is drawn in the colours of a mistake, in reverse.
  private func marked(_ driver: ConsoleDriver) -> [String] {
    let grid = driver.state.draw().grid
    return grid.lines.indices.flatMap { y in
      (0..<grid.width).compactMap { x in
        guard let cell = grid[Point(x: x, y: y)], cell.style.attributes.contains(.reverse) else { return nil }
        return String(cell.scalar)
      }
    }
  }

  @Test func theLetterThatIsNoJSONIsMarkedAndFormattingGoesThere() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "body", "{\n  \"山田\": ?,\n}")
    #expect(driver.shows("2:9"))
    #expect(marked(driver) == ["?"])
    driver.press("ctrl-home ctrl-f")
    #expect(form(driver)?.form.editor?.cursor == .init(line: 1, offset: 12))
    fill(&driver, "body", "{\"a\": ")
    #expect(marked(driver) == [" "])
    fill(&driver, "body", "{\"a\": 1}")
    #expect(marked(driver).isEmpty)
  }

  @Test func whatIsToBeFilledInIsNoMistakeInJSON() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "body", "{\"n\": {{count}}, \"日\": \"{{uuid}}\"}")
    #expect(form(driver)?.bodyProblem == nil)
    driver.press("ctrl-s")
    let response = try #require(driver.board["orders down"]?.stub.then.response)
    #expect(response.body == .text("{\"n\": {{count}}, \"日\": \"{{uuid}}\"}"))
    #expect(response.headers.contains(HeaderField("Content-Type", "application/json")))
    driver.press("e")
    fill(&driver, "body", "{\"n\": {{count}},\n \"m\": {{count}}, ?}")
    #expect(form(driver)?.bodyProblem?.contains("2:18") == true)
    for text in ["{{", "{{}", "{}}", "}}{{", "{{{", "{{a}}}}", "\u{301}{{é}}\u{301}"] {
      #expect(TemplateJSON.standIn(text).unicodeScalars.count == text.unicodeScalars.count)
    }
  }

  @Test func theFieldThatIsWrongGetsTheKeys() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "delay", "soon")
    driver.press("shift-tab ctrl-s")
    #expect(form(driver)?.form.focused?.id == "delay")
    #expect(form(driver)?.form.text("delay") == "soon")
  }

  @Test func aStubThatIsOffIsNotSaidToBeInForce() {
    var driver = Sample.driver(120, 36)
    driver.press("2 space e")
    fill(&driver, "status", "500")
    driver.press("ctrl-s")
    #expect(driver.shows("“orders down” is saved, and off."))
  }

  @Test func mistakesAreNamedAndNothingIsLost() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    for (field, text, message) in [
      ("status", "9", "status: a number from 100 to 599"), ("delay", "soon", "delay: write 300ms"),
      ("chance", "7", "chance: a share"), ("headers", "nonsense", "headers: line 1"), ("path", "~[", "path:"),
    ] {
      let before = form(driver)?.form.text(field) ?? ""
      fill(&driver, field, text)
      driver.press("ctrl-s")
      #expect(form(driver) != nil)
      #expect(driver.shows(message), "\(field)")
      fill(&driver, field, before)
    }
    #expect(driver.board == Sample.board())
  }

  @Test func anErrorThatIsNoneSuggestsTheNearOne() {
    var driver = Sample.driver(120, 36)
    driver.press("2 j j e")
    fill(&driver, "error", "timdOut")
    #expect(driver.shows("did you mean timedOut?"))
  }

  @Test func escAsksOnlyWhenSomethingWouldBeLost() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e esc")
    #expect(driver.state.boxes.isEmpty)
    driver.press("e")
    driver.type("x")
    driver.press("esc")
    #expect(driver.shows("Throw away"))
    driver.press("esc")
    #expect(form(driver)?.form.text("name") == "orders downx")
    driver.press("esc s")
    #expect(driver.board["orders downx"] != nil)
  }

  @Test func aNameThatIsTakenIsRefused() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "name", "time out")
    driver.press("ctrl-s")
    #expect(driver.shows("another stub"))
    #expect(driver.board["orders down"] != nil)
  }

  @Test func thePreviewCountsWhatThePatternFits() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "path", "/v1/*")
    #expect(driver.shows("matches 5 of 9 recorded requests"))
    driver.press("ctrl-p")
    #expect(driver.shows("Fits 5 of 9"))
    driver.press("esc")
    #expect(form(driver) != nil)
  }

  @Test func theCountGoesOnWhileMoreIsRecordedOnceASecond() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "path", "/v1/*")
    #expect(driver.shows("matches 5 of 9 recorded requests"))
    for id in 2_000..<2_010 { driver.add([.make(Int64(id))]) }
    #expect(driver.shows("matches 5 of 9 recorded requests"))
    let due = driver.state.nextTick
    #expect(due.map { $0.microseconds <= driver.now.microseconds + 1_000_000 } == true)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 1_000_000)
    driver.send(.tick)
    #expect(driver.shows("matches 15 of 19 recorded requests"))
  }

  @Test func ctrlFMakesTheBodyReadableInOneUndoableStep() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "body", "{\"a\":[1,2]}")
    driver.press("ctrl-f")
    #expect(form(driver)?.form.text("body") == "{\n  \"a\": [\n    1,\n    2\n  ]\n}")
    driver.press("ctrl-z")
    #expect(form(driver)?.form.text("body") == "{\"a\":[1,2]}")
  }

  @Test func changingTheActionShowsItsFields() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    guard var open = driver.state.boxes.last as? StubForm else { return }
    open.form.focus("action")
    driver.replaceTop(with: open)
    driver.press("right")
    #expect(driver.shows("‹ fail ›"))
    #expect(driver.shows("error"))
    #expect(!driver.shows("Body · JSON"))
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.then.fault?.error == .named("timedOut"))
  }

  @Test func aMegabyteIsPastedAtOnce() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    let text = String(repeating: "日本語 text\n", count: 69_000)
    fill(&driver, "body", text)
    #expect(form(driver)?.form.text("body") == text)
    driver.type("x")
    driver.press("ctrl-z ctrl-z")
    #expect(form(driver)?.form.text("body") == "")
  }

  @Test func searchAndReplace() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "body", "one two one")
    driver.press("ctrl-r")
    driver.type("one")
    driver.press("enter")
    driver.type("三")
    driver.press("enter")
    #expect(form(driver)?.form.text("body") == "三 two 三")
  }

  @Test func whatTheEditorLeavesIsPutInForce() {
    var driver = Sample.driver(120, 36)
    driver.press("2 E")
    guard case .openEditor(let job) = driver.effects.last, case .stub(var stub) = job.content else {
      return #expect(Bool(false), "no editor")
    }
    stub.times = 3
    driver.send(.editorReturned(token: job.token, .stub(stub)))
    #expect(driver.board["orders down"]?.stub.times == 3)
    driver.press("E")
    guard case .openEditor(let second) = driver.effects.last else { return }
    driver.send(.editorReturned(token: second.token, .broken("stubs.yaml:3:1: unknown key", text: "x")))
    #expect(driver.shows("unknown key"))
    #expect(driver.board["orders down"]?.stub.times == 3)
  }
}
