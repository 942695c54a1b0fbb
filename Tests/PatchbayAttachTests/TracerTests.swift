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
      let child = try Sleeper()
      defer { child.end() }
      let process = child.process
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

    /// As when `doctor` is killed while it tries whether ptrace is allowed: a thread goes with its process.
    @Test func theChildThatIsTriedWithEndsWithWhoStartedIt() async throws {
      let child = await withCheckedContinuation { (started: CheckedContinuation<pid_t, Never>) in
        Thread.detachNewThread {
          // More than what Dispatch blocks in its threads.
          var signals = sigset_t()
          sigfillset(&signals)
          pthread_sigmask(SIG_BLOCK, &signals, nil)
          let child = attach_start_child()
          // The process goes on, so that this thread must not end before the child does nothing any more.
          while child > 0, Processes.state(of: child) != "S" { usleep(100) }
          started.resume(returning: child)
        }
      }
      try #require(child > 0)
      defer { kill(child, SIGKILL) }
      var status: Int32 = 0
      try await eventually("its end") { waitpid(child, &status, WNOHANG) == child }
      #expect(status & 0x7f == SIGKILL)
    }

    /// By whoever waits for the end of its child, as a program's own `Process` does.
    @Test func aStopThatAnotherWaiterWasToldOfIsSeen() throws {
      let child = try Sleeper()
      defer { child.end() }
      let process = child.process
      let tracer = Tracer(TargetProcess(process))
      #expect(try tracer.seize(process))
      for _ in 0..<2 {
        #expect(tracer.interrupt(process) == 0)
        while try !stands(process) { usleep(100) }
        var status: Int32 = 0
        #expect(waitpid(process, &status, WNOHANG) == process)
        #expect(tracer.waitUntilStanding(process, within: 1_000))
        try tracer.goOn(process)
        while try stands(process) { usleep(100) }
        // Nobody has asked it to.
        #expect(attach_await(process, 1_000) == ETIMEDOUT)
      }
      tracer.letGo(process)
      tracer.finish()
      #expect(try !stands(process) && tracer.target.facts()?.tracer == 0)
    }

    /// One that polls too often never lets go of the processor, for it goes before all others: a thread that is to come to
    /// stand there does not get to it.
    @Test func whoWaitsLeavesTheProcessorToWhomItWaitsFor() throws {
      let child = try Sleeper()
      defer { child.end() }
      let process = child.process
      let tracer = Tracer(TargetProcess(process))
      #expect(try tracer.seize(process))
      attach_hurry(1)
      let (used, began) = (processorTime, Tracer.now)
      // Nobody has asked it to stand.
      #expect(attach_await(process, 100_000) == ETIMEDOUT)
      let share = Double(processorTime - used) / Double(Tracer.now - began)
      attach_hurry(0)
      tracer.letGo(process)
      tracer.finish()
      #expect(share < 0.35)
    }

    @Test func whatCannotBeDoneIsSaid() throws {
      let child = try Sleeper()
      defer { child.end() }
      let tracer = Tracer(TargetProcess(child.process))
      // It is not ours, or has gone.
      #expect(throws: tracer.target.hasEnded) { try tracer.registers(of: child.process) }
      #expect(throws: tracer.target.hasEnded) { try tracer.vectors(of: child.process) }
      #expect(!tracer.stop(child.process, within: 1_000_000))
      #expect(throws: Never.self) { try tracer.check(0, "read the registers") }
      #expect(
        throws: AttachError(
          "Cannot read the registers of a thread of process \(child.process): Input/output error. The program is as it was."
        )
      ) { try tracer.check(EIO, "read the registers") }
      #expect(try tracer.seize(1 << 29) == false)
      #expect(try tracer.seize(child.process))
      // Whoever traces it already is the only one.
      let second = Tracer(TargetProcess(child.process))
      #expect(
        throws: AttachError(
          "The system does not allow attaching to process \(child.process) (ptrace: operation not permitted), as in a "
            + "container without CAP_SYS_PTRACE. Start the program with: patchbay run")
      ) { try second.seize(child.process) }
      // One that stands in time is not late.
      #expect(tracer.stop(child.process, within: 10_000_000) && tracer.letGoOfLate())
      tracer.letGo(child.process)
      tracer.finish()
      #expect(try !stands(child.process) && TargetProcess(child.process).facts()?.tracer == 0)
    }

    @Test func registersAreReadAndSetWhileItStands() throws {
      let child = try Sleeper()
      defer { child.end() }
      let tracer = Tracer(TargetProcess(child.process))
      #expect(try tracer.seize(child.process) && tracer.stop(child.process, within: 10_000_000))
      let registers = try tracer.registers(of: child.process)
      try tracer.set(registers, of: child.process)
      let again = try tracer.registers(of: child.process)
      #expect(again == registers && registers.words.count == Processor.own.registerCount)
      let maps = tracer.target.maps()
      #expect(maps.mapping(at: registers.stack)?.isWritable == true)
      #expect(maps.mapping(at: registers.place)?.isExecutable == true)
      #expect(try tracer.vectors(of: child.process).count >= 512)
      tracer.letGo(child.process)
      tracer.finish()
      #expect(try !stands(child.process))
    }

    @Test func anAttemptInVainIsCounted() throws {
      let child = try Sleeper()
      defer { child.end() }
      let target = TargetProcess(child.process)
      let whole = try Standstill(of: target, within: 1_000_000) { 7 }
      #expect(whole.result == 7 && whole.microseconds > 0)
      var vain = 0
      for _ in 0..<1_000 where vain < 3 {
        let stop = try Standstill(of: target, within: 0) { 7 }
        if stop.result == nil, stop.microseconds > 0 { vain += 1 }
      }
      #expect(vain == 3)
    }

    @Test func allStandMeanwhileAndNobodyAfterwards() throws {
      let child = try Sleeper()
      defer { child.end() }
      let target = TargetProcess(child.process)
      // An error on the way lets go of them, too.
      for fails in [false, true, false] {
        do {
          let stop = try Standstill(of: target, within: 10_000_000) { () throws(AttachError) -> Bool in
            let standing = (try? stands(child.process)) == true
            if fails { throw AttachError("It failed.") }
            return standing
          }
          #expect(stop.result == true && !fails)
        } catch {
          #expect(fails && error == AttachError("It failed."))
        }
        #expect(try !stands(child.process) && target.facts()?.tracer == 0)
      }
    }

    /// It is in what cannot be interrupted: a file elsewhere, or vfork(2) as here. Whoever waited for it hung for as long.
    @Test(.enabled(if: access("/usr/bin/perl", X_OK) == 0, "perl calls the system"))
    func aThreadThatNeverStandsIsLeftToTheKernel() async throws {
      #if arch(arm64)
        let clone = 220
      #else
        let clone = 56
      #endif
      // CLONE_VFORK and SIGCHLD: it goes on when its child has ended.
      let program = try TestProgram([
        "/usr/bin/perl", "-e", "$| = 1; print qq(begins\n); syscall(\(clone), 0x4011, 0, 0, 0, 0) or sleep 60",
      ])
      defer { program.signal(SIGKILL) }
      #expect(try program.line() == "begins")
      let target = TargetProcess(program.process)
      try await eventually("its wait") { target.facts()?.state == "D" }
      #expect(try Standstill(of: target, within: 1_000) { 7 }.result == nil)
      let facts = try #require(target.facts())
      #expect(facts.tracer == 0 && facts.state == "D")
      for child in Processes.children(of: program.process) { kill(child, SIGKILL) }
      #expect(try program.end() == 0)
    }

    /// A child whose one thread waits.
    private struct Sleeper {
      private let child: TestProgram
      var process: pid_t { child.process }

      init() throws { child = try TestProgram(["/bin/sleep", "60"]) }

      func end() { child.signal(SIGKILL) }
    }

    /// Of this thread, in microseconds.
    private var processorTime: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private func stands(_ process: pid_t) throws -> Bool {
      try #require(Processes.state(of: process)) == "t"
    }
  }
#endif
