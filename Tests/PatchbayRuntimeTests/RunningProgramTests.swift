import Foundation
import PatchbayAttach
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite(.bounded) struct RunningProgramTests {
  @Test func aRowSaysWhenItBeganWhereThePersonIs() throws {
    let program = RunningProgram(
      process: 4711, name: "shop", command: "./shop --port 80", user: geteuid(), startedAt: 1_763_870_400.75)
    let row = program.columns
    #expect(row.count == 4 && row[0] == "4711" && row[3] == "./shop --port 80")
    let local = DateFormatter()
    local.locale = Locale(identifier: "en_US_POSIX")
    local.dateFormat = "yyyy-MM-dd HH:mm:ss"
    #expect(row[1] == local.string(from: Date(timeIntervalSince1970: 1_763_870_400)))
  }

  private func rows(_ command: String) -> [String] {
    AttachTarget.list([
      RunningProgram(process: 4711, name: "shop", command: command, user: uid_t.max - 7, startedAt: 1_763_870_400)
    ])
  }

  /// What a person is offered stands on one row each: 41 columns before the command here, and 59 for it.
  @Test(arguments: [
    (59, "", "a", 0), (60, "…", "a", 2), (20_000, "…", "a", 19_942), (29, "", "日", 0), (30, "…", "日", 1),
    (9_000, "…", "日", 8_971),
  ])
  func aRowOfTheListFitsATerminal(_ count: Int, _ end: String, _ letter: String, _ left: Int) {
    let before = rows("").map { textWidth($0) }
    #expect(before == [41])
    let row = rows(String(repeating: letter, count: count))
    #expect(row.count == 1)
    let kept = String(repeating: letter, count: count - left) + end
    #expect(row.map { String($0.dropFirst(41)) } == [kept])
    #expect(row.allSatisfy { textWidth($0) <= 100 })
  }

  @Test func aRowOfTheListHasNoControls() {
    #expect(rows("a\u{1B}[2J\tb\nc").map { String($0.dropFirst(41)) } == ["a␛[2J b␊c"])
  }
}
