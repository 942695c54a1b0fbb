import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Small things of the console over all their bounds, and the whole of what becomes of them. With `PATCHBAY_WRITE_SCREENS`
/// set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeWordsTests {
  @Test func scrollbarsAndNotices() throws {
    var out = ""
    for height in 1...6 {
      for count in [0, height, height + 1, height * 2, 40] {
        for top in [0, 1, max(0, count - height) / 2, max(0, count - height - 1), max(0, count - height), 50] {
          var grid = Grid(Size(width: 3, height: height))
          grid.drawScrollbar(.builtIn, top: top, count: count)
          var half = Grid(Size(width: 3, height: height))
          half.drawScrollbar(.builtIn, top: top, count: count, seen: 2)
          func rows(_ grid: Grid) -> String { grid.lines.map { $0 == "  ┃" ? "#" : $0.isEmpty ? "." : "?" }.joined() }
          out += "\(height) \(count) \(top): \(rows(grid)) \(rows(half))\n"
        }
      }
    }
    let lines = [PageLine([.init("A line", .text)]), .hint("x", "fail"), PageLine([.init("人物 wider than that", .dim)])]
    for size in [(40, 12), (39, 11), (24, 3), (23, 2), (10, 9), (60, 4)] {
      var grid = Grid(Size(width: size.0, height: size.1))
      grid.drawNotice(lines, .builtIn)
      out += "notice \(size)\n\(grid.text)\n"
    }
    for width in [10, 20, 38, 39, 60] {
      var grid = Grid(Size(width: width, height: 4))
      grid.drawTooSmall(.builtIn)
      out += "small \(width)\n\(grid.text)\n"
    }
    try expectRecorded(out, "Walks/drawing.txt")
  }

  @Test func menusAtAllSizes() throws {
    var out = ""
    for (count, selected) in [(0, 0), (1, 0), (3, 2), (20, 0), (20, 7), (20, 19)] {
      for (size, isOffer) in [((80, 12), false), ((60, 9), false), ((120, 20), false), ((60, 12), true)] {
        var driver = Sample.driver(size.0, size.1)
        driver.send(.tick)
        let context = driver.state.context
        var menu = Menu<Int>(
          title: "A menu",
          items: (0..<count).map { number in
            Menu<Int>.Item(
              number < 9 ? "\(number + 1)" : nil, "item \(number)",
              detail: number % 3 == 0 ? "" : "detail of \(number)",
              isOn: count == 20 ? nil : number == 1, number)
          }, selected: selected, note: count == 1 ? "" : "what other keys do",
          text: count == 3 ? ["A sentence above."] : [])
        menu.isOffer = isOffer
        var grid = Grid(Size(width: size.0, height: size.1))
        menu.draw(on: &grid, context)
        out += "== \(count) items, \(selected) selected, \(size)\(isOffer ? ", offer" : "")\n\(grid.text)\n"
        for y in 0..<size.1 {
          out +=
            (0..<size.0).map { x in
              var clicked = menu
              let event = MouseEvent(.press(.left), at: Point(x: x, y: y))
              switch clicked.handle(.input(.mouse(event)), context) {
              case .chosen(let item): return String(item.choice % 10)
              case .moved: return "m"
              case .dismissed: return "."
              case .other: return "o"
              case .nothing: return "-"
              }
            }.joined() + "\n"
        }
        for name in [
          "down", "up", "pgdn", "pgup", "home", "end", "j", "k", "g", "G", "enter", "esc", "q", "ctrl-c", "1", "9", "x",
          "tab",
        ] {
          var pressed = menu
          guard let key = Key(parsing: name) else { throw StubError("no key \(name)") }
          let answer: String
          switch pressed.handle(.input(.key(key)), context) {
          case .chosen(let item): answer = "chosen \(item.choice)"
          case .moved: answer = "moved"
          case .dismissed: answer = "dismissed"
          case .other: answer = "other"
          case .nothing: answer = "nothing"
          }
          out += "\(name) \(answer) \(pressed.selected), "
        }
        for kind in [MouseEvent.Kind.wheelDown, .wheelUp, .press(.right), .move] {
          var turned = menu
          _ = turned.handle(.input(.mouse(MouseEvent(kind, at: Point(x: 1, y: 1)))), context)
          out += "\(kind) \(turned.selected), "
        }
        out += "\n"
      }
    }
    try expectRecorded(out, "Walks/menus-of-all-sizes.txt")
  }

  private static let asks = [
    "", " ; ", "json: {\"a\": \"x;y\"}; contains: \"b\"", "json: {\"a\":[1,{\"b\":\";\"}]} ; matches: \"^a;b$\"",
    "json: \"a\\\";b\"; equals: \"c\"",
    "json: 7", "json: [1;2]", "{\"json\": {\"a\": 1}}", "json", "json: ", "other: 1",
    "form: {\"a\":\"1\"}; multipart: {\"f\":\"*\"}", "pointer: {\"/a\": 1};",
    "graphql: \"Get\"", "graphql: {\"operation\":[\"A\",\"B\"],\"variables\":{\"x\":1}}",
    "json: {\"a\":1}}; equals: \"x\"",
  ]

  @Test func fieldsOfForms() throws {
    var out = ""
    for text in Self.asks {
      do {
        let pattern = try BodyAsks.pattern(text)
        out +=
          "\(text) → \(pattern.map { RequestPattern(body: $0).json.compact } ?? "nothing") → \(BodyAsks.text(pattern))\n"
      } catch { out += "\(text) ✗ \(error)\n" }
    }
    for text in [
      "", "a*", "~^a$", "\\~a", "\\\\a", "[\"a\",\"b*\"]", "{\"not\":\"x\"}", "[::1]", "\\[\"a\"]", "{x", "~", "\\",
    ] {
      let pattern = PatternText.pattern(text)
      out += "\(text) → \(pattern.map { $0.json.compact } ?? "nothing") → \(PatternText.text(pattern))"
      out += " → \(BodyAsks.contains(text).map { $0.json.compact } ?? "nothing")\n"
    }
    for text in [
      "", "a=1", "a=1; b=2", " a = 1 ;; !c ; d=", "a", "a=x\\;y; b=\\ ", "=", "!", "a=b=c", "a=~^x;b=[\"p\",\"q\"]",
    ] {
      do {
        let all = try PatternText.conditions(text, sign: "=")
        out +=
          "\(text) → \(all.map { "\($0.name)|\($0.value?.json.compact ?? "none")" }) → \(PatternText.text(all, sign: "="))\n"
      } catch { out += "\(text) ✗ \(error)\n" }
    }
    for text in ["", "A: b", "A:b\n\n  \nC :  d  ", ": x", "none", "A: b:c", "A:"] {
      do {
        out += "\(text.debugDescription) → \(PatternText.text(try PatternText.headers(text)).debugDescription)\n"
      } catch { out += "\(text.debugDescription) ✗ \(error)\n" }
    }
    for key in ["any", "not"] {
      for text in ["", " ", "[]", "{\"path\":\"/a\"}", "[{\"path\":\"/a\"},{\"method\":\"GET\"}]", "[{}]", "x", "[1]"] {
        do {
          out += "\(key) \(text) → \(BodyAsks.text(try BodyAsks.patterns(text, key)))\n"
        } catch { out += "\(key) \(text) ✗ \(error)\n" }
      }
    }
    for text in [
      "", "2", "20", "200", "404", "teapot", "not found", "99", "100", "599", "600", "5xx", "gone", "-1", " 201 ",
    ] {
      out +=
        "\(text) → \(StatusText.code(text) ?? -1) \(StatusText.meaning(of: text)) \(StatusText.suggestions(for: text))\n"
    }
    for text in ["", "a%20b", "%E6%97%A5", "%e6%97", "%ZZ", "%2F%3F%23", "%00%1B", "100%", "%25", "a+b", "%C3%BC%C3"] {
      out += "\(text) → \(PercentText.shown(text))\n"
    }
    let now = Timestamp(microseconds: 1_700_000_000_123_456)
    for past: Int64 in [
      0, 1, 999_999, 1_000_000, 59_999_999, 3_600_000_000, 86_399_000_000, 86_400_000_000, 172_800_000_000,
      31_536_000_000_000,
    ] {
      let at = Timestamp(microseconds: now.microseconds - past)
      for offset in [0, 19_800, -36_000] {
        out +=
          "\(past) \(offset): \(Wording.time(at, utcOffset: offset)) \(Wording.time(at, utcOffset: offset, fraction: false))"
        out +=
          " \(Wording.day(at, now: now, utcOffset: offset) ?? "today") \(Wording.moment(at, now: now, utcOffset: offset)) "
        out += "\(Wording.wholeMoment(at, utcOffset: offset))"
        for width in [4, 5, 6, 8, 12, 14, 17, 23] {
          out += "|\(Wording.moment(at, now: now, utcOffset: offset, width: width))"
        }
        out += "\n"
      }
    }
    for share in [-0.1, 0, 0.001, 0.004, 0.005, 0.01, 0.095, 0.1, 0.5, 0.994, 0.995, 0.999, 1, 1.5] {
      out += "\(share) \(Wording.percent(share)), "
    }
    for name in ["timedOut", "cannotConnectToHost", "a", "", "HTTPVersion", "notURL"] {
      out += "\(name) \(Wording.spaced(name)), "
    }
    for number in [0, 1, 2, 1_000] { out += "\(Wording.count(number, "stub")), " }
    for problems in [[], ["one"], ["one", "two"], ["one", "two", "three"]] { out += "\(Wording.first(of: problems)), " }
    try expectRecorded(out + "\n", "Walks/fields.txt")
  }

  @Test func wordsOfStubs() throws {
    let stubs = [
      #"{"name":"a","then":{"respond":{}}}"#,
      #"{"name":"a","when":{"method":["GET","PUT"],"host":"h","path":"/p","query":{"a":"1","b":null},"headers":{"X":"y"},"body":{"json":{"a":1}},"process":"d"},"skip":1,"times":1,"chance":0.5,"then":{"respond":{"status":404,"json":{"a":1},"delay":"300ms"}}}"#,
      #"{"name":"a","when":{"url":{"matches":"^a"},"port":8080,"scheme":"https"},"skip":2,"times":2,"chance":0.005,"seed":7,"then":{"respond":{"status":200,"body":"some text","delay":{"from":"1s","to":"2s"},"throttle":"20kB/s"}}}"#,
      #"{"name":"a","when":{"path":["a","b",{"matches":"c"}]},"scenario":{"name":"s","in":"one","to":"two"},"then":{"respond":{"base64":"AAEC","dribble":{"pieces":4,"over":"2s"}}}}"#,
      #"{"name":"a","when":{"path":{"not":["a","b"]}},"enabled":false,"then":{"respond":{"filler":"1MiB"}}}"#,
      #"{"name":"a","when":{"any":[{"path":"/a"},{"path":"/b"}],"not":{"method":"GET"}},"then":{"respond":{"file":"a.json"}}}"#,
      #"{"name":"a","then":{"respond":{"folder":"files","otherwise":404}}}"#,
      #"{"name":"a","then":{"respond":{"events":[{"data":1},{"data":2}]}}}"#,
      #"{"name":"a","then":{"fail":"timedOut"}}"#,
      #"{"name":"a","then":{"fail":{"error":"connectionReset","delay":"1s"}}}"#,
      #"{"name":"a","then":{"fail":{"domain":"D","code":-7,"message":"M"}}}"#,
      #"{"name":"a","then":{"fail":{"error":"timedOut","after":{"status":200,"body":"abc","bytes":2}}}}"#,
      #"{"name":"a","then":{"hold":"request"}}"#,
      #"{"name":"a","then":{"hold":"response"}}"#, #"{"name":"a","then":{"hold":"both"}}"#,
      #"{"name":"a","then":{"pass":{}}}"#,
      #"{"name":"a","then":{"pass":{"to":"https://o.example","delay":"2s","status":201,"headers":{"A":"b","C":null},"mergePatch":{"a":1},"replace":[{"find":"x","with":"y"}]}}}"#,
      #"{"name":"a","then":{"pass":{"throttle":"1kB/s","request":{"method":"PUT","headers":{"A":"b"},"path":"/x","json":{"a":1}}}}}"#,
      #"{"name":"a","then":{"sequence":[{"respond":{"status":500}},{"pass":{}},{"fail":"timedOut"}],"afterwards":"repeat"}}"#,
      #"{"name":"a","then":{"sequence":[{"respond":{"status":500}},{"hold":"request"}],"afterwards":"pass"}}"#,
    ]
    var out = ""
    for text in stubs {
      let stub = try Stub(json: JSONValue(parsing: text))
      out +=
        "\(text)\n  \(StubWords.pattern(stub.when))\n  \(StubWords.action(stub.then)) | \(StubWords.limits(stub)) | \(StubWords.role(stub.then))\n"
      out += "  \(StubWords.answers(stub).map { "\($0.label): \(StubWords.action($0.action))" })\n"
    }
    for origin in [StubBoard.Origin.console, .file("/a/b.yaml"), .code("demo 7")] {
      out += StubWords.set(origin) + "\n"
      for edited in [false, true] {
        out +=
          "\(StubWords.origin(StubBoard.Entry(stub: Stub(name: "a", then: .hold(.request)), origin: origin, edited: edited)))\n"
      }
    }
    try expectRecorded(out, "Walks/stub-words.txt")
  }

  @Test func proposals() throws {
    let sets = [
      ["/v1/a", "/v1/b"], ["/v1/ab", "/v1/ac"], ["/v1", "/v1/b"], ["/v1/a", "/v1/a"], ["/v1/1", "/v1/22"],
      ["/a", "/b"], ["/a/1/x", "/a/2/y"],
      ["/v1/orders", "/v1/orders/7"], ["/v1/*x", "/v1/*y"], ["/"], ["", "/a"], ["/v1/a?x=1", "/v1/a?x=2"],
    ]
    var out = ""
    for paths in sets {
      for hosts in [["https://h.example", "https://h.example"], ["https://h.example:8443", "https://i.example"]] {
        let exchanges = paths.enumerated().map { place, path in
          Exchange.make(Int64(place + 1), place == 1 && hosts[0] != hosts[1] ? "PUT" : "GET", hosts[place % 2] + path)
        }
        out += "\(paths) \(hosts[1]) → \(StubProposal.sequence(of: exchanges)?.json.compact ?? "none")\n"
        out += "  \(exchanges.map { StubProposal.stub(of: $0)?.json.compact ?? "none" })\n"
        out += "  \(exchanges.map { StubProposal.pattern(of: $0.request).json.compact })\n"
        out +=
          "  \(PatternChoices.telling(apart: exchanges.map(\.request)).pattern(of: exchanges[0].request).json.compact)\n"
      }
    }
    for url in ["https://h:81/a", "http://h", "https://h:443", "h:7", "", "https://[::1]:9/"] {
      let request = RecordedRequest(method: "GET", url: url)
      out +=
        "\(url) → \(StubProposal.port(of: url) ?? -1) \(StubProposal.endpoint(request)) \(PatternChoices.query(of: url).count)\n"
    }
    for path in ["/a/1", "/a/b", "/550e8400-e29b-41d4-a716-446655440000/x", "/a*b/1", "/1/2/3", "", "/a.b/7"] {
      out += "\(path) → \(PatternChoices.wildcardPath(path) ?? "none") \(PatternChoices.segmentPath(path) ?? "none")\n"
    }
    try expectRecorded(out, "Walks/proposals.txt")
  }

  @Test func theOldestSummariesLeaveAFullCache() {
    var cache = SummaryCache(capacity: 3)
    for id in Int64(1)...8 {
      cache.put(Exchange.make(id).summary)
      cache.put(Exchange.make(id).summary)
      #expect((1...8).filter { cache[$0] != nil } == Array(max(1, id - 2)...id), "after \(id)")
      #expect(cache.count == min(3, Int(id)))
    }
    cache.change(8) { $0.marked = true }
    cache.change(1) { $0.marked = true }
    #expect(cache[8]?.marked == true && cache[7]?.marked == false && cache[1] == nil)
    cache.refresh(Exchange.make(7, "PUT").summary)
    cache.refresh(Exchange.make(1, "PUT").summary)
    #expect(cache[7]?.method == "PUT" && cache[1] == nil)
  }

  @Test func whatTwoChangedIsNamedInOrder() {
    func stub(_ number: Int) -> Stub {
      Stub(
        name: "\(number)", enabled: number != 1, when: RequestPattern(methods: ["\(number)"]),
        then: .respond(CannedResponse(status: 200 + number)),
        skip: number, chance: Double(number) / 10, seed: UInt64(number), times: number,
        scenario: Stub.Scenario("s\(number)"))
    }
    let all = ["name", "pattern", "action", "skip", "chance", "seed", "times", "scenario"]
    let merge = StubMerge(base: stub(1), mine: stub(2), theirs: stub(3))
    #expect(merge.conflicts == all && merge.merged == stub(2))
    #expect(
      StubMerge(base: stub(1), mine: stub(2), theirs: stub(1))
        == StubMerge(base: stub(2), mine: stub(2), theirs: stub(2)))
    #expect(StubMerge(base: stub(1), mine: stub(1), theirs: stub(3)).merged == stub(3))
    #expect(StubMerge(base: stub(1), mine: stub(3), theirs: stub(3)).conflicts.isEmpty)
  }

  @Test func aLinkIsNewAndWholeUnlessMoreIsSaid() {
    let row = LinkRow(
      instance: 1, process: HarnessProcess(name: "a", pid: 2), executable: "/a", entry: .attach,
      since: Timestamp(microseconds: 3))
    #expect(row.ended == nil && row.revision == 0 && row.degree == .full && row.shed == Shed() && row.exchanges == 0)
    #expect(row.parent == 0 && row.restarts == 0 && !row.isThrottled && !row.isStalled)
    let settings = ViewSettings()
    #expect(settings.theme == "dark" && settings.columns.isEmpty && settings.widths.isEmpty && settings.widthsFor == 0)
    #expect(
      settings.detailBeside == nil && settings.listShare == 50 && settings.mouse && settings.wrap
        && !settings.lineNumbers)
    #expect(settings.filters == SavedFilter.usual && !settings.tourDone)
    let setup = ConsoleSetup()
    #expect(
      setup.mode == .listen && setup.socket.isEmpty && setup.utcOffset == 0 && setup.filter.isEmpty
        && !setup.withSecrets)
    #expect(!OutputLine(at: Timestamp(microseconds: 0), stream: .output, text: "a").isOpen)
    #expect(ExchangeChange(Exchange.make(1).summary).matches && IDBatch(token: 1, ids: []).isLast)
    #expect(ImportReport(name: "a", ids: []).leftOut == 0 && PreviewResult(matching: 1, of: 2).newest.isEmpty)
  }

  private func said(_ outcomes: inout Outcomes) -> [String] {
    outcomes.drain().map { outcome in
      switch outcome {
      case .say(let notice, _, _): notice.text
      case .effect(let effect): "\(effect)"
      case .requests(let message): "\(message)"
      case .stubs(let message): "\(message)"
      default: "other"
      }
    }
  }

  @Test func theUndoLogGoesBackAndForth() {
    var log = UndoLog()
    var out = Outcomes()
    log.undo(&out)
    log.redo(&out)
    #expect(said(&out) == ["There is nothing to undo.", "There is nothing to redo."])
    let at = Timestamp(microseconds: 0)
    for number in 1...503 { log.add(.init(title: "\(number)", at: at, change: .deleted([Int64(number)]))) }
    #expect(log.steps.count == 500 && log.position == 500 && log.newest?.title == "503" && log.steps[0].title == "4")
    log.amend(title: "more", .deleted([503, 504]))
    #expect(log.newest == .init(title: "more", at: at, change: .deleted([503, 504])))
    log.undo(&out)
    #expect(
      said(&out) == ["Undone: more", "setRemoved"].map { $0 == "setRemoved" ? "setDeleted([503, 504], false)" : $0 })
    log.amend(title: "not the newest", .deleted([1]))
    #expect(log.newest?.title == "502" && log.steps.last?.title == "more" && log.canUndo)
    log.redo(&out)
    #expect(said(&out) == ["Done again: more", "setDeleted([503, 504], true)"])
    log.go(to: 498, &out)
    #expect(
      said(&out) == ["setDeleted([503, 504], false)", "setDeleted([502], false)", "Back to the state after: 501"])
    log.go(to: 499, &out)
    #expect(said(&out) == ["setDeleted([502], true)", "Back to the state after: 502"])
    log.go(to: 0, &out)
    #expect(said(&out).last == "Back to the state at the start." && !log.canUndo && log.newest == nil)
    log.go(to: 1, &out)
    log.add(.init(title: "new", at: at, change: .restored([7])))
    #expect(log.steps.map(\.title) == ["4", "new"] && log.position == 2)
  }
}
