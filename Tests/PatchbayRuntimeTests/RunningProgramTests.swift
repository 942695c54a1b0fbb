import Foundation
import PatchbayAttach
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
}
