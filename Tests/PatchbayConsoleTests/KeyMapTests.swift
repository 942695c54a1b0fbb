import PatchbayGrid
import Testing

@testable import PatchbayConsole

@Suite struct KeyMapTests {
  @Test func aPersonsKeyRunsTheCommandAndTheOldOneDoesNot() throws {
    let map = try KeyMap(overriding: ["stub-from-request": ["ctrl-k"]])
    #expect(map.command(for: .control("k"), in: [.requests, .global]) == .stubFromRequest)
    #expect(map.command(for: Key("s"), in: [.requests, .global]) == nil)
  }

  @Test func oneContextOnly() throws {
    let map = try KeyMap(overriding: ["stubs.delete": ["D"]])
    #expect(map.command(for: Key("D"), in: [.stubs]) == .delete)
    #expect(map.command(for: Key("d"), in: [.stubs]) == nil)
    #expect(map.command(for: Key("d"), in: [.requests]) == .delete)
  }

  @Test func anUnknownCommandSuggestsTheNearOne() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["stub-from-requst": ["a"]]) }
    #expect(error?.description.contains("did you mean stub-from-request?") == true)
  }

  @Test func aKeyThatIsNoneIsNamed() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["quit": ["ctrl-"]]) }
    #expect(error == .unknownKey("ctrl-", command: "quit"))
  }

  @Test func aClashNamesBothCommands() {
    let error = #expect(throws: KeyMapError.self) { try KeyMap(overriding: ["replay": ["s"]]) }
    #expect(error == .clash(Key("s"), .replay, .stubFromRequest, in: .requests))
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

  @Test func thePaletteFindsByLettersAndRuns() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press(":")
    driver.type("clrlst")
    driver.press("enter")
    #expect(driver.shows("The list is cleared."))
  }
}
