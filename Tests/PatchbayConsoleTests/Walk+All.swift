import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

@testable import PatchbayConsole

extension Walk {
  private static let tall = Size(width: 120, height: 40)

  static let requests: [String: Walk] = [
    "list": Walk([
      "g j j m j m ' k G ctrl-u ctrl-d pgup pgdn home end F F [ [ ] ] c p", .wait(3_000_000), "p z u ctrl-r u O O",
      .colours, "o j enter O o j j j enter o esc C j space j J K right left > < enter",
    ]),
    "list-panes": Walk([
      "k k k enter > > < v v tab j j pgdn pgup G g tab right right right left esc", .resize(60, 20), "enter v",
      .resize(200, 50), .resize(40, 12), .resize(100, 30), "q",
    ]),
    "filter": Walk([
      "/", .type("status:5xx"), "enter \\ / up up down esc", "/", .type("meth"), "tab", .type("P"), "tab enter", "f",
      "esc", "/ ctrl-u", .type("host:nope"), "enter esc + j j enter esc esc - enter \\ f j enter esc", "/",
      .type("a(b"), "left left backspace del home end enter esc", .colours,
    ]),
    "remarks": Walk([
      "k k t", .type("slow, odd"), "enter ;", .type("見て look"), "left left backspace enter /",
      .type("tag:slow"), "enter esc d u m k m t", .type("two"), "enter y esc ' u u u U j j enter U k enter",
    ]),
    "detail-json": Walk(
      tall,
      [
        "k k k k enter tab j j space j j j - + + = # w L", .type("3"), "enter /", .type("a"),
        "enter n n N esc b b b e", .type("7"), "esc pgdn pgup G g y", .colours, "esc right right right j j j j left",
      ]),
    "detail-others": Walk(
      tall,
      [
        "G enter right right right k right k right k k right k k right k right k k", .colours,
      ]),
    "menus": Walk([
      "k k k k x j j j down tab right left k k esc ! j j k esc y j j j G g esc f esc X esc s esc",
      "S D esc T j k esc U esc",
      "h h H H M M", .colours,
    ]),
    "fault-menu": Walk([
      "k k k k x", .colours, .type("time"), "enter", "x", .type("50"),
      "esc esc k x tab tab tab shift-tab right right enter",
      "! j j enter u",
    ]),
    "held": Walk([
      "c", .colours, "x j j enter w j enter u a esc c e tab", .type("/v2"), "ctrl-s A",
    ]),
    "held-answer": Walk(["c a", .colours, "tab tab tab", .type("x"), "ctrl-s"]),
    "held-edit": Walk(["c e", .colours, "tab tab tab", .type("x"), "esc enter"]),
    "replay": Walk(["k k k k k r R", .colours, "tab end", .type("&x=1"), "tab tab", .type("body"), "ctrl-s"]),
    "export": Walk([
      "X", .type("/tmp/a.har"), "tab enter w", .type("/tmp/b"), "enter I", .type("/tmp/c"),
      .event("paths", .pathCompletions(of: "/tmp/c", ["/tmp/cd", "/tmp/cert/"])), "tab tab enter",
      .event("work", .work(token: 7, title: "Exporting", share: 0.42)), .wait(1_000_000),
      .event("work", .work(token: 7, title: "Exporting", share: 0.99)), .event("done", .workEnded(token: 7)),
      .event("report", .imported(ImportReport(name: "c.har", ids: [1190, 1191], leftOut: 3, problem: "Odd."))),
    ]),
    "mouse": Walk([
      .click(20, 5), .click(20, 5), .click(30, 2), .click(10, 1), .click(40, 6), .wheel(20, 5, .wheelDown),
      .wheel(20, 5, .wheelUp), .drag(40, 2, 46, 2), .wheel(50, 24, .wheelDown), .click(50, 20), .click(12, 0),
      .click(30, 0), .click(45, 0), .click(60, 0), .click(3, 0), .click(5, 29), "k k k k enter", .drag(50, 15, 50, 10),
      .drag(99, 18, 99, 26), .click(8, 17), .click(22, 17),
    ]),
    "many": Walk(
      [
        "G pgup pgup pgup ctrl-u pgdn ctrl-d g ctrl-d G k k k", .click(99, 10), .drag(99, 5, 99, 20),
        .wheel(20, 10, .wheelUp), .wheel(20, 10, .wheelUp), "F", .wheel(20, 10, .wheelUp), .colours, "m k m k m D esc",
        .event("more", .recorded(4_000)), .event("retired", .retired(exchanges: 10, below: 11)),
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        driver.add((1...120).map(one))
        return driver
      }),
  ]

