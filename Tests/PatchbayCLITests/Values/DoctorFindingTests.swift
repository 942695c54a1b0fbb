import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// What the doctor finds, as values of an environment.
@MainActor @Suite(.bounded) struct DoctorFindingTests {
  private func doctor(_ environment: [String: String], isTerminal: Bool = true) -> Doctor {
    var doctor = Doctor(program: nil)
    (doctor.environment, doctor.isTerminal) = (environment, isTerminal)
    return doctor
  }

  @Test func aFindingIsALineWithItsSign() {
    #expect(
      [Finding.good("hook", "It is."), .note("a longer topic", "a\nb"), .broken("0123456789", "No.")].map(\.line) == [
        "✓ hook       It is.", "· a longer topic a␊b", "✗ 0123456789 No.",
      ])
  }

  @Test func theTerminalsType() {
    #expect(doctor(["TERM": "xterm-256color"]).terminalType() == .good("terminal", "TERM is xterm-256color."))
    #expect(
      doctor(["TERM": "xterm-256color"], isTerminal: false).terminalType()
        == .note("terminal", "Standard output is no terminal: only --headless would work here."))
    for type in ["dumb", "no-such-terminal", nil] {
      let found = doctor(type.map { ["TERM": $0] } ?? [:], isTerminal: false).terminalType()
      #expect(found.grade == .broken && found.topic == "terminal", "\(found)")
      #expect(found.sentence.contains(type.map { "‘\($0)’ (TERM)" } ?? "TERM is not set"), "\(found)")
    }
  }

  private let advice = "the console uses C.UTF-8 by itself; for other programs export LANG=C.UTF-8."

  @Test func theLocale() {
    func found(_ environment: [String: String], _ codeset: String?) -> Finding {
      doctor(environment).locale(codeset: codeset)
    }
    #expect(found([:], "UTF-8") == .note("locale", "None is set: \(advice)"))
    #expect(found(["LANG": "", "LC_ALL": ""], nil) == .note("locale", "None is set: \(advice)"))
    #expect(found(["LANG": "xx"], nil) == .note("locale", "xx is not installed here: \(advice)"))
    #expect(found(["LANG": "C"], "ANSI_X3.4-1968") == .note("locale", "C is not UTF-8: \(advice)"))
    #expect(found(["LANG": "C.UTF-8"], "UTF-8") == .good("locale", "C.UTF-8 is UTF-8."))
    #expect(found(["LANG": "C.UTF-8"], "utf-8") == .good("locale", "C.UTF-8 is UTF-8."))
    // The first that is set and not empty.
    let all = ["LC_ALL": "a", "LC_CTYPE": "b", "LANG": "c"]
    #expect(found(all, "UTF-8").sentence == "a is UTF-8.")
    #expect(found(all.merging(["LC_ALL": ""]) { $1 }, "UTF-8").sentence == "b is UTF-8.")
    #expect(found(["LC_CTYPE": "", "LANG": "c"], "UTF-8").sentence == "c is UTF-8.")
  }

  @Test func theColours() {
    let more = "; export COLORTERM=truecolor asks for 24 bit where the terminal has it."
    func found(_ environment: [String: String]) -> Finding? { doctor(environment).colors() }
    let none = Finding.note("colours", "NO_COLOR is set, so there are none: unset it to have them.")
    #expect(found(["NO_COLOR": "1", "TERM": "xterm-256color"]) == none && found(["NO_COLOR": "0"]) == none)
    #expect(found(["TERM": "dumb"]) == nil && found([:]) == nil && found(["NO_COLOR": "", "TERM": "dumb"]) == nil)
    #expect(found(["TERM": "xterm-256color"]) == .good("colours", "256" + more))
    #expect(found(["TERM": "xterm-256color", "NO_COLOR": ""]) == .good("colours", "256" + more))
    #expect(found(["TERM": "xterm"]) == .good("colours", "What xterm has" + more))
    for wide in ["truecolor", "24bit", "TrueColor"] {
      #expect(found(["TERM": "xterm", "COLORTERM": wide]) == .good("colours", "24 bit."))
      #expect(found(["TERM": "vt100", "COLORTERM": wide]) == .good("colours", "What vt100 has" + more))
    }
    #expect(found(["TERM": "xterm", "COLORTERM": "yes"]) == .good("colours", "What xterm has" + more))
  }

  @Test func theFirstCompilerThatCanBeRun() throws {
    let folder = try TemporaryFolder()
    for name in ["none", "plain", "one", "two"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    for name in ["plain", "one", "two"] { try folder.write("", to: name + "/swiftc") }
    chmod(folder.file("plain/swiftc"), 0o600)
    for name in ["one", "two"] { chmod(folder.file(name + "/swiftc"), 0o755) }
    func found(_ names: String...) -> String? {
      Doctor.compiler(in: names.map { folder.file($0) }.joined(separator: ":"))
    }
    #expect(found("none", "one", "two") == folder.file("one/swiftc"))
    #expect(found("two", "one") == folder.file("two/swiftc"))
    #expect(found("none") == nil && Doctor.compiler(in: "") == nil)
    // For root every file with no right to be executed is none either.
    #expect(found("plain", "two") == folder.file("two/swiftc"))
  }
}
