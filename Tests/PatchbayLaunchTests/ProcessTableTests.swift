#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// What is read of `/proc`, tried on processes that are started here.
  @Suite(.bounded) struct ProcessTableTests {
    /// A shell with a child, one of them in a session of its own.
    private func family(_ script: String, socket: String = "") throws -> (root: TestProgram, children: [pid_t]) {
      let shell = try TestProgram(
        ["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin", "PATCHBAY_SOCKET": socket])
      return (shell, try shell.line().split(separator: " ").compactMap { pid_t($0) })
    }

    private func end(_ family: (root: TestProgram, children: [pid_t])) {
      for child in family.children { kill(child, SIGKILL) }
      family.root.signal(SIGKILL)
    }

    @Test func aTreeIsWhatAProcessAndItsChildrenStarted() async throws {
      let family = try family("sleep 60 & one=$!; setsid sleep 61 & echo $one $!; wait")
      defer { end(family) }
      let (root, one, two) = (family.root.process, family.children[0], family.children[1])
      try await eventually("its own session") { ProcessTable.Entry(process: two)?.session == two }
      let table = ProcessTable()
      #expect(table.descendants(of: root).map(\.process).first == root)
      #expect(Set(table.descendants(of: root).map(\.process)) == [root, one, two])
      #expect(Set(table.tree(under: root).map(\.process)) == [root, one])
      #expect(table.members(ofSession: two).map(\.process) == [two])
      #expect(table.descendants(of: one).map(\.process) == [one])
      let entry = try #require(table.entries.first { $0.process == one })
      #expect(entry.parent == root && entry.isAlive && !entry.isZombie && entry.user == geteuid())
      try await eventually("its name") { entry.name == "sleep" }
      #expect(entry.startedAt >= (try #require(ProcessTable.Entry(process: root)).startedAt))
      // No such process: none under it either.
      #expect(table.tree(under: 1 << 29).isEmpty && table.descendants(of: 1 << 29).isEmpty)
      #expect(ProcessTable.Entry(process: 1 << 29) == nil)
      // Another that got its number later is not the same one.
      let other = ProcessTable.Entry(
        process: one, parent: root, session: entry.session, startedAt: entry.startedAt + 1, isZombie: false)
      #expect(!other.isAlive && other.name == "sleep")
    }

    @Test func whatWeStartBeginsAfterUs() throws {
      let family = try family("echo; exec sleep 60")
      defer { end(family) }
      let own = try #require(ProcessTable.Entry(process: getpid()))
      let child = try #require(ProcessTable.Entry(process: family.root.process))
      #expect(child.startedAt >= own.startedAt && child.parent == getpid() && own.isAlive)
    }

    @Test func whatHasEndedIsInNoTree() async throws {
      let family = try family("sleep 60 & echo $!; exec sleep 61")
      defer { end(family) }
      let (root, child) = (family.root.process, family.children[0])
      // Who collects no child, as the shell before it may.
      try await eventually("the other program") { Processes.arguments(of: root) == ["sleep", "61"] }
      kill(child, SIGKILL)
      try await eventually("a zombie") { ProcessTable.Entry(process: child)?.isZombie == true }
      let table = ProcessTable()
      let entry = try #require(table.entries.first { $0.process == child })
      #expect(entry.isZombie && !entry.isAlive)
      #expect(table.descendants(of: root).map(\.process) == [root] && table.tree(under: root).map(\.process) == [root])
      #expect(!table.members(ofSession: entry.session).contains(entry))
    }

    @Test func whatRunsOnWithAConsolesSocketIsFoundTheOldestFirst() async throws {
      let socket = "/tmp/\(UUID().uuidString).sock"
      let family = try family("sleep 60 & echo $!; exec sleep 61", socket: socket)
      defer { end(family) }
      let second = try self.family("echo; exec sleep 62", socket: socket)
      defer { end(second) }
      let processes = [family.root.process, family.children[0], second.root.process]
      try await eventually("their names") {
        LeftRunning.all(socket: socket).map(\.name) == ["sleep", "sleep", "sleep"]
      }
      let left = LeftRunning.all(socket: socket)
      #expect(Set(left.map(\.process)) == Set(processes))
      let starts = left.compactMap { ProcessTable.Entry(process: $0.process)?.startedAt }
      #expect(starts == starts.sorted() && starts.count == 3)
      #expect(
        LeftRunning.all(socket: socket + "x").isEmpty && LeftRunning.all(socket: String(socket.dropLast())).isEmpty)
    }

    /// A program of no Swift is none that the hook could not get into.
    @Test func programsWithoutTheNetworkAreNotUnreached() throws {
      let family = try family("echo; exec sleep 60")
      defer { end(family) }
      #expect(Array(Unreached.all(under: family.root.process)) == [])
    }

    @Test func aProgramThatLostItsVariablesIsFoundRunning() async throws {
      let program = try TestProgram([BuiltProduct.path("running-program"), "spin"])
      defer { program.signal(SIGKILL) }
      let number = program.process
      let expected = try await eventually("it is loaded") { Array(Unreached.all(under: number)).first }
      #expect(expected.process == number && expected.name == "running-program" && expected.reason == .notPreloaded)
      let escaped = Escaped(expected)
      #expect(escaped.process == number && escaped.name == "running-program")
      #expect(escaped.reason == "LD_PRELOAD did not reach it")
    }
  }
#endif
