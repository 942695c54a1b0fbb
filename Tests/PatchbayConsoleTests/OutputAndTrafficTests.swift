import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct OutputAndTrafficTests {
  @Test func escapeSequencesAreStripped() {
    #expect(ANSIText.plain("\u{1B}[31mred\u{1B}[0m") == "red")
    #expect(ANSIText.plain("\u{1B}]0;title\u{7}after") == "after")
    #expect(ANSIText.plain("\u{1B}Pdcs\u{1B}\\x") == "x")
    #expect(ANSIText.plain("10 %\r20 %") == "20 %")
    #expect(ANSIText.plain("line\r") == "line")
    #expect(ANSIText.plain("ab\u{8}c") == "ac")
    #expect(ANSIText.plain("日本 \u{7}") == "日本 ␇")
    #expect(ANSIText.plain("\u{1B}") == "")
    #expect(ANSIText.plain("\u{1B}[") == "")
  }

  @Test func coloursOfTheProgramAreKept() {
    let text = ANSIText("a \u{1B}[1;31mred\u{1B}[0m \u{1B}[38;5;208mo\u{1B}[48;2;1;2;3mx\u{1B}[39;22m.")
    #expect(text.text == "a red ox.")
    #expect(
      text.runs == [
        ANSIText.Run(range: 2..<5, look: ANSILook(foreground: .ansi(1), attributes: .bold)),
        ANSIText.Run(range: 6..<7, look: ANSILook(foreground: .palette(208))),
        ANSIText.Run(range: 7..<8, look: ANSILook(foreground: .palette(208), background: .rgb(1, 2, 3))),
        ANSIText.Run(range: 8..<9, look: ANSILook(background: .rgb(1, 2, 3))),
      ])
    for hostile in [
      "\u{1B}[38;5;999mx", "\u{1B}[38;5mx", "\u{1B}[38;2;1mx", "\u{1B}[99999999999999999999mx", "\u{1B}[?25mx",
    ] {
      #expect(ANSIText(hostile).text == "x")
    }
    let driver = driver(["ok \u{1B}[32mgreen\u{1B}[0m 日本 \u{1B}[7mreverse"])
    let grid = driver.state.draw().grid
    let row = driver.lines.firstIndex { $0.contains("green") } ?? 0
    let cells = (0..<grid.size.width).compactMap { grid[Point(x: $0, y: row)] }
    #expect(cells.filter { $0.style.foreground == .ansi(2) }.count == 5)
    #expect(cells.filter { $0.style.attributes.contains(.reverse) }.count == 7)
  }

  private func driver(_ lines: [String]) -> ConsoleDriver {
    var driver = ConsoleDriver(setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output(lines.map { OutputLine(at: driver.now, stream: .output, text: $0) }))
    return driver
  }

  @Test func outputFollowsAndIsBounded() {
    var driver = driver((1...25_000).map { "line \($0)" })
    #expect(driver.shows("line 25000"))
    #expect(driver.state.output.lines.count <= OutputTab.limit + OutputTab.limit / 10)
    #expect(driver.shows("let go"))
    driver.press("k k")
    driver.send(.output([OutputLine(at: driver.now, stream: .error, text: "later")]))
    #expect(!driver.shows("later"))
    driver.press("G")
    #expect(driver.shows("later"))
  }

  @Test func aLineWithoutAnEndIsShownAndReplaced() {
    var driver = driver(["first"])
    for (text, isOpen) in [("Name", true), ("Name?", true), ("Name? 花子", false), ("hello", false)] {
      driver.send(.output([OutputLine(at: driver.now, stream: .output, text: text, isOpen: isOpen)]))
      #expect(driver.shows(text))
    }
    #expect(driver.state.output.lines.map(\.text) == ["first", "Name? 花子", "hello"])
    driver.send(.output([OutputLine(at: driver.now, stream: .output, text: "later")], skipped: 1_000))
    #expect(driver.state.output.lines.count == 1)
    #expect(driver.shows("1,004 lines") && driver.shows("the first 1,003 let go"))
  }

  @Test func outputIsSearched() {
    var driver = driver(["a needle", "x", "a Needle", "y"])
    driver.press("/")
    driver.type("needle")
    driver.press("enter")
    #expect(driver.state.output.selected == 2)
    driver.press("n")
    #expect(driver.state.output.selected == 0)
  }

  @Test(arguments: [ConsoleSetup.Mode.demo, .listen, .attach(program: "app"), .open(file: "a.har")])
  func inputIsOfferedOnlyWhereACommandReads(mode: ConsoleSetup.Mode) {
    #expect(driver(["x"]).lines.last?.contains("i input") == true)
    var other = ConsoleDriver(setup: ConsoleSetup(mode: mode))
    other.press("5")
    #expect(other.lines.last?.contains("search") == true)
    #expect(other.lines.last?.contains("i input") == false)
  }

  @Test func inputGoesToTheCommandAndCtrlCAsksWhomToStop() {
    var driver = driver(["?"])
    driver.press("i")
    driver.type("はい")
    driver.press("enter")
    #expect(driver.effects.last == .sendToCommand(Data("はい\n".utf8)))
    driver.press("i")
    #expect(driver.lines.last?.contains("ctrl-d ends its input") == true)
    driver.press("ctrl-d")
    #expect(driver.effects.last == .sendToCommand(Data([4])))
    driver.press("i ctrl-\\")
    #expect(driver.effects.last == .sendToCommand(Data([28])))
    driver.press("ctrl-c")
    #expect(driver.shows("Stop what?"))
    driver.press("ctrl-c")
    #expect(driver.effects.last == .interruptCommand)
  }

  @Test func trafficIsAskedSortedAndOpensTheRequests() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("3")
    guard case .loadTraffic(let token, _) = driver.effects.last else { return #expect(Bool(false), "not asked") }
    let rows = [
      TrafficStatistics(host: "a.example", method: "GET", endpoint: "/v1/users/{id}", count: 3, p50: 10),
      TrafficStatistics(host: "b.example", method: "POST", endpoint: "/x", count: 9, errors: 9, p50: 5),
    ]
    driver.send(.traffic(token: token, TrafficReport(endpoints: rows)))
    #expect(driver.state.traffic.selected?.host == "b.example")
    driver.press("o")
    #expect(driver.shows("errors ↓"))
    driver.press("G enter")
    #expect(driver.state.tab == .requests)
    #expect(driver.state.requests.bar.applied.contains("host:a.example path:/v1/users/*"))
    #expect(driver.state.requests.bar.applied.contains("method:GET"))
  }

  /// Of requests to a path of GraphQL's those without an operation are not those with one.
  @Test(arguments: [
    (true, nil, "host:a.example path:~^/graphql$ method:POST -op:"),
    (false, nil, "host:a.example path:~^/graphql$ method:POST"),
    (true, "Get", "host:a.example path:~^/graphql$ method:POST op:~^Get$"),
  ])
  func anEndpointWithoutAnOperationIsNotOneWith(_ isBeside: Bool, _ operation: String?, _ filter: String) {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("3")
    var asked = TrafficStatistics(host: "a.example", method: "POST", endpoint: "/graphql", count: 3, errors: 3)
    asked.operation = operation
    let path = isBeside ? "/graphql" : "/other"
    var other = TrafficStatistics(host: "a.example", method: "POST", endpoint: path, count: 1)
    other.operation = "Other"
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: [asked, other])))
    #expect(driver.state.traffic.selected?.count == 3)
    driver.press("enter")
    #expect(driver.state.requests.bar.applied.hasSuffix(filter))
  }

  @Test func theChosenRowStaysAmongThoseOfOnePath() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("3")
    let rows = ["GET", "POST", "PUT"].enumerated().map { count, method in
      TrafficStatistics(host: "a.example", method: method, endpoint: "/x", count: 3 + count, errors: 3 - count)
    }
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: rows)))
    driver.press("k k k j")
    #expect(driver.state.traffic.selected?.method == "POST")
    driver.press("o o o O")
    #expect(driver.state.traffic.selected?.method == "POST")
  }

  @Test func processesTellTheirDegreeAndOpenTheirRequests() {
    var driver = Sample.driver(160, 40)
    driver.press("4 space")
    #expect(driver.effects.last == .setDegree(instance: 1, .observe))
    #expect(driver.shows("同期ツール"))
    #expect(driver.shows("12 bodies"))
    driver.press("space")
    #expect(driver.effects.last == .setDegree(instance: 1, .bypass), "the next one, although no answer has come yet")
    driver.press("enter")
    #expect(driver.state.requests.bar.applied == "process:4121")
  }

  @Test func processesTellRestartsChildrenAndTrouble() {
    var driver = ConsoleDriver(width: 160)
    func row(_ pid: Int32, parent: Int32 = 1, restarts: Int = 0, stalled: Bool = false, throttled: Bool = false)
      -> LinkRow
    {
      LinkRow(
        instance: UInt64(pid), process: HarnessProcess(name: "app", pid: pid), executable: "/app", entry: .preload,
        since: driver.now, parent: parent, restarts: restarts, isThrottled: throttled, isStalled: stalled)
    }
    driver.send(
      .links([row(10, restarts: 2), row(11, parent: 10), row(12, stalled: true), row(13, throttled: true)]))
    driver.press("4")
    for text in ["start 3", "child of 10", "does not answer", "sends too fast", "1 does not answer · 4 linked"] {
      #expect(driver.shows(text), "\(text)")
    }
  }

  @Test func runningProgramsAreBelowTheLinksAndAAttaches() {
    var driver = Sample.driver(120, 36)
    driver.press("4")
    #expect(driver.effects.last == .findPrograms)
    let shop = HarnessProcess(name: "shop", pid: 777)
    let mail = HarnessProcess(name: "ma\u{1B}il", pid: 778)
    driver.send(
      .programs([
        ProgramRow(process: shop, since: driver.now, command: "/opt/shop --port 80"),
        ProgramRow(process: mail, since: driver.now, command: "/opt/mail"),
      ]))
    #expect(driver.lines.contains { $0.contains("+") && $0.contains("shop") && $0.contains("a attaches") })
    driver.press("a")
    #expect(driver.effects.last == .findPrograms, "the selected one is linked")
    driver.press("G a")
    #expect(driver.effects.last == .attach(process: 778))
    driver.press("k a")
    #expect(driver.effects.last == .attach(process: 777))
    // It has linked: it is a link now, the selected one, and the programs are looked for again.
    let links = driver.state.tabs.processes.links
    let link = LinkRow(instance: 99, process: shop, executable: "/opt/shop", entry: .injected, since: driver.now)
    driver.send(.links(links + [link]))
    #expect(driver.effects.last == .findPrograms)
    #expect(driver.shows("injected"))
    driver.press("space")
    #expect(driver.effects.last == .setDegree(instance: 99, .observe))
  }

  @Test func withoutALinkTheProgramsAreShown() {
    var driver = ConsoleDriver(width: 100, height: 24)
    driver.press("4")
    #expect(driver.shows("patchbay attach PID"))
    let shop = HarnessProcess(name: "shop", pid: 777)
    driver.send(.programs([ProgramRow(process: shop, since: driver.now, command: "/opt/shop")]))
    driver.press("a")
    #expect(driver.effects.last == .attach(process: 777))
    driver.press("enter space")
    #expect(driver.effects.last == .attach(process: 777), "neither requests nor a degree yet")
    driver.send(.programs([]))
    #expect(driver.shows("patchbay attach PID"))
  }

  @Test func theFirstScreenTellsTheWaysIn() {
    let driver = ConsoleDriver(width: 80, height: 24)
    #expect(driver.shows("patchbay attach PID"))
    #expect(driver.shows("patchbay run -- COMMAND"))
    #expect(driver.shows("import Patchbay; Patchbay.attach()"))
    #expect(driver.shows("AsyncHTTPClient"))
    #expect(driver.shows("libcurl"))
  }

  @Test func longWorkIsShownAndEscStopsIt() {
    var driver = ConsoleDriver()
    driver.send(.work(token: 9, title: "exporting", share: 0.4))
    #expect(driver.shows("exporting ▰▰▰▰▱▱▱▱▱▱ 40 %"))
    driver.press("esc")
    #expect(driver.effects.last == .cancelWork(9))
    driver.send(.workEnded(token: 9))
    #expect(!driver.shows("exporting"))
  }
}
