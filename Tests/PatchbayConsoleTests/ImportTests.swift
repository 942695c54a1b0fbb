import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct ImportTests {
  @Test func aPathIsAskedForAndCompleted() {
    var driver = ConsoleDriver()
    driver.press("I")
    #expect(driver.lines.last?.contains("the path of a .har file") == true)
    driver.type("ar")
    driver.press("tab")
    #expect(driver.effects.last == .completePath("ar"))
    driver.send(.pathCompletions(of: "ar", ["archive.har", "archives/"]))
    #expect(driver.lines.last?.contains("import archive") == true)
    #expect(driver.lines.last?.contains("archive.har  archives/") == true)
    driver.send(.pathCompletions(of: "something else", ["x"]))
    driver.type(".har")
    driver.press("enter")
    #expect(driver.effects.last == .importFile("archive.har"))
  }

  @Test func aPathThatIsNotThereIsToldAtOnceAndQuotesOfTheShellAreTakenOff() {
    var driver = ConsoleDriver()
    driver.press("I")
    driver.type("nope")
    driver.send(.pathCompletions(of: "nope", []))
    #expect(driver.lines.last?.contains("no such file") == true)
    driver.press("esc I")
    driver.send(.input(.paste("'/tmp/a b.har' ")))
    driver.press("enter")
    #expect(driver.effects.last == .importFile("/tmp/a b.har"))
  }

  @Test func whatWasRecordedIsListedAndCanBeTakenOutAgain() {
    var driver = ConsoleDriver()
    driver.exchanges = [.make(1), .make(2), .make(3)]
    driver.send(.imported(ImportReport(name: "a.har", ids: [1, 2, 3])))
    #expect(driver.shows("Recorded 3 requests of a.har.  u undoes"))
    #expect(driver.shows("/v1/users?page=2"))
    driver.press("u")
    #expect(driver.effects.contains(.setDeleted([1, 2, 3], true)))
    #expect(!driver.shows("/v1/users?page=2"))
    driver.press("ctrl-r")
    #expect(driver.shows("/v1/users?page=2"))
  }

  /// One can import from every tab.
  @Test func whatIsRecordedWhileTrafficIsLookedAtIsCountedThere() {
    var driver = ConsoleDriver()
    driver.press("3")
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: [])))
    driver.send(.imported(ImportReport(name: "a.har", ids: [])))
    driver.send(.tick)
    #expect(driver.state.traffic.awaited == nil, "nothing was recorded")
    driver.send(.imported(ImportReport(name: "a.har", ids: [1])))
    driver.send(.tick)
    #expect(driver.state.traffic.awaited != nil)
  }

  @Test func whatWasLeftOutIsTold() {
    var driver = ConsoleDriver()
    driver.send(.imported(ImportReport(name: "a.har", ids: [], leftOut: 0, problem: "This is no HTTP archive.")))
    #expect(driver.shows("Nothing of a.har was recorded: This is no HTTP archive."))
    driver.send(.imported(ImportReport(name: "b.har", ids: [7], leftOut: 2, problem: "entry 3: no URL.")))
    #expect(driver.shows("Recorded 1 request of b.har, 2 left out: entry 3: no URL.  u undoes"))
  }

  @Test(arguments: ["1", "2", "3", "4", "5"])
  func longWorkIsSeenOnEveryScreenAndEscStopsIt(tab: String) {
    var driver = ConsoleDriver()
    driver.press(tab)
    driver.send(.work(token: 9, title: "Reading a.har", share: 0.42))
    #expect(driver.shows("Reading a.har ▰▰▰▰▱▱▱▱▱▱ 42 %, esc stops"))
    driver.press("esc")
    #expect(driver.effects.last == .cancelWork(9))
    driver.send(.workEnded(token: 9))
    #expect(!driver.shows("Reading a.har"))
  }
}
