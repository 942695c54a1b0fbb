import Foundation
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct KeyMapTests {
  @Test func aPersonsKeyRunsTheCommandAndTheOldOneDoesNot() throws {
    let map = try KeyMap(overriding: ["stub-from-request": ["ctrl-k"]])
    #expect(map.command(for: .control("k"), in: [.requests, .global]) == .requests(.stubFromRequest))
    #expect(map.command(for: Key("s"), in: [.requests, .global]) == nil)
  }

  @Test func oneContextOnly() throws {
    let map = try KeyMap(overriding: ["stubs.delete": ["D"]])
    #expect(map.command(for: Key("D"), in: [.stubs]) == .stubs(.delete))
    #expect(map.command(for: Key("d"), in: [.stubs]) == nil)
    #expect(map.command(for: Key("d"), in: [.requests]) == .requests(.delete))
  }

  @Test func anUnknownCommandSuggestsTheNearOne() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["stub-from-requst": ["a"]]) }
    #expect(error?.description.contains("did you mean stub-from-request?") == true)
    let swapped = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["quti": ["q"]]) }
    #expect(swapped?.description.contains("did you mean quit?") == true)
  }

  @Test func aKeyThatIsNoneIsNamed() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["quit": ["ctrl-"]]) }
    #expect(error == .unknownKey("ctrl-", command: "quit"))
  }

  @Test func aClashNamesBothCommands() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["replay": ["s"]]) }
    #expect(error == .clash(Key("s"), .requests(.replay), .requests(.stubFromRequest), in: .requests))
  }

  @Test func aKeyThatWouldNotBeReachedIsAClash() throws {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["quit": ["q", "x"]]) }
    #expect(error == .clash(Key("x"), .global(.quit), .requests(.faults), in: .requests))
    #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["quit": ["Z"], "write-stubs": ["Z"]]) }
    #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["filter": ["n"]]) }
    let inner = try KeyMap(overriding: ["wrap": ["q"], "first": ["g", "home"]])
    #expect(inner.command(for: Key("q"), in: [.detail, .requests, .global]) == .detail(.wrap))
    #expect(inner.command(for: Key("q"), in: [.requests, .global]) == .global(.quit))
  }

  @Test func oneBadKeyDoesNotTakeTheOthersAway() {
    let (map, problems) = KeyMap.lenient(
      overriding: ["quti": ["Z"], "help": ["f2"], "stubs.delete": ["e"], "mark": ["ctrl-"], "replay": ["s"]])
    #expect(map.command(for: Key(.function(2)), in: [.global]) == .global(.help))
    #expect(map.command(for: Key("d"), in: [.stubs]) == .stubs(.delete))
    #expect(map.command(for: Key("m"), in: [.requests]) == .requests(.mark))
    #expect(map.command(for: Key("s"), in: [.requests]) == .requests(.stubFromRequest))
    #expect(Set(problems.map(\.name)) == ["quti", "stubs.delete", "mark", "replay"])
  }

  @Test func helpAndFooterShowThePersonsKey() throws {
    var driver = ConsoleDriver(keys: try KeyMap(overriding: ["stub-from-request": ["B"]]))
    driver.add([.make(1)])
    #expect(driver.lines.last?.contains("B stub") == true)
    driver.press("?")
    driver.type("make a stub")
    #expect(driver.shows("B             Make a stub of this request"))
    #expect(!driver.shows("Switch the stub on or off"))
  }

  @Test func theFootNamesThePersonsKeyForHelpOnce() throws {
    var driver = ConsoleDriver(keys: try KeyMap(overriding: ["help": ["f2"]]))
    driver.add([.make(1)])
    let foot = try #require(driver.lines.last)
    #expect(foot.contains("f2 help") && !foot.contains("? help"))
    #expect(foot.components(separatedBy: "help").count == 2)
  }

  @Test func thePaletteFindsByLettersAndRuns() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press(":")
    driver.type("clrlst")
    driver.press("enter")
    #expect(driver.shows("The list is cleared."))
  }

  @Test func thePaletteHasTheCommandsOfTheOtherScreensToo() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press(":")
    driver.type("add a stub")
    #expect(driver.lines.contains { $0.contains("Add a stub") && $0.contains("Stubs") })
    driver.press("enter")
    #expect(driver.state.tab == .stubs)
    #expect(driver.state.boxes.contains { $0 is StubForm })
  }

  @Test func whatStandsTogetherComesFirstInThePalette() {
    let match = Fuzzy.match("hold", in: "To hold")
    #expect(match?.places == [3, 4, 5, 6] && match?.isClose == true)
    #expect(Fuzzy.match("hte", in: "Hold this endpoint")?.isClose == true)
    #expect(Fuzzy.match("hold", in: "Half of old")?.isClose == false)
    #expect(Fuzzy.match("xyz", in: "Hold") == nil)
  }
}