  static let stubs: [String: Walk] = [
    "stubs": Walk([
      "2", .colours, "space space j J K K c u d u m j m space d u esc W w y r s f", .wait(10_000_000),
      "2 / ", .type("time"), "enter esc esc o j enter o n j j enter n enter B 0 0 l", .type("/s/x.yaml"), "enter",
      .colours,
    ]),
    "stub-sets": Walk([
      "2 j j j j j enter esc o", .colours, "j space j enter o esc n", .colours, "k enter l",
      .event("paths", .pathCompletions(of: "", ["a.yaml", "b.yaml"])), "esc 0", .colours, "H", .colours,
    ]),
    "scenario": Walk(
      [
        "2 s", .colours, "j enter s 3",
        .event(
          "moved",
          .scenarios(
            HarnessProcess(name: "demo", pid: 2), [ScenarioState(name: "cart", state: "full")])),
        "s esc",
        .event(
          "another",
          .scenarios(
            HarnessProcess(name: "demo", pid: 1), [ScenarioState(name: "cart", state: "paid")])), "s",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        let states: [(String?, String?)] = [(nil, "some"), ("some", "full"), ("full", "paid")]
        driver.board = StubBoard(
          revision: 1,
          entries: states.enumerated().map { place, pair in
            .init(
              stub: Stub(
                name: "step \(place)", when: RequestPattern(path: .glob("/cart")),
                then: .respond(CannedResponse(status: 200 + place)),
                scenario: Stub.Scenario("cart", in: pair.0, to: pair.1)),
              origin: .console)
          })
        driver.send(.board(driver.board, by: nil))
        return driver
      }),
    "stub-offer": Walk(tall, ["k k k k k s", .colours, "j j space tab enter", "1 g s esc 1 g m j m s", "1 g m j m S"]),
    "stub-empty": Walk(
      ["2", .colours, "a esc enter 3 4 5 1"],
      start: {
        ConsoleDriver(width: $0.width, height: $0.height, setup: ConsoleSetup(mode: .run(command: "swift test")))
      }),
  ]

