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
      let program = try TestProgram([BuiltProduct.path("running-program"), "spin"])
      defer { program.signal(SIGKILL) }
      #expect(try program.line() == "ready")
      let target = TargetProcess(program.process)
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
