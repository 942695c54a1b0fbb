import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

/// Which programs the hook could not get into, by the notes that they left and by their files.
@Suite(.bounded) struct EscapedTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("escaped")
  }

  private func make(_ name: String, _ elf: MadeElf, behind: String = "") throws -> String {
    let path = "\(place.path)/\(name)"
    try Data(elf.bytes + Array(behind.utf8)).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func all(
    _ reason: LaunchNotes.Note.Reason, _ detail: String, linked: Set<Int32> = []
  ) -> [String] {
    let note = LaunchNotes.Note(process: 7, name: "shop", reason: reason, detail: detail)
    return Escaped.all(notes: [note], linked: linked).map { "\($0.process) \($0.name): \($0.reason)" }
  }

  @Test func aHookThatCouldNotComeInIsSaidWithItsReason() {
    #expect(all(.differentRuntime, "libswiftCore.so") == ["7 shop: it runs on another Swift runtime (libswiftCore.so)"])
    for reason in [LaunchNotes.Note.Reason.notLoaded, .notAHook, .noHook] {
      #expect(all(reason, "no such file") == ["7 shop: the hook could not be loaded (no such file)"])
      #expect(all(reason, "no such file", linked: [7]).count == 1)
    }
    #expect(all(.notTaken, "") == ["7 shop: a session of it does not take the hook"])
    #expect(all(.fewDescriptors, "") == [])
  }

  @Test func aProgramWithoutOurVariablesCountsWhereItAsksOrStartsOthers() throws {
    // Without the library itself, which is looked for where the linker would.
    let asks = try make(
      "asks", MadeElf(sections: ["swift5_types"]), behind: String(repeating: "-", count: 4) + "FoundationNetworking")
    let starts = try make("starts", MadeElf(symbols: [.init(name: "execve", isDefined: false)]))
    let other = try make("other", MadeElf(symbols: [.init(name: "malloc", isDefined: false)]))
    let swift = try make("swift", MadeElf(sections: ["swift5_types"]))
    let native = try make("native", MadeElf(), behind: "FoundationNetworking")
    let script = try place.file("script", "#!/bin/sh\n")
    #expect(all(.clearedEnvironment, asks) == ["7 asks: LD_PRELOAD did not reach it"])
    for path in [starts, script] {
      let name = path.split(separator: "/").last!
      #expect(all(.clearedEnvironment, path) == ["7 \(name): LD_PRELOAD did not reach it, and so not what it started"])
    }
    for path in [other, swift, native] { #expect(all(.clearedEnvironment, path) == []) }
    for reason in [LaunchNotes.Note.Reason.staticExecutable, .staticRuntime] {
      #expect(all(reason, asks) == ["7 asks: the Swift runtime is linked into it"])
      for path in [starts, script, other, swift, native] { #expect(all(reason, path) == []) }
      #expect(all(reason, asks, linked: [7]) == [])
    }
    #expect(all(.clearedEnvironment, asks, linked: [7]) == [])
    #expect(all(.clearedEnvironment, asks, linked: [8]).count == 1)
  }

  @Test func aProgramWithTheRuntimesOwnLibraryOnlyAsksIfItHasTheNetworksToo() throws {
    // Its libraries are where the linker finds them: a path of its own.
    let folder = try place.folder("lib")
    for name in ["libFoundationNetworking.so", "libswiftCore.so"] { _ = try make("lib/\(name)", MadeElf()) }
    func program(_ name: String, _ needed: String..., sections: [String] = ["swift5_types"]) throws -> String {
      try make(
        name,
        MadeElf(dynamic: [(.runpath, folder)] + needed.map { (.needed, $0) }, sections: sections),
        behind: "FoundationNetworking")
    }
    let dynamic = try program("dynamic", "libswiftCore.so", "libFoundationNetworking.so")
    #expect(all(.clearedEnvironment, dynamic) == ["7 dynamic: LD_PRELOAD did not reach it"])
    #expect(all(.clearedEnvironment, try program("core", "libswiftCore.so")) == [])
    #expect(all(.clearedEnvironment, try program("none")) == ["7 none: LD_PRELOAD did not reach it"])
    #expect(all(.clearedEnvironment, try program("c", "libFoundationNetworking.so", sections: [])) == [])
  }

  @Test func eachProcessCountsOnceInTheOrderOfTheNotes() throws {
    func note(_ process: Int32, _ reason: LaunchNotes.Note.Reason, _ detail: String = "x") -> LaunchNotes.Note {
      LaunchNotes.Note(process: process, name: "p\(process)", reason: reason, detail: detail)
    }
    let script = try place.file("script", "#!/bin/sh\n")
    let found = Escaped.all(
      notes: [
        note(9, .notTaken), note(3, .fewDescriptors), note(3, .noHook), note(9, .noHook),
        note(5, .clearedEnvironment, script), note(6, .clearedEnvironment, script), note(1, .notTaken),
      ], linked: [6])
    #expect(found.map(\.process) == [9, 3, 5, 1])
    #expect(found.map(\.name) == ["p9", "p3", "script", "p1"])
    #expect(found[0].reason == "a session of it does not take the hook")
    #expect(Escaped.all(notes: [], linked: []).isEmpty)
  }
}

@Suite(.bounded) struct MissingInterpreterTests {
  @Test(
    arguments: [
      (
        "#!/no/such/shell\n",
        "the interpreter /no/such/shell that it names in its first line is not there; install it, or correct that line"
      ),
      (
        "#! \t/no/sh -e x\n",
        "the interpreter /no/sh that it names in its first line is not there; install it, or correct that line"
      ),
      (
        "#!/no/sh\tx",
        "the interpreter /no/sh that it names in its first line is not there; install it, or correct that line"
      ),
      ("#!/bin/sh\r\n", "its first line ends with a carriage return; save it with Unix line ends"),
      ("#!\n/bin/sh\n", nil), ("#!", nil), ("", nil), ("# !/bin/sh\n", nil), ("echo\n#!/bin/sh\n", nil),
    ] as [(String, String?)])
  func whatAScriptNames(_ text: String, _ expected: String?) throws {
    let place = try TemporaryFolder("script")
    #expect(MissingInterpreter.reason(try place.file("script", text)) == expected)
  }

  @Test func aProgramNamesItsLinkerAndWhatIsNotThereNothing() throws {
    let place = try TemporaryFolder("script")
    let path = "\(place.path)/program"
    try Data(MadeElf(interpreter: "/no/ld.so").bytes).write(to: URL(fileURLWithPath: path))
    #expect(
      MissingInterpreter.reason(path) == "its dynamic linker /no/ld.so is not there; build it for this system")
    #expect(MissingInterpreter.reason("\(place.path)/none") == nil)
    // Linux reads 256 bytes of a first line.
    let long = "#!/" + String(repeating: "x", count: 300)
    #expect(
      MissingInterpreter.reason(try place.file("long", long))?.hasPrefix(
        "the interpreter /\(String(repeating: "x", count: 253)) that") == true)
  }
}
