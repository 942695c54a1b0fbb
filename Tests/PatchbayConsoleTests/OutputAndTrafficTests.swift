import Foundation
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite struct OutputAndTrafficTests {
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

  private func driver(_ lines: [String]) -> ConsoleDriver {
    var driver = ConsoleDriver(setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output(lines.map { OutputLine(at: driver.now, stream: .output, text: $0) }))
    return driver
  }

  @Test func outputFollowsAndIsBounded() {
    var driver = driver((1...25_000).map { "line \($0)" })
    #expect(driver.shows("line 25000"))
    #expect(driver.state.output.lines.count <= OutputState.limit + OutputState.limit / 10)
    #expect(driver.shows("let go"))
    driver.press("k k")
    driver.send(.output([OutputLine(at: driver.now, stream: .error, text: "later")]))
    #expect(!driver.shows("later"))
    driver.press("G")
    #expect(driver.shows("later"))
  }

  @Test func outputIsSearched() {
    var driver = driver(["a needle", "x", "a Needle", "y"])
    driver.press("/")
    driver.type("needle")
    driver.press("enter")
    #expect(driver.state.output.scroll.selected == 2)
    driver.press("n")
    #expect(driver.state.output.scroll.selected == 0)
  }

  @Test func inputGoesToTheCommandAndCtrlCAsksWhomToStop() {
    var driver = driver(["?"])
    driver.press("i")
    driver.type("はい")
    driver.press("enter")
    #expect(driver.effects.last == .sendToCommand(Data("はい\n".utf8)))
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
      TrafficRow(host: "a.example", path: "/v1/users/{id}", method: "GET", count: 3, p50: 10),
      TrafficRow(host: "b.example", path: "/x", method: "POST", count: 9, errors: 9, p50: 5),
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

  @Test func processesTellTheirDegreeAndOpenTheirRequests() {
    var driver = Sample.driver(160, 40)
    driver.press("4 space")
    #expect(driver.effects.last == .setDegree(instance: 1, .observe))
    #expect(driver.shows("同期ツール"))
    #expect(driver.shows("12 bodies"))
    driver.press("enter")
    #expect(driver.state.requests.bar.applied == "process:4121")
  }

  @Test func theFirstScreenTellsTheTwoWaysIn() {
    let driver = ConsoleDriver(width: 80, height: 24)
    #expect(driver.shows("patchbay run -- COMMAND"))
    #expect(driver.shows("import Patchbay; Patchbay.attach()"))
    #expect(driver.shows("AsyncHTTPClient"))
    #expect(driver.shows("libcurl"))
  }

  @Test func longWorkIsShownAndEscStopsIt() {
    var driver = ConsoleDriver()
    driver.send(.work(token: 9, title: "exporting", share: 0.4))
    #expect(driver.shows("exporting 40 %"))
    driver.press("esc")
    #expect(driver.effects.last == .cancelWork(9))
    driver.send(.workEnded(token: 9))
    #expect(!driver.shows("exporting"))
  }
}