  static let forms: [String: Walk] = [
    "form-new": Walk(
      tall,
      [
        "2 a", .type("mine"), "tab", .type("P"), "right right tab", .type("/v1/*"), "tab tab", .type("a: b"),
        "tab tab tab",
        .colours, "tab tab tab tab tab tab tab tab shift-tab shift-tab ctrl-s",
      ]),
    "form-respond": Walk(
      tall,
      [
        "2 e", .colours, "ctrl-b", .type("{\"a\":[1,2"), "ctrl-f", .type("]}"), "ctrl-f", .colours,
        "ctrl-z ctrl-y ctrl-a",
        "ctrl-c ctrl-x ctrl-v ctrl-g", .type("1"), "enter ctrl-g esc ctrl-r", .type("1"), "tab", .type("2"),
        "enter enter esc ctrl-p esc ctrl-b esc", .colours, "enter",
      ]),
    "form-hold": Walk(tall, ["2 j e", .colours, "tab tab tab tab tab tab tab tab right right esc"]),
    "form-fail": Walk(
      tall, ["2 j j e", .colours, "tab tab tab tab tab tab tab tab tab tab", .type("3"), "left right esc"]),
    "form-sequence": Walk(
      tall,
      [
        "2 j j j e", .colours, "tab tab tab tab tab tab tab tab tab tab tab ctrl-n ctrl-t ctrl-o right left ctrl-n",
        .colours,
        "ctrl-s",
      ]),
    "form-pass": Walk(
      tall,
      [
        "2 j j j j e", .colours, "tab tab tab tab tab tab tab tab tab", .type("9"), "tab tab", .type("x"),
        "ctrl-s esc enter",
      ]),
    "form-more": Walk(
      tall,
      [
        "2 a tab tab tab tab tab space", .type("1"), "tab", .type("1"), "tab", .type("1"), "tab", .type("1"), "tab",
        .type("1"), "tab", .type("1"), "tab", .type("1"), "tab", .type("1"), "tab", .type("1"), "tab", .colours,
        "right tab",
        .type("2"), "tab space tab", .type("2"), "tab", .type("2"), "tab space tab", .type("2"), "tab", .type("2"),
        "tab",
        .type("2"), "tab", .type("2"), "tab", .type("2"), .colours, "ctrl-s", .resize(60, 20), "tab tab pgdn",
        .resize(160, 50), "ctrl-s esc enter",
      ]),
    "form-kinds": Walk(
      tall,
      [
        "2 a tab tab tab tab tab tab right", .colours, "right right right right left left left left left",
        "tab tab tab space tab right right right right right right right ctrl-s",
      ]),
    "form-whole": Walk(
      tall,
      [
        "2 e", .colours, "tab tab tab tab tab tab tab tab tab tab tab tab tab tab tab", .colours, "ctrl-s", "j e",
        .colours, "ctrl-s j e", .colours,
        "ctrl-s j e", .colours, "ctrl-s j e", .colours, "esc",
      ], start: { wholeStubs($0) }),
    "form-words": Walk(
      tall,
      [
        "2 a tab right enter down down enter tab", .type("h"), "tab", .type("**"), "tab", .type("q=1; r~^a"), "tab tab",
        .type("$.a == 1; $.b"), "tab tab tab", .type("99999"), .colours, "ctrl-s",
      ]),
    "editor": Walk(
      tall,
      [
        "2 e ctrl-b end enter", .type("{\"k\": \"漢字 word\", \"n\": [1, 2, 3]}"),
        "home right right shift-right shift-right ctrl-c end ctrl-v ctrl-left ctrl-left ctrl-shift-right ctrl-x",
        "up down pgup pgdn shift-up shift-down shift-end shift-home backspace del enter tab ctrl-home ctrl-end",
        .paste("a\tb\nc\u{1B}[31m"), "ctrl-z ctrl-z ctrl-y ctrl-k ctrl-u ctrl-w alt-left alt-right", .click(40, 25),
        .drag(30, 24, 40, 26), .colours,
      ]),
  ]

  /// One stub of each kind, in which about everything is said.
  private static func wholeStubs(_ size: Size) -> ConsoleDriver {
    let texts = [
      #"{"name":"all","when":{"method":["GET","PUT"],"url":"http*","scheme":"https","host":"*.example","port":8443,"path":{"matches":"^/v1"},"query":{"a":"1","b":null},"headers":{"X":{"not":"y"}},"body":{"contains":"word","json":{"a":[1]}},"process":"demo","any":[{"path":"/a"}],"not":{"method":"GET"}},"skip":2,"chance":0.25,"seed":7,"times":3,"scenario":{"name":"s","in":"one","to":"two"},"then":{"respond":{"status":418,"headers":{"A":"1","B":["2","3"]},"json":{"k":"v"},"delay":{"from":"1s","to":"2s"},"throttle":"20kB/s"}}}"#,
      #"{"name":"file","then":{"respond":{"file":"a.json","dribble":{"pieces":4,"over":"2s"}}}}"#,
      #"{"name":"folder","then":{"respond":{"folder":"files","otherwise":404}}}"#,
      #"{"name":"events","then":{"respond":{"events":[{"event":"e","id":"1","data":{"a":1},"after":"10ms"},{"data":"x"}]}}}"#,
      #"{"name":"partial","then":{"fail":{"domain":"D","code":-7,"message":"M","delay":"1s","after":{"status":200,"body":"abc","bytes":2}}}}"#,
      #"{"name":"rewritten","then":{"pass":{"to":"https://o.example","request":{"method":"PUT","query":{"a":"1"},"headers":{"Y":"z"},"body":"b"},"delay":"2s","status":201,"headers":{"A":"b","C":null},"mergePatch":{"a":1},"replace":[{"find":"x","with":"y"}]}}}"#,
    ]
    var driver = ConsoleDriver(width: size.width, height: size.height)
    let stubs = texts.compactMap { text in try? Stub(json: JSONValue(parsing: text)) }
    driver.board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
    driver.send(.board(driver.board, by: nil))
    return driver
  }

