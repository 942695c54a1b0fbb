#if os(Linux)
  import CAttach
  import Foundation
  import PatchbayLaunch
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// The hook is brought into a program that runs, from beginning to end, without a console.
  @Suite(.enabled(if: attach_is_allowed() == 0, "ptrace is forbidden here"), .bounded)
  struct AttachedProgramTests {
    /// A program with sessions that makes requests when it is told to.
    private struct Program {
      private let program: TestProgram
      var target: TargetProcess { TargetProcess(program.process) }

      init(_ arguments: String...) throws {
        program = try TestProgram([BuiltProduct.path("running-program")] + arguments, input: .written)
        try #require(try program.line() == "ready")
      }

      func tell(_ text: String) throws -> String { try program.tell(text) }
    }

    private let libraries = HookLibraries(
      preload: BuiltProduct.path(HookLibraries.preloadName), hook: BuiltProduct.path(HookLibraries.hookName))

    private func attach(_ program: Program, _ rendezvous: String, runtime: String? = nil) throws
      -> PatchbayAttach.Attachment.Report
    {
      try PatchbayAttach.Attachment(
        facts: try #require(program.target.facts()), libraries: libraries,
        runtime: runtime ?? libraries.runtime().environmentValue, rendezvous: rendezvous
      ).begin()
    }

    /// Signals that each of its threads blocks or waits for.
    private func signals(_ target: TargetProcess) -> [TargetProcess.Signals?] {
      target.threads().prefix(1).map { target.signals(of: $0) }
    }

    @Test func sessionsThatAreAliveAndThoseToComeAreHookedAndTheProgramGoesOn() throws {
      let server = try LoopbackServer()
      defer { server.stop() }
      let url = server.url("/json").absoluteString
      let program = try Program(url)
      let kinds = ["shared", "handler", "delegate", "subclass", "fresh", "contents"]
      let before = try kinds.map { try program.tell("\($0) \(url)") }
      #expect(try program.tell("crowd 5") == "crowd 5" && program.tell("hooked") == "hooked 0")
      #expect(try program.tell("lookalikes") == "lookalikes")
      let signals = signals(program.target)
      let report = try attach(program, "/nowhere/at.sock")
      // URLSession.shared, three of the program's own, and the crowd.
      #expect(report.sessions == 9)
      // One thread is looked at, sent off, sent on and put back; then all stand.
      #expect(report.standstills.count >= 4 && report.standstills.allSatisfy { $0 > 0 })
      #expect(report.slots > 0 && report.away > 0)
      #expect(try program.tell("hooked") == "hooked 5" && program.tell("check") == "check ")
      #expect(try program.tell("crowd 2") == "crowd 7" && program.tell("hooked") == "hooked 7")
      #expect(try kinds.map { try program.tell("\($0) \(url)") } == before)
      let facts = try #require(program.target.facts())
      #expect(facts.hooked == .attached(AttachedState(isWhole: true, rendezvous: "/nowhere/at.sock")))
      #expect(facts.preload == libraries.preload && facts.tracer == 0)
      #expect(self.signals(program.target) == signals)
      // Nothing is left of what it was sent through.
      #expect(!program.target.maps().mappings.contains { $0.isExecutable && $0.name.isEmpty })
      // No console attends to it, so that another may.
      #expect(RunningPrograms.attachable().contains { $0.process == facts.process })
    }

    @Test func aSecondTimeItIsHookedAlready() throws {
      let program = try Program()
      #expect(try program.tell("crowd 3") == "crowd 3")
      let first = try attach(program, "/nowhere/1.sock")
      let second = try attach(program, "/nowhere/1.sock")
      #expect(try first.sessions >= 3 && second.sessions <= first.sessions && program.tell("hooked") == "hooked 3")
      #expect(program.target.facts()?.hooked == .attached(AttachedState(isWhole: true, rendezvous: "/nowhere/1.sock")))
    }

    @Test func aHookForAnotherRuntimeStaysOutAndTheProgramIsToldApart() throws {
      let program = try Program()
      #expect(try program.tell("crowd 2") == "crowd 2")
      let process = program.target.process
      #expect(
        throws: AttachError(
          "The hook could not be used in process \(process): it runs on another build of Swift (libswiftCore.so); build "
            + "Patchbay with the toolchain that built the program.")
      ) { try attach(program, "/nowhere/at.sock", runtime: "libswiftCore.so=0123456789abcdef") }
      #expect(try program.tell("hooked") == "hooked 0" && program.target.facts()?.tracer == 0)
    }

    @Test func aLibraryThatIsNotThereIsSaidInTheLinkersWords() throws {
      let program = try Program()
      let missing = HookLibraries(preload: "/nowhere/p.so", hook: "/nowhere/h.so")
      let attachment = PatchbayAttach.Attachment(
        facts: try #require(program.target.facts()), libraries: missing, runtime: "", rendezvous: "/nowhere/at.sock")
      #expect(
        throws: AttachError(
          "Process \(program.target.process) could not load /nowhere/p.so: /nowhere/p.so: cannot open shared object file: "
            + "No such file or directory.")
      ) { try attachment.begin() }
      #expect(try program.tell("crowd 1") == "crowd 1" && program.target.facts()?.hooked == .no)
    }

    @Test func aProgramThatIsAnotherByNowIsLeftAlone() throws {
      let program = try Program()
      var facts = try #require(program.target.facts())
      facts.startedAt += 1
      let attachment = PatchbayAttach.Attachment(
        facts: facts, libraries: libraries, runtime: "", rendezvous: "/nowhere/at.sock")
      #expect(throws: program.target.hasEnded) { try attachment.begin() }
      #expect(program.target.facts()?.hooked == .no)
    }

    @Test func aProgramWithoutFoundationNetworkingIsRefused() throws {
      let child = try TestProgram(["/bin/sleep", "60"])
      defer { child.signal(SIGKILL) }
      let process = child.process
      let attachment = PatchbayAttach.Attachment(
        facts: try #require(TargetProcess(process).facts()), libraries: libraries, runtime: "", rendezvous: "/x")
      #expect(
        throws: AttachError("FoundationNetworking of process \(process) is another one than Patchbay knows.")
      ) { try attachment.begin() }
    }
  }
#endif
