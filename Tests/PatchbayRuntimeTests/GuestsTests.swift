#if os(Linux)
  import CAttach
  import Foundation
  import PatchbayAttach
  import PatchbayLaunch
  import PatchbayServer
  import PatchbayTestSupport
  import PatchbayWire
  import Testing

  @testable import PatchbayRuntime

  /// Running programs that a console attends to, with the real hook in a real program.
  @Suite(
    .enabled(if: attach_is_allowed() == 0, "ptrace is forbidden here"),
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be brought in"), .bounded)
  final class GuestsTests {
    private let place: TestFolders
    private var programs: [TestProgram] = []

    init() throws { place = try TestFolders() }

    /// Starts the program, which waits for a line then.
    private func begin() throws -> TestProgram {
      let program = try TestProgram([BuiltProduct.path("running-program")], input: .written)
      programs.append(program)
      #expect(try program.line() == "ready")
      return program
    }

    private func server(_ name: String) async throws -> ConsoleServer {
      let server = ConsoleServer(configuration: ServerConfiguration(socket: place.folder.file(name)))
      try await server.start()
      return server
    }

    private func target(_ pid: pid_t) throws -> AttachTarget { try AttachTarget(process: pid, folders: place.folders) }

    private func sentence(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "no error"
      } catch {
        return "\(error)"
      }
    }

    @Test func aProgramIsAttendedToLetGoOfAndFoundAgain() async throws {
      let program = try begin()
      let pid = program.process
      let title = "running-program \(pid)"
      let server = try await server("s.sock")
      let (guests, told) = (Guests(), SeenLock<[String]>([]))
      guests.whenGone { sentence in told.withLock { $0.append(sentence) } }
      let target = try target(pid)
      #expect(target.title == title && target.socket == nil && target.otherUser == nil && target.process == pid)
      #expect(
        sentence { _ = try DetachTarget(String(pid)) }
          == "\(title) has no hook of Patchbay in it: there is nothing to detach.")
      let said = try await guests.attach(target, to: server)
      #expect(
        said.wholeMatch(
          of:
            /attached to running-program [0-9]+: [0-9]+ sessions?, and those that it makes from now on\. It stood still for [0-9.]+ ms at most; one waiting thread was borrowed for [0-9.]+ ms\./
        ) != nil, "\(said)")
      #expect(Guests.isInForce(server.board.revision, in: pid, server.links))
      // Whoever comes is told who has it.
      let own = place.folder.file("s.sock")
      #expect(
        sentence { _ = try self.target(pid) }
          == "\(title) is attached to by the console at \(own). End that one, or say: patchbay detach \(pid)")
      let detach = try DetachTarget(String(pid))
      #expect(detach.process == pid && detach.title == title && detach.console == own)
      #expect(try DetachTarget(String(pid)).console == own, "it is only looked at")
      #expect(guests.detach(pid + 1) == nil)
      #expect(guests.detach(pid) == pid)
      #expect(guests.detach(pid) == nil, "it has been let go of")
      try await eventually("it is told") { told.withLock { $0 } == ["detached from \(title), which runs on."] }
      await server.stop()
      let left = try DetachTarget(String(pid))
      #expect(left.console == nil)
      // The hook waits in it for whoever comes next.
      let next = try await self.server("t.sock")
      let again = try self.target(pid)
      #expect(try await guests.attach(again, to: next) == "attached to \(title) again: the hook was in it.")
      program.send("end")
      try await eventually("its end is told") { told.withLock { $0.last } == "\(title) ended." }
      try program.end()
      #expect(guests.detach(pid) == nil)
      await next.stop()
      #expect(told.withLock { $0.count } == 2)
    }

    @Test func whoLeavesIsNotFoundAgain() async throws {
      let pid = try begin().process
      let server = try await server("s.sock")
      let guests = Guests()
      _ = try await guests.attach(try target(pid), to: server)
      guests.leave()
      #expect(guests.detach(pid) == nil)
      await server.stop()
      let next = try await self.server("s.sock")
      // The next console at that socket is another one: the hook comes only when it is led there.
      let other = try DetachTarget(String(pid))
      #expect(other.console == nil)
      let again = try target(pid)
      if case .again = again.way {} else { Issue.record("the hook is not seen") }
      await next.stop()
    }

    @Test func whatWasLinkedWhenItBeganIsNotDetachedFrom() async throws {
      let program = try TestProgram(
        ["/bin/sleep", "60"],
        environment: ["PATH": "/usr/bin:/bin", "LD_PRELOAD": BuiltProduct.path(HookLibraries.preloadName)])
      defer { program.signal(SIGKILL) }
      let pid = program.process
      let said =
        "sleep \(pid) was not attached to: it links Patchbay, or patchbay run started it. Its console is to end."
      try await eventually("its library") { sentence { _ = try DetachTarget(String(pid)) } == said }
    }

    /// One that was killed has left it there.
    @Test func whatLeadsToAConsoleThatIsGoneIsRemoved() async throws {
      func links() throws -> [String] {
        let folder = try place.folders.runtime()
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)) != nil
        }
      }
      let pid = try begin().process
      let server = try await server("s.sock")
      let guests = Guests()
      _ = try await guests.attach(try target(pid), to: server)
      #expect(try links().count == 1)
      await server.stop()
      #expect(try links().count == 1)
      #expect(try DetachTarget(String(pid)).console == nil)
      #expect(try links() == [])
    }

    @Test func attachingIsStoppedBeforeAnythingWasChanged() async throws {
      let pid = try begin().process
      let server = try await server("s.sock")
      let guests = Guests()
      let target = try target(pid)
      let attaching = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await guests.attach(target, to: server)
      }
      await #expect { _ = try await attaching.value } throws: {
        "\($0)".contains("\(pid) was stopped. It is as it was.")
      }
      #expect(guests.detach(pid) == nil && server.links.isEmpty)
      await server.stop()
    }

    @Test func aProgramThatEndsMeanwhileIsSaidTo() async throws {
      let program = try begin()
      let pid = program.process
      let server = try await server("s.sock")
      let target = try target(pid)
      try program.killAndWait()
      let guests = Guests()
      await #expect(throws: (any Error).self) { _ = try await guests.attach(target, to: server) }
      #expect(guests.detach(pid) == nil)
      await server.stop()
    }

    @Test func whatIsNoProgramIsSaidWithThoseThatAre() throws {
      let program = try begin()
      let pid = program.process
      let unknown = #expect(throws: AttachError.self) { try AttachTarget("no such program", folders: place.folders) }
      #expect(unknown?.description == "No program is called no such program. These can be attached to:")
      #expect(unknown?.programs.contains { $0.contains(" \(pid) ") } == true)
      let number = #expect(throws: AttachError.self) { try AttachTarget("999999999", folders: place.folders) }
      #expect(number?.description == "No program has the number 999999999. These can be attached to:")
      #expect(
        sentence { _ = try DetachTarget("no such program") } == "No program is called no such program.")
      #expect(throws: AttachError.self) { try AttachTarget(process: 999_999_999, folders: place.folders) }
      #expect(try AttachTarget(String(pid), folders: place.folders).title == "running-program \(pid)")
    }
  }
#endif