  /// With redirects, held, without an end, without an answer.
  private static func timed(_ id: Int64) -> Exchange {
    var exchange = Exchange.make(id, "GET", "https://api.example.com/v1/\(id)", took: 2_000_000)
    if id <= 2 {
      exchange.timing = Timing(head: 1_500_000, end: 2_000_000, held: id == 1 ? 400_000 : 0)
      exchange.redirects = [
        RedirectHop(status: 302, url: "https://api.example.com/a", at: 500_000, target: "https://api.example.com/b"),
        RedirectHop(
          status: 307, url: "https://api.example.com/b", at: 900_000, target: "https://api.example.com/v1/\(id)"),
      ]
    } else if id == 3 {
      exchange.timing = Timing(head: nil, end: 10, held: 20)
    } else if id == 4 {
      exchange.timing = Timing(head: 1_000, end: nil)
      exchange.phase = .receiving
      exchange.outcome = nil
    } else {
      exchange.redirects = [RedirectHop(status: 301, url: "https://api.example.com/old", at: nil, target: nil)]
      exchange.timing = Timing(head: 0, end: 0)
    }
    return exchange
  }

  /// What went out differs from what the program asked, whose body is of some size.
  private static func rewritten(_ id: Int64) -> Exchange {
    var exchange = Exchange.make(id, "POST", "https://api.example.com/v1/\(id)?a=1")
    let line = "one line of text\n"
    exchange.request.body = Data(String(repeating: line, count: [1, 5, 20, 400, 0][Int(id - 1)]).utf8)
    exchange.request.truncated = id == 1
    exchange.sent = RecordedRequest(
      method: "PUT", url: "https://other.example/v2/\(id)",
      headers: [HeaderField("Accept", "text/plain"), HeaderField("X-New", "1")],
      body: Data("sent".utf8))
    return exchange
  }

  private static func change(_ driver: inout ConsoleDriver, _ status: Int) {
    guard var stub = driver.board["orders down"]?.stub else { return }
    stub.then = .respond(CannedResponse(status: status))
    if let board = try? driver.board.apply(.replace(name: "orders down", with: stub)) { driver.board = board }
    driver.send(.board(driver.board, by: "a script"))
  }

  private static let report = TrafficReport(
    endpoints: [
      TrafficStatistics(
        host: "api.example.com", method: "GET", endpoint: "/v1/users/{id}", count: 812, errors: 3, sent: 12_000,
        received: 4_500_000, p50: 34_000, p95: 120_000, p99: 1_200_000, sparkline: [1, 2, 3, 5, 8, 3, 0, 2]),
      TrafficStatistics(
        host: "api.example.com", method: "POST", endpoint: "/v1/注文", count: 41, errors: 20, sent: 120_000,
        received: 45_000, p50: 4_000, p95: 9_000, p99: 12_000, sparkline: [0, 0, 1]),
      TrafficStatistics(
        host: "img.example.com", method: "GET", endpoint: "/{id}.png", count: 1, errors: 1, sent: 0,
        received: 99, p50: 999, p95: 999, p99: 999, sparkline: [9]),
    ],
    hosts: [
      TrafficStatistics(
        host: "api.example.com", count: 853, errors: 23, sent: 132_000,
        received: 4_545_000, p50: 33_000, p95: 119_000, p99: 1_100_000, sparkline: [1, 2, 4, 5, 8]),
      TrafficStatistics(
        host: "img.example.com", count: 1, errors: 1, sent: 0,
        received: 99, p50: 999, p95: 999, p99: 999, sparkline: [9]),
    ])

