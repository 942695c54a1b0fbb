#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// Which hook the preload library loads, what it keeps for it, and what it says where there is none.
  @Suite(
    .bounded,
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside ours"))
  struct PreloadHookTests {
    private static let builtIn = PreloadedProgram.builtIn
    private static let hooked = PreloadedProgram.hooked

    /// What a session has, and what is noted.
    private func outcome(_ change: (inout ChildEnvironment) -> Void) async throws -> (isHooked: Bool, noted: [String]) {
      var program = try PreloadedProgram()
      change(&program.environment)
      let (lines, status) = try await program.run()
      #expect(status == 0 && lines.count == 8)
      let isHooked = lines.contains("default \(Self.hooked)")
      #expect(isHooked || lines.contains("default \(Self.builtIn)"))
      return (isHooked, try program.noted())
    }

    @Test func theRuntimeMustBeTheOneThatItWasBuiltFor() async throws {
      let whole = try #require(try PreloadedProgram().environment["PATCHBAY_RUNTIME"])
      let entries = whole.split(separator: ",").map(String.init)
      try #require(entries.count == 2 && entries.allSatisfy { $0.contains("=") })
      let (name, own) = (String(entries[0].prefix { $0 != "=" }), String(entries[1].prefix { $0 != "=" }))
      let last = whole.last == "0" ? "1" : "0"
      let rows: [(String?, String?)] = [
        (whole, nil), (nil, nil), (entries[0], nil), (entries[1], nil), (entries[0] + ",", nil),
        (entries[1] + "," + entries[0], nil), ("libNobody.so=00," + whole, nil),
        ("\(name)=00", name), ("\(name)=", name), (whole + "00", own), (String(whole.dropLast(2)), own),
        (String(whole.dropLast()) + last, own), (whole.uppercased().replacing(name.uppercased(), with: name), name),
        ("libNobody.so=00,\(name)=00", name), ("\(name)=00,\(own)=00", name), ("no sense", nil),
        (String(repeating: "n", count: 64) + "=00,\(name)=00", nil),
        (String(repeating: "n", count: 63) + "=00,\(name)=00", name),
      ]
      for (runtime, differs) in rows {
        let (isHooked, noted) = try await outcome { $0["PATCHBAY_RUNTIME"] = runtime }
        #expect(isHooked == (differs == nil), "\(runtime ?? "none")")
        #expect(noted == (differs.map { ["session-maker different-runtime \($0)"] } ?? []), "\(runtime ?? "none")")
      }
    }

    @Test func aHookThatIsNoneIsNoted() async throws {
      let none = try await outcome { $0["PATCHBAY_HOOK"] = nil }
      #expect(!none.isHooked && none.noted == ["session-maker no-hook PATCHBAY_HOOK is not set"])
      let empty = try await outcome { $0["PATCHBAY_HOOK"] = "" }
      #expect(!empty.isHooked && empty.noted == none.noted)
      let other = try await outcome { $0["PATCHBAY_HOOK"] = PreloadedProgram.preload }
      #expect(!other.isHooked && other.noted == ["session-maker not-a-hook \(PreloadedProgram.preload)"])
      let gone = try await outcome { $0["PATCHBAY_HOOK"] = "/nowhere/hook.so" }
      #expect(!gone.isHooked && gone.noted.count == 1)
      #expect(gone.noted.first?.hasPrefix("session-maker not-loaded /nowhere/hook.so: ") == true)
      let long = try await outcome {
        $0["PATCHBAY_HOOK"] =
          String(repeating: "/", count: 4_096 - PreloadedProgram.hook.utf8.count) + PreloadedProgram.hook
      }
      #expect(!long.isHooked && long.noted == none.noted, "a path that has no room is none")
    }

    // MARK: What is kept

    @Test func variablesAreThoseThatTheProgramStartedWith() async throws {
      var program = try PreloadedProgram(unmatched: "fail")
      let socket = "\(program.place.path)/none.sock"
      #expect(try await program.run("kept").lines == ["socket \(socket)", "unmatched fail", "rendezvous none"])
      program.environment["PATCHBAY_UNMATCHED"] = nil
      #expect(try await program.run("kept").lines == ["socket \(socket)", "unmatched none", "rendezvous none"])
      for (socket, unmatched, lines) in [
        ("", "", ["socket none", "unmatched none"]), ("a", "1234567", ["socket a", "unmatched 1234567"]),
        ("b", "12345678", ["socket b", "unmatched none"]),
      ] {
        program.environment["PATCHBAY_SOCKET"] = socket
        program.environment["PATCHBAY_UNMATCHED"] = unmatched
        #expect(try await program.run("kept").lines == lines + ["rendezvous none"])
      }
    }

    @Test func sessionsInBracketsAreLeftAsTheyAre() async throws {
      let (lines, status) = try await PreloadedProgram().run("bypass")
      let expected = [
        ("end", true), ("begin", false), ("nested", false), ("still", false), ("over", true), ("over again", true),
        ("begun again", false),
      ].map { "\($0.0) \($0.1 ? Self.hooked : Self.builtIn)" }
      #expect(status == 0 && lines.count == 9 && Array(lines.prefix(7)) == expected)
      #expect(lines.last == "elsewhere \(Self.hooked)", "on another thread they are not")
      #expect(
        lines.dropLast().last?.hasPrefix("shared ") == true && lines.dropLast().last?.contains("Patchbay") == false)
    }

    @Test func theFirstHookStaysTheProcesss() async throws {
      let program = try PreloadedProgram()
      let (lines, status) = try await program.run("adopt")
      #expect(status == 0)
      #expect(
        lines == [
          "without either 0 0", "first 1 again 1 another 0", "own \(Self.builtIn)", "delegated \(Self.builtIn)",
          "told new, new, session",
        ])
      #expect(try program.noted() == [], "no other is loaded")
    }

    // MARK: Notes

    @Test func notesAreLinesOfOneLength() async throws {
      let program = try PreloadedProgram()
      let long = String(repeating: "d", count: 2_000)
      _ = try await program.run("note", "one", "first", "two", "", "three", long)
      let text = try String(contentsOfFile: program.notes, encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let process = text.prefix { $0 != "\t" }
      try #require(lines.count == 4 && Int32(process) ?? 0 > 0)
      #expect(lines[0] == "\(process)\tsession-maker\tone\tfirst" && lines[1] == "\(process)\tsession-maker\ttwo\t")
      let third = "\(process)\tsession-maker\tthree\t\(long)"
      #expect(lines[2] == third.prefix(1_022) && lines[3] == "", "one that is too long is cut and stays a line")
    }

    @Test func whereNobodyReadsThemNoneAreWritten() async throws {
      var program = try PreloadedProgram()
      try FileManager.default.removeItem(atPath: program.notes)
      #expect(try await program.run("note", "one", "first").lines == [])
      #expect(!FileManager.default.fileExists(atPath: program.notes))
      let other = try program.place.file("other")
      try FileManager.default.createSymbolicLink(atPath: program.notes, withDestinationPath: other)
      #expect(try await program.run("note", "one", "first").lines == [])
      #expect(try String(contentsOfFile: other, encoding: .utf8) == "", "no link is followed")
      program.environment["PATCHBAY_NOTES"] = String(repeating: "/", count: 4_096 - other.utf8.count) + other
      _ = try await program.run("note", "one", "first")
      #expect(try String(contentsOfFile: other, encoding: .utf8) == "", "a path that has no room is none")
      program.environment["PATCHBAY_NOTES"] = String(repeating: "/", count: 4_095 - other.utf8.count) + other
      _ = try await program.run("note", "one", "first")
      #expect(try String(contentsOfFile: other, encoding: .utf8).hasSuffix("\tone\tfirst\n"))
    }

    @Test(
      arguments: [("1", true), ("yes", true), ("00", true), ("0", false), ("", false), (nil, false)]
        as [(String?, Bool)])
    func theyAreSaidTooWhereThatIsWanted(_ debug: String?, _ isSaid: Bool) async throws {
      var program = try PreloadedProgram()
      program.environment["PATCHBAY_DEBUG"] = debug
      let (lines, _) = try await program.run("note", "one", "first")
      let noted = try String(contentsOfFile: program.notes, encoding: .utf8)
      #expect(noted.hasSuffix("\tsession-maker\tone\tfirst\n"))
      #expect(lines == (isSaid ? ["patchbay preload: " + noted.dropLast()] : []))
    }

    // MARK: The end

    @Test(arguments: ["_exit", "_Exit"], ["told", "untold"])
    func theEndWithoutHandlersIsHeardOf(_ way: String, _ told: String) async throws {
      let (lines, status) = try await PreloadedProgram().run("exit", way, told)
      #expect(status == 7 && lines == (told == "told" ? ["before"] : []))
    }
  }
#endif
