import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Whatever can be undone comes back as it was, and done again it is as it became.
@Suite(.bounded) struct UndoTests {
  /// What is recorded, shown and in force; not what was said last, nor where the cursor stands.
  private struct Seen: Equatable {
    var stubs: [StubBoard.Entry]
    var isPaused: Bool
    var deleted: Set<Int64>
    var filter: String
    var sort: SortOrder
    var after: Int64
    var holdAll: Action.HoldPoint?
    var rows: [String]

    init(_ driver: ConsoleDriver) {
      stubs = driver.board.entries
      isPaused = driver.board.isPaused
      deleted = driver.deleted
      filter = driver.query.filter
      sort = driver.query.sort
      after = driver.query.after
      for effect in driver.effects { if case .setHoldAll(let point) = effect { holdAll = point } }
      var list = driver
      list.send(.input(.key(Key("1"))))
      list.press("home")
      // Between the head of the list and the keys at the bottom.
      rows = list.lines.dropFirst(3).dropLast(2).map { line in
        line.filter { $0 != "▌" && $0 != "▸" && $0 != "┃" && $0 != "│" }
      }
    }
  }

  /// One thing done: where to go in a console with the sample's requests and stubs, and the keys that do it.
  static let actions: [(what: String, place: String, keys: String)] = [
    ("a stub is turned off", "2", "space"), ("a stub is turned on", "2 j j j", "space"),
    ("a stub moves down", "2", "J"), ("all stubs are off", "1", "0"),
    ("a stub moves up", "2 j j", "K"), ("a stub is deleted", "2", "d"),
    ("the last stub in the console is deleted", "2 j j", "d"),
    ("a stub's changes are taken back", "2", "W"), ("a request becomes a stub", "1 g", "s"),
    ("two requests become a sequence", "1 g m m", "S"), ("two requests become two stubs", "1 g m m", "s"),
    ("a request is tagged", "1 g", "t s l o w enter"), ("a request is noted", "1 g", "; m i n e enter"),
    ("a request is deleted", "1 g", "d"),
    ("two requests are deleted", "1 g m m", "d"), ("the list is cleared", "1", "z"), ("all are held", "1", "H"),
    ("an endpoint is held", "1", "h"), ("an endpoint fails", "1 k k", "x enter"),
  ]

  @Test(arguments: actions) func comesBack(_ what: String, _ place: String, _ keys: String) {
    var driver = Sample.driver(120, 36)
    driver.press(place)
    let before = Seen(driver)
    driver.press(keys)
    let after = Seen(driver)
    #expect(after != before, "\(what): \(keys) changes something\n\(driver.screen)")
    for _ in 0..<2 {
      driver.press("u")
      expect(driver, before, what)
      driver.press("ctrl-r")
      expect(driver, after, what)
    }
  }

  private func expect(_ driver: ConsoleDriver, _ wanted: Seen, _ what: String) {
    let seen = Seen(driver)
    #expect(seen.rows.difference(from: wanted.rows).isEmpty, "\(what)")
    #expect(seen.stubs.difference(from: wanted.stubs).isEmpty, "\(what)")
    #expect(seen == wanted, "\(what)")
  }

  @Test func allOfThemOneAfterTheOther() {
    var driver = Sample.driver(120, 36)
    var states = [Seen(driver)]
    for keys in ["2 space", "J", "d", "1 g t a enter", "j ; b enter", "d", "H", "z"] {
      driver.press(keys)
      states.append(Seen(driver))
    }
    #expect(Set(states.indices.dropFirst().map { states[$0] == states[$0 - 1] }) == [false])
    for state in states.dropLast().reversed() {
      driver.press("u")
      #expect(Seen(driver) == state)
    }
    driver.press("u")
    #expect(driver.shows("There is nothing to undo."))
    for state in states.dropFirst() {
      driver.press("ctrl-r")
      #expect(Seen(driver) == state)
    }
    driver.press("ctrl-r")
    #expect(driver.shows("There is nothing to redo."))
  }

  @Test func whatIsDoneAfterAnUndoTakesThePlaceOfWhatWasUndone() {
    var driver = Sample.driver(120, 36)
    let start = Seen(driver)
    driver.press("2 d u home space")
    let other = Seen(driver)
    #expect(driver.board["orders down"]?.stub.enabled == false)
    driver.press("ctrl-r")
    #expect(Seen(driver) == other && driver.shows("There is nothing to redo."))
    driver.press("u")
    #expect(Seen(driver) == start)
  }

  @Test func goingToAPointIsSaid() {
    var driver = Sample.driver(120, 36)
    driver.press("2 space j space U home enter")
    #expect(driver.shows("Back to the state at the start."), "\(driver.screen)")
    driver.press("U home j enter")
    #expect(driver.shows("Back to the state after: Switched “orders down” off"), "\(driver.screen)")
  }

  @Test func fiveHundredStepsAreKept() {
    var driver = Sample.driver(120, 36)
    driver.press("2")
    for _ in 0..<501 { driver.press("space") }
    let enabled = driver.board["orders down"]?.stub.enabled
    for _ in 0..<500 { driver.press("u") }
    #expect(!driver.shows("There is nothing to undo."))
    #expect(driver.board["orders down"]?.stub.enabled == enabled)
    driver.press("u")
    #expect(driver.shows("There is nothing to undo."))
    #expect(driver.board["orders down"]?.stub.enabled == enabled)
  }
}
