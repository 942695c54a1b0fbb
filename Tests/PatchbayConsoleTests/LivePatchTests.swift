import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What stub a value that is edited in its line becomes: for which requests, where in the answer, and what is said.
@Suite(.bounded) struct LivePatchTests {
  private let document: JSONValue = ["a": 1, "list": [1, 2], "deep": ["b": "x"]]

  private func exchange(
    _ by: Exchange.Answerer = .network, stub: String? = nil, url: String = "https://api.example.com/v1/users/7"
  ) -> Exchange {
    var exchange = Exchange.make(1, "GET", url, body: #"{"a":1,"list":[1,2],"deep":{"b":"x"}}"#)
    exchange.by = by
    exchange.stub = stub
    return exchange
  }

  /// The edits that come of it, what takes them back, what the step is called, and what is said.
  private struct Seen: Equatable {
    var edits: [StubEdit] = []
    var back: [StubEdit] = []
    var title = ""
    var said = ""
    var kind = Notice.Kind.info
    var isUndoable = false
  }

  private func patch(
    _ exchange: Exchange, _ steps: [JSONStep], to value: JSONValue, stubs: [Stub] = [], onlyThisID: Bool = false,
    document: JSONValue? = nil
  ) throws -> Seen {
    let document = document ?? self.document
    var context = ConsoleDriver().state.context
    context.stubs.board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
    let before = document.value(at: steps) ?? .null
    let edit = try #require(ValueEdit(before, at: steps, isThisIDOnly: onlyThisID))
    var out = Outcomes()
    LivePatch(of: exchange, document: document, edit, to: value).apply(context, &out)
    var seen = Seen()
    for outcome in out.drain() {
      switch outcome {
      case .editStubs(let edits): seen.edits = edits
      case .done(let title, .stubs(let forward, let backward)):
        seen.title = title
        seen.back = backward
        #expect(seen.edits.isEmpty, "the step is noted before it is done")
        seen.edits = forward
      case .say(let notice, let undoable, _):
        (seen.said, seen.kind, seen.isUndoable) = (notice.text, notice.kind, undoable)
      default: Issue.record("\(outcome)")
      }
    }
    return seen
  }

  private func pass(_ name: String, _ patch: JSONValue, _ path: String = "/v1/users/*") -> Stub {
    Stub(
      name: name, when: PatternChoices(ids: path.hasSuffix("*") ? .segment : .exact).pattern(of: exchange().request),
      then: .pass(PassChanges(mergePatch: patch)))
  }

  @Test func aMemberIsPatchedForEveryID() throws {
    let stub = pass("patch GET /v1/users/{id}", ["a": 2])
    #expect(
      try patch(exchange(), [.member("a")], to: 2)
        == Seen(
          edits: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: "a is 2 in GET /v1/users/{id}",
          said: "a is 2 in GET /v1/users/{id} from now on.", kind: .good, isUndoable: true))
    #expect(try patch(exchange(.cache), [.member("a")], to: 2).edits == [.add(stub, at: 0)])
    let only = try patch(exchange(), [.member("a")], to: 2, onlyThisID: true)
    #expect(only.edits == [.add(pass("patch GET /v1/users/7", ["a": 2], "/v1/users/7"), at: 0)])
    #expect(only.title == "a is 2 in GET /v1/users/7")
    let taken = try patch(
      exchange(), [.member("a")], to: 2, stubs: [Stub(name: stub.name, enabled: false, then: .hold(.both))])
    guard case .add(let added, 0)? = taken.edits.first else { return #expect(Bool(false), "nothing added") }
    #expect(added.name != stub.name && added.name.hasPrefix(stub.name) && taken.back == [.remove(name: added.name)])
  }

  @Test func whatAPatchCannotDoExactlyIsSaid() throws {
    let element = try patch(exchange(), [.member("list"), .element(1)], to: 9)
    #expect(element.edits == [.add(pass("patch GET /v1/users/{id}", ["list": [1, 9]]), at: 0)])
    #expect(
      element.said
        == "list[1] is 9 in GET /v1/users/{id} from now on. A patch cannot change one element: all of list stays as it is here."
    )
    #expect(element.kind == .warning && element.isUndoable)
    let null = try patch(exchange(), [.member("deep"), .member("b")], to: .null)
    #expect(null.edits == [.add(pass("patch GET /v1/users/{id}", ["deep": ["b": .null]]), at: 0)])
    #expect(null.said == "deep.b is null in GET /v1/users/{id} from now on. In a patch null removes the member.")
    #expect(null.kind == .warning)
    let gone = try patch(exchange(), [.member("no"), .member("such")], to: 1, document: [1, 2])
    #expect(gone.edits.isEmpty && gone.kind == .error && !gone.isUndoable)
    #expect(gone.said == "The answer has no such value any more.")
    let list = try patch(exchange(), [.element(1)], to: 9, document: [1, 2])
    #expect(list.edits == [.add(pass("patch GET /v1/users/{id}", [1, 9]), at: 0)])
    #expect(list.said.hasSuffix(" A patch cannot change one element: all of the answer stays as it is here."))
  }