  static let others: [String: Walk] = [
    "traffic": Walk([
      "3", .event("a report of before", .traffic(token: -1, TrafficReport())),
      .act("report") { $0.send(.traffic(token: $0.state.traffic.awaited ?? 0, report)) }, .colours,
      "j j k space space b o o O o o o o o tab b tab / ", .type("img"), "enter esc tab",
      .act("detail") { driver in
        let detail = TrafficDetail(Sample.exchanges().map(\.summary), slowest: Sample.exchanges().map(\.summary))
        for case .loadTrafficDetail(let token, _) in driver.effects {
          driver.send(.trafficDetail(token: token, detail))
        }
      }, .colours,
      "enter", .click(50, 2), "3", .click(30, 1), .click(80, 1), .wheel(20, 4, .wheelDown), .resize(70, 20),
    ]),
    "processes": Walk([
      "4", .colours, "space space b b j b",
      .event(
        "programs",
        .programs([
          ProgramRow(
            process: HarnessProcess(name: "worker", pid: 77), since: Timestamp(microseconds: 1_700_000_001_000_000),
            command: "/usr/bin/worker --fast"),
          ProgramRow(
            process: HarnessProcess(name: "長い名前", pid: 78), since: Timestamp(microseconds: 1_600_000_001_000_000),
            command: "x"),
        ])), "j j a k a G enter", "4", .event("links", .links(rows)), .colours, "g j j j enter", .resize(60, 20), "4",
    ]),
    "output": Walk(
      [
        "5",
        .event(
          "lines",
          .output(printed, skipped: 3)), .colours, "k k pgup g G F w w k F /", .type("line 4"), "enter n n N esc i",
        .type("hello"),
        "enter",
        .event(
          "open",
          .output([
            OutputLine(at: Timestamp(microseconds: 1_700_000_000_900_000), stream: .output, text: "50 %", isOpen: true)
          ])),
        .event(
          "closed",
          .output([
            OutputLine(at: Timestamp(microseconds: 1_700_000_000_900_000), stream: .output, text: "100 %")
          ])),
        .event("ended", .commandEnded("swift test ended with status 1.")), .wheel(9, 9, .wheelUp), .click(99, 12),
        "i ctrl-c", .colours,
      ],
      start: {
        ConsoleDriver(width: $0.width, height: $0.height, setup: ConsoleSetup(mode: .run(command: "swift test")))
      }),
    "boxes": Walk([
      "?", .colours, "j pgdn G g /", .type("stub"), "esc esc :", .type("the"), "down down up", .colours, "enter esc T",
      .event("themes", .themes(["dark", "light", "mine"])),
      .event("swatches", .swatches(["dark": .builtIn, "light": .builtIn])), "j j k", .colours, "enter",
      .event("info", .notice(Notice(.info, "info"))), .event("good", .notice(Notice(.good, "good"))), .colours,
      .event("warning", .notice(Notice(.warning, "warning"))), .wait(3_000_000), .colours,
      .event("error", .notice(Notice(.error, "error " + String(repeating: "long ", count: 40)))), .colours,
      .wait(60_000_000), "ctrl-l ctrl-z q esc q",
    ]),
    "help": Walk([
      "?", .type("status"), "ctrl-u", .type("filter"), "ctrl-u", .type("host:"), "ctrl-u", .type("body text"), "ctrl-u",
      .type("nothing like it"), "backspace ctrl-u", .wheel(20, 10, .wheelDown), .wheel(20, 10, .wheelUp),
      "pgdn ctrl-d pgup end",
      .resize(60, 16), "down up", .click(0, 0),
    ]),
    "timing": Walk(
      tall,
      ["G enter right right", .colours, "k k k k"],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        driver.add((1...5).map(timed))
        return driver
      }),
    "sent": Walk(
      tall,
      ["G enter right", .colours, "G g k G g k G g k G g k G"],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        driver.add((1...5).map(rewritten))
        return driver
      }),
    "detail-long": Walk(
      Size(width: 80, height: 24),
      [
        "G enter tab G k k space G - G = G pgup pgup ctrl-u", .resize(80, 40), "G", .resize(80, 18), "G pgdn k k k",
        .resize(120, 60),
        .wheel(20, 40, .wheelDown), .wheel(20, 40, .wheelUp), "w G g #", .resize(40, 20), "G w G",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        let items = (1...30).map { #"{"id":\#($0),"name":"a name that is long enough to be wrapped \#($0)"}"# }
        driver.add([Exchange.make(1, body: "[\(items.joined(separator: ","))]")])
        return driver
      }),
    "meanwhile": Walk(
      tall,
      [
        "2 e ctrl-b", .type("x"), .act("a script changes it") { change(&$0, 418) }, "ctrl-s", .colours, "s u e ctrl-b",
        .type("y"), .act("a script changes it") { change(&$0, 419) }, "ctrl-s t esc esc e ctrl-b", .type("z"),
        .act("a script changes it") { change(&$0, 420) }, "ctrl-s",
        .act("and takes it away") { driver in
          if let board = try? driver.board.apply(.remove(name: "orders down")) { driver.board = board }
          driver.send(.board(driver.board, by: "a script"))
        }, "s",
      ]),
    "tour": Walk(
      [":", .type("tour"), "enter j enter 2 space 1 s esc", .colours, "q"],
      start: {
        ConsoleDriver(width: $0.width, height: $0.height, setup: ConsoleSetup(mode: .demo), view: ViewSettings())
      }),
    "opened": Walk(
      ["2 a s 1 r x y esc X esc q", .colours],
      start: {
        var driver = ConsoleDriver(
          width: $0.width, height: $0.height, setup: ConsoleSetup(mode: .open(file: "a.har"), utcOffset: 19_800))
        driver.send(
          .runs([
            RunRow(
              number: 1, startedAt: Timestamp(microseconds: 1_600_000_000_000_000),
              process: HarnessProcess(name: "first", pid: 9), first: 1190, count: 4),
            RunRow(
              number: 2, startedAt: Timestamp(microseconds: 1_700_000_000_000_000),
              process: HarnessProcess(name: "second", pid: 10), first: 1194, count: nil),
          ]))
        driver.send(.recorded(9))
        driver.add(Sample.exchanges())
        return driver
      }),
  ]

  private static func one(_ id: Int64) -> Exchange {
    let status = [200, 201, 304, 404, 500][Int(id) % 5]
    let method = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"][Int(id) % 6]
    let host = id % 3 == 0 ? "api" : "cdn"
    return .make(
      id, method, "https://\(host).example.com/v1/items/\(id)?q=\(id % 7)", status: status,
      body: String(repeating: "x", count: Int(id * id)), took: id * id * 997)
  }

  private static let printed: [OutputLine] = (1...60).map { (line: Int) -> OutputLine in
    let words = String(repeating: "w ", count: line * 2)
    return OutputLine(
      at: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(line) * 1_000),
      stream: line % 3 == 0 ? .error : .output,
      text: "\u{1B}[\(30 + line % 8);1mline \(line)\u{1B}[0m \(words)")
  }

  private static let rows: [LinkRow] =
    Sample.links() + [
      LinkRow(
        instance: 3, process: HarnessProcess(name: "stalled", pid: 5), executable: "/a/stalled", entry: .attach,
        since: Timestamp(microseconds: 1_700_000_000_000_000), degree: .bypass, isStalled: true),
      LinkRow(
        instance: 4, process: HarnessProcess(name: "gone", pid: 6), executable: "/a/gone", entry: .preload,
        since: Timestamp(microseconds: 1_700_000_000_000_000), ended: Timestamp(microseconds: 1_700_000_004_000_000),
        exchanges: 3, parent: 4121, restarts: 4),
      LinkRow(
        instance: 5, process: HarnessProcess(name: "busy", pid: 7), executable: "/a/busy", entry: .preload,
        since: Timestamp(microseconds: 1_700_000_003_000_000), revision: 4,
        shed: Shed(exchanges: 5, bodies: 0, bytes: 900),
        exchanges: 1_000_000, parent: 4121, isThrottled: true),
    ]
}
