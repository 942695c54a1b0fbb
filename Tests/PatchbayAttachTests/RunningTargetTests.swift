#if os(Linux)
  import Foundation
  import PatchbayLaunch
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// What `/proc` says of processes that are started here.
  @Suite(.bounded) struct RunningTargetTests {
    private struct Child {
      let program: TestProgram
      var number: pid_t { program.process }
      var target: TargetProcess { TargetProcess(number) }

      init(_ command: [String], environment: [String: String] = [:]) throws {
        program = try TestProgram(command, environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 })
      }
    }

    @Test func anOrdinaryProgramsFacts() async throws {
      let child = try Child(["/bin/sleep", "60"])
      try await eventually("its name") { child.target.facts()?.name == "sleep" }
      try await eventually("its wait") { child.target.facts()?.state == "S" }
      let facts = try #require(child.target.facts())
      var expected = TargetFacts(process: child.number)
      (expected.name, expected.command) = ("sleep", "/bin/sleep 60")
      (expected.user, expected.group) = (geteuid(), getegid())
      expected.startedAt = try #require(child.target.startedAt)
      (expected.isSwift, expected.hasNetworking) = (false, false)
      expected.seccomp = facts.seccomp
      #expect(facts == expected)
      #expect(child.target.isThere && child.target.sharesFiles && child.target.sharesNumbers)
      #expect(child.target.ownPath("/tmp/x") == "/tmp/x" && child.target.threads() == [child.number])
      #expect(child.target.hasEnded.description == "Process \(child.number) ended while it was attached to.")
      let program = RunningProgram(facts)
      #expect(program.process == child.number && program.name == "sleep" && program.command == "/bin/sleep 60")
      #expect(program.user == geteuid() && abs(program.startedAt - Date().timeIntervalSince1970) < 3_600)
      kill(child.number, SIGSTOP)
      try await eventually("its stop") { child.target.facts()?.state == "T" }
      #expect(child.target.rights().isDescendant && !TargetProcess(1).rights().isDescendant)
      let own = TargetFacts.Rights.own
      #expect(own.user == geteuid() && !own.isDescendant)
      try child.program.killAndWait()
      #expect(!child.target.isThere && child.target.facts() == nil && child.target.startedAt == nil)
      #expect(child.target.maps().mappings == [] && child.target.signals(of: child.number) == nil)
    }

    /// A name may have everything in it that stands around names there.
    @Test func aNameWithParenthesesMixesNothingUp() async throws {
      let folder = "/tmp/pb-odd-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = "\(folder)/a) Z 1 (b: c"
      #expect(symlink("/bin/sleep", path) == 0)
      let child = try Child([path, "60"])
      try await eventually("its name") { child.target.facts()?.name == "a) Z 1 (b: c" }
      let plain = try Child(["/bin/sleep", "60"])
      let (odd, other) = (try #require(child.target.startedAt), try #require(plain.target.startedAt))
      #expect(other >= odd && other - odd < 6_000 && child.target.rights().isDescendant)
      #expect(try #require(child.target.facts()).state != "Z")
      #expect(RunningPrograms.named("a) Z 1 (b: c").contains { $0.process == child.number })
    }

    /// The kernel keeps fifteen bytes of a name. That of the file is whole, also of one that was removed since.
    @Test func aProgramIsFoundByTheNameOfItsFile() async throws {
      let folder = "/tmp/pb-file-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let name = "sleeper-\(UUID().uuidString)"
      // Another process writes it, so that no descriptor of ours is with a program that another test starts.
      _ = try TestProgram.run(["/bin/cp", "/bin/sleep", "\(folder)/\(name)"])
      let child = try Child(["\(folder)/\(name)", "60"])
      try await eventually("its file") { RunningPrograms.named(name).map(\.process) == [child.number] }
      #expect(unlink("\(folder)/\(name)") == 0)
      #expect(RunningPrograms.named(name).map(\.process) == [child.number])
      #expect(RunningPrograms.named(String(name.prefix(15))).map(\.process) == [child.number])
      #expect(RunningPrograms.named("\(name) (deleted)") == [] && RunningPrograms.named(String(name.prefix(14))) == [])
    }

    @Test func aChildOfAChildIsADescendant() async throws {
      let child = try Child(["/bin/sh", "-c", "/bin/sleep 60 & wait"])
      let inner = try await eventually("its child") { Processes.children(of: child.number).first }
      #expect(TargetProcess(inner).rights().isDescendant)
      kill(inner, SIGKILL)
    }

    #if arch(x86_64)
      /// A program of nine bytes, which only waits: `mov $34, %eax; syscall; jmp` to the beginning.
      @Test func aStaticProgramIsOne() async throws {
        func number(_ value: UInt64, _ count: Int) -> [UInt8] { Array(value.littleEndianBytes.prefix(count)) }
        let code: [UInt8] = [0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]
        let place: UInt64 = 0x40_0000
        let size = UInt64(120 + code.count)
        var elf: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        elf += number(2, 2) + number(62, 2) + number(1, 4) + number(place + 120, 8) + number(64, 8) + number(0, 8)
        elf += number(0, 4) + number(64, 2) + number(56, 2) + number(1, 2) + number(0, 6)
        elf += number(1, 4) + number(5, 4) + number(0, 8) + number(place, 8) + number(place, 8)
        elf += number(size, 8) + number(size, 8) + number(4096, 8) + code
        let path = "/tmp/pb-static-\(UUID().uuidString)"
        defer { unlink(path) }
        // Another process writes it, so that no descriptor of ours is with a program that another test starts.
        let octal = elf.map { "\\0" + String($0, radix: 8) }.joined()
        let script = "printf %b \"$1\" > \"$2\" && chmod 755 \"$2\""
        _ = try TestProgram.run(["/bin/sh", "-c", script, "sh", octal, path])
        let child = try Child([path])
        try await eventually("it is that program") { child.target.facts()?.command == path }
        let facts = try #require(child.target.facts())
        #expect(!facts.isDynamic && facts.is64Bit && !facts.isSwift && !facts.hasStaticSwift && facts.mayRead)
        #expect(
          facts.refusal(.init(user: 0, mayTraceAll: true, scope: 0, isDescendant: true), hookRuntime: [:])?.description
            == "\(facts.title) is linked statically, so that nothing can be loaded into it.")
      }
    #endif

    @Test func aThreadOfTheKernelIsNoProgram() throws {
      let facts = TargetProcess(2).facts()
      // Not where processes are numbered for a container.
      guard let facts, facts.name == "kthreadd" else { return }
      #expect(facts.isKernelThread && facts.command == "" && !facts.mayRead)
      #expect(RunningProgram(facts).command == "kthreadd")
    }

    @Test func aSwiftProgramsFacts() async throws {
      let child = try Child([BuiltProduct.path("running-program"), "spin"])
      // The command is read before the libraries, and may be another's still, or none's.
      let facts = try await eventually("its libraries") {
        child.target.facts().flatMap { $0.hasNetworking && !$0.command.isEmpty ? $0 : nil }
      }
      #expect(facts.isSwift && facts.isDynamic && !facts.hasStaticSwift && facts.is64Bit && facts.mayRead)
      #expect(facts.hooked == .no && facts.preload == nil && facts.overseer == nil && facts.tracer == 0)
      #expect(facts.command == "\(BuiltProduct.path("running-program")) spin")
      let hook = HookLibraries(preload: "", hook: BuiltProduct.path(HookLibraries.hookName)).runtime()
      #expect(facts.runtime == hook.buildIDs)
      #expect(
        facts.refusal(child.target.rights(), hookRuntime: hook.buildIDs) == nil || !child.target.rights().mayTraceAll)
      #expect(RunningPrograms.named("running-program").contains { $0.process == child.number })
      let maps = child.target.maps()
      let networking = try #require(maps.image(named: "libFoundationNetworking.so"))
      let image = try #require(TargetImage(base: networking.base, in: child.target.memory))
      let layout = try #require(SessionSearch.Layout(image, in: child.target.memory))
      #expect(
        layout.configurationOffset % 8 == 0 && layout.session != layout.configuration)
      #expect(SessionSearch(memory: child.target.memory, layout: layout, usesSystemAllocator: true) != nil)
      #expect(image.buildID == facts.runtime["libFoundationNetworking.so"])
    }

    @Test func aProgramMayEndWhileItIsRead() async throws {
      for round in 0..<100 {
        let child = try Child(["/bin/sleep", "60"])
        let base = try await eventually("its library") {
          child.target.maps().image(named: "libc.so.6").flatMap { libc in
            TargetImage(base: libc.base, in: child.target.memory).map { _ in libc.base }
          }
        }
        Thread.detachNewThread { [number = child.number] in
          // Some microseconds; what yields waits for all others on a busy machine.
          let end = ContinuousClock.now + .microseconds(round * 5)
          while ContinuousClock.now < end {}
          kill(number, SIGKILL)
        }
        while TargetImage(base: base, in: child.target.memory) != nil {}
      }
    }

    @Test func whatIsPreloadedCountsAsLinked() async throws {
      let preload = BuiltProduct.path(HookLibraries.preloadName)
      let child = try Child(["/bin/sleep", "60"], environment: ["LD_PRELOAD": preload])
      let facts = try await eventually("its library") {
        child.target.facts().flatMap { $0.preload != nil ? $0 : nil }
      }
      #expect(facts.hooked == .linked && facts.preload == preload)
    }

    @Test func whereALinkedProgramLooksForItsConsole() async throws {
      // Until it is that program, and has it, the environment is ours or none.
      func expect(_ socket: String, _ environment: [String: String]) async throws {
        let child = try Child(["/bin/sleep", "60"], environment: environment)
        try await eventually("\(socket) by \(environment)", state: "\(child.target.facts() as Any)") {
          guard let facts = child.target.facts(), facts.name == "sleep" else { return false }
          return child.target.linkedSocket(facts) == socket
        }
      }
      let folder = "/tmp/pb-linked-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let usual = "/tmp/patchbay-\(geteuid())/default.sock"
      try await expect("/a b.sock", ["PATCHBAY_SOCKET": "/a b.sock", "XDG_RUNTIME_DIR": folder])
      try await expect("\(folder)/patchbay/default.sock", ["PATCHBAY_SOCKET": "", "XDG_RUNTIME_DIR": folder + "/"])
      try await expect(usual, ["XDG_RUNTIME_DIR": folder + "/none"])
      try await expect(usual, ["XDG_RUNTIME_DIR": ""])
      try await expect(usual, [:])
      #expect(FileManager.default.createFile(atPath: folder + "/file", contents: nil))
      try await expect(usual, ["XDG_RUNTIME_DIR": folder + "/file"])
      // A folder of another user's is of no use.
      let child = try Child(["/bin/sleep", "60"], environment: ["XDG_RUNTIME_DIR": folder])
      try await eventually("its name and its environment") {
        guard var facts = child.target.facts(), facts.name == "sleep" else { return false }
        guard child.target.linkedSocket(facts) == "\(folder)/patchbay/default.sock" else { return false }
        facts.user += 1
        return child.target.linkedSocket(facts) == "/tmp/patchbay-\(facts.user)/default.sock"
      }
    }

    @Test func theCallThatAThreadWaitsInIsKnown() async throws {
      let child = try Child(["/bin/sleep", "60"])
      let words = try await eventually("its wait") { child.target.systemCall(of: child.number) }
      let call = try #require(SystemCall(words: words))
      let numbers = [KernelCall.clockNanosleep, .nanosleep, .pause].numbers(on: .own)
      #expect(numbers.contains(call.number) && call.arguments.count == 6)
      let maps = child.target.maps()
      #expect(maps.mapping(at: call.stack)?.isWritable == true && maps.mapping(at: call.place)?.isExecutable == true)
      #expect(SystemCall(words: words.dropLast()) == nil && SystemCall(words: words + [0]) == nil)
      #expect(child.target.systemCall(of: 1 << 29) == nil)
      let spinning = try Child([BuiltProduct.path("running-program"), "spin"])
      try await eventually("it runs") { spinning.target.systemCall(of: spinning.number) == nil }
    }

    @Test func theEndOfAProcessCanBeWaitedFor() throws {
      let child = try Child(["/bin/sleep", "60"])
      let descriptor = try #require(ProcessEnd.descriptor(of: child.number))
      defer { close(descriptor) }
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&poller, 1, 0) == 0)
      kill(child.number, SIGKILL)
      #expect(poll(&poller, 1, 20_000) == 1)
      #expect(ProcessEnd.descriptor(of: 1 << 29) == nil)
    }

    @Test func numbersOfAFolderComeInTheirOrder() throws {
      let folder = "/tmp/pb-numbers-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      for name in ["12", "3", "x", "007", "100", "1a", "-4"] {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
      }
      #expect(ProcessFolder.numbers(in: folder) == [-4, 3, 7, 12, 100])
      #expect(ProcessFolder.numbers(in: "\(folder)/none") == [])
    }
  }
#endif
