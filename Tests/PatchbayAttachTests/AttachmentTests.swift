#if os(Linux)
  import CAttach
  import Foundation
  import PatchbayLaunch
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  @Suite(.enabled(if: attach_is_allowed() == 0, "ptrace is forbidden here"), .bounded) struct AttachmentTests {
    /// Its one thread never waits, so there is none to borrow; who does not want to wait for one any more need not.
    @Test func itCanBeStoppedAsLongAsNothingWasChanged() throws {
      let program = Process()
      program.executableURL = URL(fileURLWithPath: BuiltProduct.path("running-program"))
      program.arguments = ["spin"]
      let output = Pipe()
      program.standardOutput = output
      try program.run()
      defer {
        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
      }
      #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
      let target = TargetProcess(program.processIdentifier)
      let facts = try #require(target.facts())
      let before = target.maps().mappings.filter(\.isExecutable)
      let attachment = Attachment(
        facts: facts,
        libraries: HookLibraries(
          preload: BuiltProduct.path(HookLibraries.preloadName), hook: BuiltProduct.path(HookLibraries.hookName)),
        runtime: "", rendezvous: "/nowhere.sock")
      var asked = 0
      #expect {
        _ = try attachment.begin {
          asked += 1
          return asked == 3
        }
      } throws: { error in
        "\(error)" == "Attaching to process \(target.process) was stopped. It is as it was."
      }
      #expect(asked == 3)
      #expect(target.maps().mappings.filter(\.isExecutable) == before)
      #expect(try #require(target.facts()).tracer == 0)
    }
  }
#endif