  @Test func theSamePatchGoesOn() throws {
    let old = pass("mine", ["a": 5, "deep": ["c": 1]])
    let seen = try patch(exchange(), [.member("deep"), .member("b")], to: "y", stubs: [old])
    let new = pass("mine", ["a": 5, "deep": ["c": 1, "b": "y"]])
    #expect(
      seen
        == Seen(
          edits: [.replace(name: "mine", with: new)], back: [.replace(name: "mine", with: old)],
          title: "deep.b is \"y\" in GET /v1/users/{id}", said: "deep.b is \"y\" in GET /v1/users/{id} from now on.",
          kind: .good, isUndoable: true))
    // One that passes and patches nothing yet is it too.
    var plain = old
    plain.then = .pass(PassChanges(delay: .fixed(.seconds(2))))
    var patched = plain
    patched.then = .pass(PassChanges(delay: .fixed(.seconds(2)), mergePatch: ["a": 2]))
    #expect(
      try patch(exchange(), [.member("a")], to: 2, stubs: [plain]).edits == [.replace(name: "mine", with: patched)])
    // For this ID only, or off, or behind one that answers: another one.
    for (stubs, only) in [
      ([old], true), ([Stub(name: "first", then: .respond(CannedResponse(status: 200))), old], false),
    ] {
      guard case .add? = try patch(exchange(), [.member("a")], to: 2, stubs: stubs, onlyThisID: only).edits.first else {
        return #expect(Bool(false), "nothing added")
      }
    }
  }

  @Test func whatAWiderStubChangesStaysChanged() throws {
    let wide = Stub(name: "wide", then: .pass(PassChanges(delay: .fixed(.seconds(2)), mergePatch: ["z": 1])))
    let seen = try patch(exchange(), [.member("a")], to: 2, stubs: [wide])
    guard case .add(let stub, 0)? = seen.edits.first, case .pass(let changes) = stub.then else {
      return #expect(Bool(false), "nothing added")
    }
    #expect(changes == PassChanges(delay: .fixed(.seconds(2)), mergePatch: ["z": 1, "a": 2]))
    var off = wide
    off.enabled = false
    guard case .add(let other, 0)? = try patch(exchange(), [.member("a")], to: 2, stubs: [off]).edits.first else {
      return #expect(Bool(false), "nothing added")
    }
    #expect(other.then == .pass(PassChanges(mergePatch: ["a": 2])))
  }

  @Test(arguments: [
    (CannedResponse.Body.json(["a": 1, "z": [3]]), CannedResponse.Body.json(["a": 2, "z": [3]])),
    (.text("{\"a\":1,\"z\":[3]}"), .text("{\n  \"a\": 2,\n  \"z\": [\n    3\n  ]\n}")),
    (.data(Data("{\"a\":1}".utf8)), .text("{\n  \"a\": 2\n}")),
  ])
  func theOwnAnswerOfAStubIsChangedAsItIsWritten(_ body: CannedResponse.Body, _ changed: CannedResponse.Body) throws {
    func stub(_ body: CannedResponse.Body) -> Stub {
      Stub(name: "s", then: .respond(CannedResponse(status: 404, headers: [HeaderField("X", "1")], body: body)))
    }
    let seen = try patch(exchange(.stub, stub: "s"), [.member("a")], to: 2, stubs: [stub(body)])
    #expect(
      seen
        == Seen(
          edits: [.replace(name: "s", with: stub(changed))], back: [.replace(name: "s", with: stub(body))],
          title: "a is 2 in “s”", said: "a is 2 in the stub “s” from now on.", kind: .good, isUndoable: true))
  }

  /// Where a stub's answer cannot be changed in its place, a copy of what was answered is put before it.
  @Test func aCopyTakesThePlaceOfAnAnswerThatCannotBeChanged() throws {
    let sequence = Stub(name: "s", then: .sequence([.respond(CannedResponse(status: 200))], afterwards: .repeat))
    let none = Stub(name: "s", then: .respond(CannedResponse(status: 200)))
    let broken = Stub(name: "s", then: .respond(CannedResponse(status: 200, body: .text("no JSON"))))
    let file = Stub(name: "s", then: .respond(CannedResponse(status: 200, body: .file("a.json"))))
    for (by, name, stubs) in [
      (Exchange.Answerer.stub, "s", [sequence]), (.stub, "s", [none]), (.stub, "s", [broken]), (.stub, "s", [file]),
      (.stub, "gone", []), (.code, "c", []),
    ] {
      let seen = try patch(exchange(by, stub: name), [.member("list"), .element(0)], to: true, stubs: stubs)
      guard case .add(let stub, 0)? = seen.edits.first, case .respond(let response) = stub.then else {
        return #expect(Bool(false), "nothing added")
      }
      #expect(
        stub.name == "GET /v1/users/{id}" && stub.when == pass("x", [:]).when && seen.back == [.remove(name: stub.name)]
      )
      #expect(response.status == 200 && response.body == .json(["a": 1, "list": [true, 2], "deep": ["b": "x"]]))
      #expect(seen.title == "list[0] is true in GET /v1/users/{id}" && seen.kind == .good && seen.isUndoable)
      #expect(seen.said == "\(seen.title) from now on, with the rest of the answer as it is here.")
    }
    var open = exchange(.code, stub: "c")
    open.response = nil
    let seen = try patch(open, [.member("a")], to: 2)
    #expect(seen.edits.isEmpty && seen.kind == .error)
    #expect(seen.said == "The stub that answered cannot be changed so; s makes one of its answer.")
  }

  @Test func theWayToAValueIsSaidAsInACode() {
    #expect(LivePatch.text(of: []) == "the answer" && LivePatch.text(of: [.member("a")]) == "a")
    #expect(LivePatch.text(of: [.member("a"), .element(0), .member("b\u{1B}"), .element(12)]) == "a[0].b␛[12]")
    #expect(LivePatch.text(of: [.element(3), .member("x")]) == "[3].x")
  }

  @Test func whatIsInForceIsWhatTheFirstPatchSays() {
    func inForce(_ exchange: Exchange, _ stubs: [Stub]) -> [[JSONStep]: JSONValue] {
      var snapshot = StubsSnapshot()
      snapshot.board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
      return LivePatch.inForce(for: exchange, snapshot)
    }
    let one = pass("one", ["a": 2, "deep": ["b": "y"]])
    let two = pass("two", ["a": 3])
    let expected: [[JSONStep]: JSONValue] = [[.member("a")]: 2, [.member("deep"), .member("b")]: "y"]
    #expect(inForce(exchange(), [one, two]) == expected && inForce(exchange(.cache), [one]) == expected)
    #expect(inForce(exchange(), [two, one]) == [[.member("a")]: 3] && inForce(exchange(), []) == [:])
    var off = one
    off.enabled = false
    #expect(inForce(exchange(), [off, two]) == [[.member("a")]: 3] && inForce(exchange(), [off]) == [:])
    for by in Exchange.Answerer.allCases where by != .network && by != .cache {
      #expect(inForce(exchange(by), [one]) == [:], "\(by)")
    }
    #expect(inForce(exchange(url: "https://api.example.com/v1/orders"), [one]) == [:])
    let plain = Stub(name: "plain", then: .pass(PassChanges(delay: .fixed(.seconds(1)))))
    #expect(inForce(exchange(), [plain, one]) == expected)
  }

  // MARK: In the line

  private func driver(_ body: String, _ width: Int = 100, _ height: Int = 40) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.add([.make(1, "GET", "https://api.example.com/v1/users/7", body: body)])
    return driver
  }

  private func edited(_ driver: ConsoleDriver) -> String? {
    driver.state.requests.detail.edit.map { LivePatch.text(of: $0.steps) }
  }

  @Test func valuesAreGoneThroughUpAndDown() {
    var driver = driver(#"{"a":1,"o":{},"l":["x",{"b":null}],"t":true}"#)
    driver.press("e")
    var seen = [edited(driver)]
    for key in ["tab", "down", "tab", "tab"] {
      driver.press(key)
      seen.append(edited(driver))
    }
    #expect(seen == ["a", "l[0]", "l[1].b", "t", nil], "behind the last one it ends")
    driver.press("e")
    seen = [edited(driver)]
    for key in ["up", "shift-tab", "up", "up"] {
      driver.press(key)
      seen.append(edited(driver))
    }
    #expect(seen == ["t", "l[1].b", "l[0]", "a", nil])
    #expect(driver.board.entries.isEmpty, "nothing was changed")
    // From above the body to its first value, from below the last one to that.
    driver.press("g e")
    #expect(edited(driver) == "a")
    driver.press("esc G e")
    #expect(edited(driver) == "t")
    // A list is edited whole where the cursor is on it.
    driver.press("esc k k k k k k e")
    #expect(edited(driver) == "l" && driver.state.requests.detail.edit?.editor.text == #"["x",{"b":null}]"#)
  }

  /// From the list and in the detail; what comes bit by bit is told of once.
  @Test(arguments: ["e", "enter enter e"]) func aValueOfAnAnswerThatIsComingIsEditedWhenAllOfItIsThere(_ keys: String) {
    var driver = ConsoleDriver(width: 120)
    driver.add([.make(1, body: nil, phase: .receiving)])
    driver.press(keys)
    let sentence = "The answer is still coming; its value is edited as soon as all of it is there."
    #expect(driver.shows(sentence) && edited(driver) == nil)
    driver.state.perform(.hush(onlyAboutHeld: false))
    driver.add([.make(1, body: "{\"a\":", phase: .receiving)])
    #expect(edited(driver) == nil && !driver.shows(sentence))
    driver.add([.make(1, body: "{\"a\":1}")])
    #expect(edited(driver) == "a")
  }

  /// The keys of the field are to be seen.
  @Test func thatAnAnswerIsComingIsSaidNoLongerThanItIsTrue() {
    var driver = ConsoleDriver(width: 120)
    driver.add([.make(1, body: nil, phase: .receiving)])
    driver.press("e")
    #expect(driver.shows("The answer is still coming"))
    driver.add([.make(1, body: "{\"a\":1}")])
    #expect(driver.shows("enter live from now on") && !driver.shows("The answer is still coming"))
  }

  @Test(arguments: ["esc", "right", "k", "n", "tab", "x"]) func whoGoesOnMeanwhileIsNotInterrupted(_ key: String) {
    var driver = ConsoleDriver(width: 120)
    driver.add([.make(1, body: nil, phase: .receiving)])
    driver.press("e \(key)")
    driver.add([.make(1, body: "{\"a\":1}")])
    #expect(edited(driver) == nil)
  }

  /// What will never be JSON is not waited for.
  @Test func noValueOfAStreamIsWaitedFor() {
    var driver = ConsoleDriver(width: 120)
    let headers = [HeaderField("Content-Type", "text/event-stream")]
    driver.add([.make(1, headers: headers, body: "data: 1", phase: .receiving)])
    driver.press("e")
    #expect(driver.shows("There is no JSON in the answer; s makes a stub of it, e in that edits any body."))
  }

  @Test func whatIsNoJSONOfAnAnswerIsNotEditedHere() {
    var asked = driver("{\"a\":1}")
    asked.press("enter enter right e")
    #expect(asked.shows("R edits the request and sends it again.") && edited(asked) == nil)
    for body in ["text", ""] {
      var driver = ConsoleDriver(width: 120)
      driver.add([.make(1, headers: [HeaderField("Content-Type", "text/plain")], body: body)])
      driver.press("enter enter e")
      #expect(driver.shows("There is no JSON in the answer; s makes a stub of it, e in that edits any body."))
    }
    for (truncated, why) in [(true, "only a part of it was recorded"), (false, "it is not quite JSON")] {
      var exchange = Exchange.make(1, body: "{\"a\":1,")
      exchange.response?.truncated = truncated
      var driver = ConsoleDriver(width: 120)
      driver.add([exchange])
      driver.press("enter enter e")
      #expect(driver.shows("The answer cannot be edited in its place: \(why)."))
    }
    var nothing = driver("[[],{}]")
    nothing.press("e")
    #expect(nothing.shows("There is no value below that could be edited in a line.") && edited(nothing) == nil)
  }

  @Test func fromTheLimitOnTheAnswerIsEditedAsAWhole() {
    for (more, isEdited) in [(0, true), (1, false)] {
      let start = "{\"a\":1,\"b\":["
      let count = StubProposal.readableLimit - start.utf8.count - 2 + more
      let body = start + String(repeating: " ", count: count) + "]}"
      #expect(body.utf8.count == StubProposal.readableLimit + more)
      var driver = ConsoleDriver(width: 120)
      driver.add([.make(1, body: body)])
      driver.press("enter enter e")
      #expect((edited(driver) == "a") == isEdited)
      let size = Wording.size(Int64(StubProposal.readableLimit))
      #expect(driver.shows("From \(size) on, s and e edit the answer as a whole.") == !isEdited)
    }
  }

  @Test func whatIsInForceStandsBehindTheValueThatItTakesThePlaceOf() {
    var driver = driver(#"{"a":1,"b":{"c":[1]},"d":"x"}"#)
    driver.board = StubBoard(
      revision: 1, entries: [.init(stub: pass("p", ["a": 2, "b": ["c": [2, 3]], "d": "x"]), origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("enter enter")
    func row(_ name: String) -> String { driver.lines.first { $0.contains("\"\(name)\":") } ?? "" }
    #expect(row("a").contains("\"a\": 1,  ◆ now 2") && row("c").contains("\"c\": [  ◆ now [2,3]"), "\(driver.screen)")
    #expect(!row("d").contains("◆") && !row("b").contains("◆"), "what is the same is not said")
    driver.press("right")
    #expect(!driver.shows("◆ now"))
    driver.press("left b")
    #expect(!driver.shows("◆ now"))
  }

  @Test func theFootSaysWhatWouldBeInForce() {
    for height in [12, 16, 40] {
      var driver = driver(#"{"a":1,"b":2}"#, 100, height)
      driver.press("e")
      let foot = driver.layout.detail.maxY - 1
      #expect(driver.lines[foot] == " ◆ GET /v1/users/{id}  a", "\(height): \(driver.screen)")
      driver.type("5")
      #expect(driver.lines[foot] == " ◆ GET /v1/users/{id}  a 1 → 5")
      driver.press("ctrl-r")
      #expect(driver.lines[foot] == " ◆ GET /v1/users/7  a 1 → 5")
      driver.press("esc")
      #expect(
        driver.lines[foot].hasSuffix(" $.a") == (driver.layout.detail.height > 4), "\(height): \(driver.lines[foot])")
      let grid = driver.state.draw().grid
      if height == 40 {
        let end = driver.layout.detail.maxX
        #expect(grid[Point(x: end - 2, y: foot)]?.style == driver.state.theme[.footerKey])
        #expect(grid[Point(x: end - 1, y: foot)]?.style != driver.state.theme[.footerKey])
      }
    }
  }

  /// In few rows what they show is worth more than what stands at the foot.
  @Test(arguments: [(9, 2), (10, 3), (12, 4), (14, 5)]) func inFewRowsTheFootIsLeftOut(_ height: Int, _ rows: Int) {
    var driver = driver(#"{"a":1,"b":2}"#, 100, height)
    driver.press("e")
    let foot = driver.layout.detail.maxY - 1
    #expect(driver.layout.detail.height == rows)
    #expect(driver.lines[foot].hasPrefix(" ◆ GET ") == (rows > 2), "\(driver.screen)")
    driver.press("esc")
    #expect(driver.lines[foot].contains(" $.a") == (rows > 4), "\(driver.screen)")
  }

  /// A path that is longer than the pane leaves a column at either side.
  @Test func aLongPathStandsWithinThePane() {
    var driver = driver("{\"\(String(repeating: "a", count: 90))\":1}", 60)
    driver.press("enter enter G k")
    let foot = driver.lines[driver.layout.detail.maxY - 1]
    #expect(foot.hasPrefix("  $.aa") && foot.hasSuffix("a…") && textWidth(foot) == 59, "\(driver.screen)")
  }
}
