#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// The preload library in a program that did not start with it.
  @Suite(
    .bounded,
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside ours"))
  struct PreloadLateTests {
    private static let builtIn = PreloadedProgram.builtIn
    private static let hooked = PreloadedProgram.hooked

    /// What the program says of each round, and then of its sessions.
    private func late(_ rounds: String..., change: (inout [String]) -> Void = { _ in }) async throws -> [String] {
      var program = try PreloadedProgram()
      let runtime = program.environment["PATCHBAY_RUNTIME"] ?? ""
      program.environment = .current()
      var words = [PreloadedProgram.preload, PreloadedProgram.hook, runtime, "\(program.place.path)/there.sock"]
      change(&words)
      let recorder = try CommandRecorder(
        ([BuiltProduct.path("session-maker"), "late"] + words + rounds).map { ByteString($0) },
        environment: program.environment)
      let (status, output) = await recorder.end()
      #expect(status == 0)
      let lines = output.split(whereSeparator: \.isNewline).map(String.init)
      #expect(lines.first == "before \(Self.builtIn)")
      return lines.dropFirst().map { $0.replacing(program.place.path, with: "PLACE") }
    }

    private func sessions(areHooked: Bool) -> [String] {
      ["shared", "default", "ephemeral", "new", "delegated", "still shared"].map {
        "\($0) \(areHooked ? Self.hooked : Self.builtIn)"
      }
    }

    /// Of `shared` the list has what is registered in front.
    private func simplified(_ lines: [String]) -> [String] {
      lines.map { line in
        guard line.hasPrefix("shared ") || line.hasPrefix("still shared ") else { return line }
        let name = line.prefix(through: line.lastIndex(of: " ") ?? line.startIndex)
        return name + (line.contains("PatchbayURLProtocol") ? Self.hooked : Self.builtIn)
      }
    }

    @Test func sessionsThatAreAliveAndLaterOnesAreHooked() async throws {
      let lines = try await late("done")
      #expect(
        Array(lines.prefix(3)) == ["done ready led ", "done hooked 4 let go", "done unmapped stage 2 PLACE/there.sock"])
      #expect(simplified(Array(lines.dropFirst(3))) == sessions(areHooked: true))
    }

    /// Whoever comes after a tool that was killed finds the calls led, and the first rendezvous.
    @Test func whoeverComesNextGoesOn() async throws {
      let lines = try await late("leave", "leave", "done")
      #expect(
        Array(lines.prefix(9)) == [
          "leave ready led ", "leave hooked 4 let go", "leave unmapped stage 1 PLACE/there.sock",
          "leave ready not led ", "leave hooked 4 let go", "leave unmapped stage 1 PLACE/there.sock",
          "done ready not led ", "done hooked 4 let go", "done unmapped stage 2 PLACE/there.sock",
        ])
      #expect(simplified(Array(lines.dropFirst(9))) == sessions(areHooked: true))
    }

    @Test func aRequestOfAnotherVersionChangesNothing() async throws {
      let lines = try await late("version")
      #expect(Array(lines.prefix(2)) == ["version failed not led another-version ", "version unmapped stage 0 "])
      #expect(simplified(Array(lines.dropFirst(2))) == sessions(areHooked: false))
    }

    @Test func withoutAHookTheProgramStaysAsItWas() async throws {
      let gone = try await late("done") { $0[1] = "/nowhere/hook.so" }
      #expect(
        gone[0].hasPrefix("done failed not led not-loaded /nowhere/hook.so: ") && gone[1] == "done unmapped stage 0 ")
      #expect(simplified(Array(gone.dropFirst(2))) == sessions(areHooked: false))
      let other = try await late("done", "done") { $0[2] = "libswiftCore.so=00" }
      let failed = ["done failed not led different-runtime libswiftCore.so", "done unmapped stage 0 "]
      #expect(Array(other.prefix(4)) == failed + failed)
      #expect(simplified(Array(other.dropFirst(4))) == sessions(areHooked: false))
    }
  }
#endif
