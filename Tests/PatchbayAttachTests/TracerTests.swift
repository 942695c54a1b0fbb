#if os(Linux)
  import CAttach
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// The kernel wants all of it from one thread, so nothing is awaited.
  @Suite(.enabled(if: attach_is_allowed() == 0, "ptrace is forbidden here"), .bounded) struct TracerTests {
    /// It stands when nobody waits for it any more, and is let go of then. `waitpid` says of a child of ours that nothing
    /// happened, for ever.
    @Test func aThreadThatStoodTooLateIsLetGoOfForGood() throws {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: "/bin/sleep")
      child.arguments = ["60"]
      try child.run()
      defer {
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
      }
      let process = child.processIdentifier
      let tracer = Tracer(TargetProcess(process))
      var wasLate = false
      for _ in 0..<100 where !wasLate {
        #expect(try tracer.seize(process))
        wasLate = !tracer.stop(process, within: 0)
        while try !stands(process) { usleep(100) }
        tracer.letGo(process)
        #expect(tracer.letGoOfLate())
      }
      #expect(wasLate)
      #expect(try !stands(process))
    }

    private func stands(_ process: pid_t) throws -> Bool {
      let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      return stat.split(separator: ")").last?.hasPrefix(" t") == true
    }
  }
#endif
