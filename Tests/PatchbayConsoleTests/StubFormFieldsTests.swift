import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct StubFormFieldsTests {
  private func driver(_ stub: Stub) -> ConsoleDriver {
    var driver = ConsoleDriver(width: 120, height: 40)
    driver.board = StubBoard(revision: 2, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("2 e")
    return driver
  }

  private func form(_ driver: ConsoleDriver) -> StubForm? {
    driver.state.boxes.last as? StubForm
  }

  private func focus(_ driver: inout ConsoleDriver, _ field: String) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus(field)
    #expect(form.form.focused?.id == field)
    driver.replaceTop(with: form)
  }

  private func fill(_ driver: inout ConsoleDriver, _ field: String, _ text: String) {
    focus(&driver, field)
    if form(driver)?.form.focused?.isText == true {
      driver.press("ctrl-a backspace")
    } else {
      driver.press("ctrl-a ctrl-u ctrl-k")
    }
    driver.send(.input(.paste(text)))
  }

  private let everything: [Action] = [
    .pass(
      PassChanges(
        delay: .fixed(.seconds(2)), pace: .throttle(bytesPerSecond: 50_000), status: 200,
        headers: [.init("X-Patched", ["1"]), .init("ETag", nil)], mergePatch: ["user": ["plan": "gold"]],
        replace: [.init(find: "foo", with: "bar"), .init(find: " a => \"b\n", with: ""), .init(find: "x", with: " y ")])
    ),
    .pass(PassChanges()),
    .pass(PassChanges(mergePatch: .null)),
    .fail(Fault(.named("timedOut"))),
    .fail(
      Fault(
        .named("networkConnectionLost"), delay: .fixed(.milliseconds(200)),
        after: .init(
          response: CannedResponse(
            status: 206, headers: [HeaderField("A", "1")], body: .text("{\"half\":"), delay: .fixed(.seconds(1)),
            pace: .dribble(pieces: 2, over: .seconds(1))), bytes: 4))),
    .respond(CannedResponse(body: .file("a.json"))),
    .respond(CannedResponse(body: .filler(bytes: 5_000_000))),
    .respond(CannedResponse(body: .data(Data([0, 255])))),
    .hold(.both),
  ]

  @Test func semicolonsInValuesStayWhenSavedAndCanBeTyped() throws {
    var pattern = RequestPattern()
    pattern.query = [.init("list", .glob("a;b")), .init("end", .matches("\\\\")), .init("debug", nil)]
    pattern.headers = [.init("Accept", .glob(" text/html; q=0.9 ")), .init("X-B", .glob("1;"))]
    var driver = driver(Stub(name: "a", when: pattern, then: .pass(PassChanges())))
    fill(&driver, "name", "b")
    var untouched = StubBuild(try #require(form(driver)))
    #expect(untouched.stub()?.when == pattern, "\(untouched.problems)")
    fill(&driver, "query", #"list=a\;b; end=c\d; !x"#)
    fill(&driver, "fields", #"Content-Type: application/json\; charset=*;Accept:*"#)
    var typed = StubBuild(try #require(form(driver)))
    let when = try #require(typed.stub()?.when, "\(typed.problems)")
    #expect(when.query == [.init("list", .glob("a;b")), .init("end", .glob("c\\d")), .init("x", nil)])
    #expect(
      when.headers == [.init("Content-Type", .glob("application/json; charset=*")), .init("Accept", .glob("*"))])
  }

  @Test func aValueThatEndsInABackslashLeavesTheNextOneAlone() throws {
    let conditions: [RequestPattern.Condition] = [
      .init("path", .glob("C:\\")), .init("b", .glob("2")), .init("end", .matches("\\")),
    ]
    let text = PatternText.text(conditions, sign: "=")
    #expect(try PatternText.conditions(text, sign: "=") == conditions, "\(text)")
  }

  /// What the format can say and no field shows is not lost either.
  @Test(arguments: [
    #"{"when":{"method":["GET","POST"],"host":["a","*.b"],"path":{"not":["/h*",{"matches":"^/r"}]},"url":{"matches":"b(?<id>c)"}},"then":{"pass":{}}}"#,
    #"{"when":{"query":{"p":["1","2"],"d":null,"m":{"not":"x*"}},"headers":{"A":{"not":["one",{"matches":"two"}]}}},"then":{"pass":{}}}"#,
    #"{"when":{"body":{"contains":{"not":"s"},"equals":"all","matches":"^a","json":{"a":[1]},"pointer":{"/a/0":true},"form":{"u":["a","b"]},"multipart":{"f":"*"},"graphql":{"operation":["A","B*"],"variables":{"id":7}}}},"then":{"pass":{}}}"#,
    #"{"when":{"any":[{"method":"GET"},{"headers":{"X":"1"}}],"not":[{"query":{"t":"*"}},{"any":[{"port":80}]}]},"then":{"pass":{}}}"#,
    #"{"scenario":{"name":"s","in":"Started","to":"x, y: z"},"seed":3,"then":{"respond":{"folder":"mocks","otherwise":"404"}}}"#,
    #"{"then":{"respond":{"events":[{"event":"t","id":"1","data":{"d":"こ"},"after":"50ms"},{"data":"[DONE]"}]}}}"#,
    #"{"then":{"respond":{"file":"mocks/{{request.path.1}}.json"}}}"#,
    #"{"then":{"pass":{"to":"http://h/m","request":{"method":"PUT","scheme":"http","host":"h","port":81,"path":"/v","query":{"p":null,"t":["a","b"]},"headers":{"C":null,"X":"{{request.method}}"},"mergePatch":{"c":null},"replace":[{"find":"a","with":"b"}]}}}}"#,
    #"{"then":{"pass":{"request":{"json":{"a":1}}}}}"#, #"{"then":{"pass":{"request":{"body":"text"}}}}"#,
    #"{"then":{"pass":{"request":{"base64":"aGk="}}}}"#, #"{"then":{"pass":{"request":{"file":"b.bin"}}}}"#,
  ])
  func everyKeyOfTheFormatStays(_ json: String) throws {
    let stub = try Stub(json: JSONValue(parsing: #"{"name":"a","# + json.dropFirst()))
    var build = StubBuild(StubForm(editing: stub))
    #expect(build.stub() == stub, "\(build.problems)")
    var renamed = driver(stub)
    fill(&renamed, "name", "b")
    renamed.press("ctrl-s")
    var wanted = stub
    wanted.name = "b"
    #expect(renamed.board["b"]?.stub == wanted, "\(renamed.screen)")
  }

  @Test func whatIsNotTouchedStaysByItselfAndAsAStep() {
    let stubs =
      everything.map { Stub(name: "a", then: $0) }
      + [Stub(name: "a", then: .sequence(everything, afterwards: .pass))]
    for stub in stubs {
      let form = StubForm(editing: stub)
      var build = StubBuild(form)
      #expect(build.stub() == stub, "\(stub.then): \(build.problems)")
      #expect(!form.isChanged)
    }
  }

  @Test func theFormOfAPassHasPatchAndReplacements() throws {
    var driver = driver(Stub(name: "a", then: everything[0]))
    for text in ["Merge patch", "\"plan\": \"gold\"", "foo => bar", "!ETag"] { #expect(driver.shows(text), "\(text)") }
    fill(&driver, "patch", "{\"user\": {\"plan\": null}}")
    fill(&driver, "replace", "花 => 鼻\n\"a => b\" => \"\\n\"\n\ngone =>")
    fill(&driver, "status", "")
    driver.press("ctrl-s")
    let changes = try #require(driver.board["a"]?.stub.then.changes)
    #expect(changes.mergePatch == ["user": ["plan": .null]])
    #expect(
      changes.replace == [
        .init(find: "花", with: "鼻"), .init(find: "a => b", with: "\n"), .init(find: "gone", with: ""),
      ])
    #expect(changes.status == nil)
  }

  @Test func aPatchThatIsNoJSONIsMarkedAndNotSaved() {
    var driver = driver(Stub(name: "a", then: .pass(PassChanges())))
    fill(&driver, "patch", "{\n \"a\": ?}")
    #expect(driver.shows("not JSON: 2:7"))
    #expect(form(driver)?.form.otherMistakes["patch"] == SourcePosition(line: 2, column: 7))
    driver.press("ctrl-s")
    #expect(driver.shows("Not saved"))
    #expect(driver.board["a"]?.stub.then == .pass(PassChanges()))
  }

  @Test func aFailureMidwayIsMadeInTheForm() {
    var driver = driver(Stub(name: "a", then: .fail(Fault(.named("timedOut")))))
    focus(&driver, "after")
    driver.press("space")
    fill(&driver, "bytes", "4")
    fill(&driver, "status", "206")
    fill(&driver, "body", "half of it")
    driver.press("ctrl-s")
    let partial = Fault.Partial(response: CannedResponse(status: 206, body: .text("half of it")), bytes: 4)
    #expect(driver.board["a"]?.stub.then == .fail(Fault(.named("timedOut"), after: partial)))
  }

  @Test func theBodyMayBeAFileOrFiller() {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse(body: .text("x")))))
    focus(&driver, "source")
    driver.press("right")
    driver.press("ctrl-s")
    #expect(driver.shows("which file the body is"))
    fill(&driver, "file", "本.json")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then == .respond(CannedResponse(body: .file("本.json"))))
    driver.press("e")
    focus(&driver, "source")
    driver.press("right right right")
    fill(&driver, "filler", "5MB")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then == .respond(CannedResponse(body: .filler(bytes: 5_000_000))))
    driver.press("e")
    focus(&driver, "source")
    driver.press("right")
    fill(&driver, "body", "x")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then == .respond(CannedResponse(body: .text("x"))))
  }

  @Test func everyPartOfAPatternCanBeEdited() throws {
    var driver = driver(Stub(name: "a", then: .hold(.request)))
    fill(&driver, "scheme", "https")
    fill(&driver, "port", "8443")
    fill(&driver, "asks", "json: {\"a\": \"x; y\"}; form: {\"b\": null}; matches: \"^{\"")
    fill(&driver, "contains", "山田")
    fill(&driver, "chance", "50%")
    fill(&driver, "seed", "7")
    driver.press("ctrl-s")
    let stub = try #require(driver.board["a"]?.stub)
    #expect(stub.seed == 7)
    #expect(
      stub.when
        == RequestPattern(
          scheme: .glob("https"), port: 8443,
          body: BodyPattern(
            contains: "山田", matches: "^{", json: ["a": "x; y"], form: [.init("b", nil)])))
    driver.press("e")
    #expect(form(driver)?.isChanged == false)
    fill(&driver, "asks", "jsn: 1")
    driver.press("ctrl-s")
    #expect(driver.shows("body conditions: "))
    #expect(driver.board["a"]?.stub == stub)
  }

  @Test func aStubGetsAScenarioAndASeedInItsForm() throws {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse(status: 200))))
    #expect(form(driver)?.form.fields.first { $0.id == "state" }?.isHidden == true)
    fill(&driver, "scenario", "session")
    driver.press("ctrl-s")
    #expect(driver.shows("give the state it answers in, the one that follows, or both"), "\(driver.screen)")
    fill(&driver, "state", " Started ")
    fill(&driver, "next", "signed in")
    fill(&driver, "seed", "7")
    driver.press("ctrl-s")
    let stub = try #require(driver.board["a"]?.stub)
    #expect(stub.scenario == Stub.Scenario("session", in: "Started", to: "signed in"), "\(driver.screen)")
    #expect(stub.seed == 7)
    driver.press("e")
    #expect(form(driver)?.isChanged == false)
    fill(&driver, "scenario", "")
    fill(&driver, "seed", "")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.scenario == nil && driver.board["a"]?.stub.seed == nil)
  }

  @Test func allThatIsWrongIsMarkedAndTheOthersAreCounted() {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse())))
    fill(&driver, "status", "9999")
    fill(&driver, "delay", "soon")
    fill(&driver, "times", "x")
    driver.press("ctrl-s")
    #expect(driver.shows("Not saved: status: a number from 100 to 599, or a name; 2 others are marked ✗"))
    #expect(driver.lines.count { $0.hasPrefix("✗ ") } == 3)
    #expect(form(driver)?.form.focused?.id == "status")
  }

  @Test func aPassKeepsTheStatusUnlessOneIsTyped() {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse())))
    focus(&driver, "action")
    driver.press("right right")
    #expect(form(driver)?.form.text("status") == "")
    fill(&driver, "status", "200")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then == .pass(PassChanges(status: 200)))
  }

  // MARK: Templates

  @Test func aTemplateThatIsNotKnownIsMarkedAndAskedAboutOnce() {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse(body: .json(.object([]))))))
    fill(&driver, "body", "{\"n\": \"{{count}}\",\n \"id\": \"{{request.pth}}\"}")
    #expect(driver.shows("body 2:9: `{{request.pth}}` is not known; did you mean `request.path`?"))
    #expect(form(driver)?.form.mistake == SourcePosition(line: 2, column: 9))
    driver.press("ctrl-s")
    #expect(driver.shows("Not saved yet: body 2:9"))
    #expect(driver.board["a"]?.stub.then == .respond(CannedResponse(body: .json(.object([])))))
    // What is typed meanwhile is asked about anew.
    driver.press("ctrl-end left left left left left backspace ctrl-s")
    #expect(driver.shows("Not saved yet: body 2:9"))
    fill(&driver, "body", "{\"n\": \"{{count}}\",\n \"id\": \"{{request.pth}}\"}")
    driver.press("ctrl-s ctrl-s")
    #expect(driver.state.boxes.isEmpty)
    guard case .json(let value)? = driver.board["a"]?.stub.then.response?.body else {
      return #expect(Bool(false), "no JSON")
    }
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://a/"), count: 3)
    #expect(context.render(value) == ["n": "3", "id": "{{request.pth}}"])
    driver.press("e")
    #expect(form(driver)?.templateProblem == nil)
  }

  @Test func inTextAndHeadersToo() {
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse(body: .text("x")))))
    fill(&driver, "headers", "A: 1\nX-ID: 山{{uid}}")
    fill(&driver, "body", "{{ {{count}}")
    #expect(driver.shows("headers 2:8: `{{uid}}` is not known; did you mean `uuid`?"))
    driver.press("ctrl-s ctrl-s")
    let response = driver.board["a"]?.stub.then.response
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://a/"), count: 3)
    #expect(response?.headers.first(named: "X-ID").map { context.render($0) } == "山{{uid}}")
    guard case .text(let text)? = response?.body else { return #expect(Bool(false), "no text") }
    #expect(context.render(text) == "{{ 3")
  }

  @Test func bracesOfARecordedBodyMeanThemselves() {
    let body = CannedResponse.Body.data(Data("Dear {{name}}".utf8))
    var driver = driver(Stub(name: "a", then: .respond(CannedResponse(body: body))))
    #expect(form(driver)?.templateProblem == nil)
    focus(&driver, "body")
    driver.press("ctrl-end")
    driver.type("!")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then.response?.body == .data(Data("Dear {{name}}!".utf8)))
  }

  @Test(arguments: ["{{", "{{a", "{{a}}", "{{\"{{\"}}", "{{count}} {{x}} {{\"", "a {{{count}}} b", "{{}}", "日{{本}}語"])
  func whatIsQuotedComesOutAsItWas(_ text: String) throws {
    let quoted = Template.quotingMistakes(text)
    _ = try Template(quoted)
    if let known = try? Template(text) { #expect(try Template(quoted) == known) }
    #expect(Template.quotingMistakes(quoted) == quoted)
  }
}
