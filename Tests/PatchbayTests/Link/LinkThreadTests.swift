import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

/// The hook's one thread in a program, and how the program comes to it.
@Suite(.bounded) struct LinkThreadTests {
  /// The thread of a link, once it runs.
  private func thread(of fixture: LinkFixture) throws -> pthread_t {
    #expect(fixture.waits { $0.link.state.withLock { $0.thread != nil } })
    return try #require(fixture.link.state.withLock { $0.thread })
  }

  private func policy(of thread: pthread_t) -> Int32 {
    var policy: Int32 = -1
    var parameter = sched_param()
    pthread_getschedparam(thread, &policy, &parameter)
    return policy
  }

  /// `SCHED_BATCH` and `SCHED_OTHER`: it does not push the program's threads away, until the program waits for it.
  @Test func itGivesWayUntilItIsWaitedFor() throws {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let thread = try thread(of: fixture)
    #expect(policy(of: thread) == 3)
    fixture.link.flush()
    #expect(policy(of: thread) == 0)
    console.stop()
  }

  /// The program's handlers run on the program's threads; faults are each thread's own.
  @Test func itTakesNoSignalsButItsOwnFaults() throws {
    func blocked() -> [Bool] {
      var now = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &now)
      return (1...64).map { sigismember(&now, $0) == 1 }
    }
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    let before = blocked()
    fixture.attach()
    #expect(blocked() == before, "who started it has the signals that it had")
    _ = try thread(of: fixture)
    var masks: [UInt64] = []
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    for task in tasks
    where (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "patchbay\n" {
      guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") }),
        let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16)
      else { continue }
      masks.append(mask)
    }
    #expect(!masks.isEmpty, "it has a name")
    func isBlocked(_ signal: Int32, _ mask: UInt64) -> Bool { mask & 1 << UInt64(signal - 1) != 0 }
    let own = [SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGABRT, SIGPROF]
    // 32 and 33 are the C library's; two can never be blocked.
    let others = (1...64).map(Int32.init).filter { ![SIGKILL, SIGSTOP, 32, 33].contains($0) && !own.contains($0) }
    for mask in masks {
      #expect(own.allSatisfy { !isBlocked($0, mask) } && others.allSatisfy { isBlocked($0, mask) })
    }
    console.stop()
  }

  /// Whoever asks for a link that cannot be had goes on at once.
  @Test func whereThereIsNoConsoleNobodyWaits() throws {
    let folder = try TemporaryFolder()
    let open = folder.file("open")
    try FileManager.default.createDirectory(
      atPath: open, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
    try folder.write("", to: "open/a.sock")
    let long = "/tmp/" + String(repeating: "x", count: 120)
    let rows: [(LinkAddress, ConsoleLink.Phase)] = [
      (LinkAddress(path: FakeConsole.freshPath(), isExplicit: true), .waiting),
      (LinkAddress(path: long, isExplicit: true), .waiting),
      (
        LinkAddress(path: open + "/a.sock", isExplicit: false),
        .refused("The folder \(open) is not this user's alone: make it so (chmod 700), or set PATCHBAY_SOCKET.")
      ),
    ]
    for (address, phase) in rows {
      // A busy machine is late by itself, but not each time.
      let took = (0..<Patience.tries(3)).map { _ in
        let controller = HookController(hook: HookState())
        let link = ConsoleLink(address: address, controller: controller)
        defer { link.end() }
        let took = ContinuousClock().measure { link.begin(.attach) }
        #expect(link.phase == phase && !controller.hook.snapshot.active)
        #expect(link.state.withLock { $0.settled && $0.waiters.isEmpty })
        #expect(link.state.withLock { $0.entry } == .attach)
        return took
      }
      #expect(took.contains { $0 < .milliseconds(200) }, "\(address.path): \(took)")
    }
  }

  /// Linked, waiting for a console, and never begun.
  @Test(arguments: [true, false, nil]) func aLinkThatIsEndedHasNothingOpen(_ isLinked: Bool?) throws {
    let console = FakeConsole()
    let fixture = LinkFixture(isLinked == true ? console.path : FakeConsole.freshPath())
    if isLinked == true { fixture.attach() }
    if isLinked == false { fixture.link.begin(.attach) }
    let waker = try #require(fixture.link.waker)
    // Another may get the number, but not the socket itself.
    let inode = OwnDescriptor.inode(of: waker.receiving)
    #expect(waker.isWhole && fixture.link.state.withLock { $0.hasThread } == (isLinked != nil))
    fixture.link.end()
    #expect(
      fixture.waits { fixture in
        OwnDescriptor.inode(of: waker.receiving) != inode && fixture.link.state.withLock { $0.thread == nil }
      })
    #expect(isLinked != true || console.waits { $0.ended == 1 })
  }

  @Test func aPathThatIsTooLongSaysSo() throws {
    let folder = try TemporaryFolder()
    let room = LinkSocket.pathLimit - folder.url.path.utf8.count - 1
    for (count, isTooLong) in [(room, false), (room + 1, true)] {
      let name = String(repeating: "x", count: count)
      try folder.write("", to: name)
      let path = folder.file(name)
      let controller = HookController(hook: HookState(), promise: StubPromise(unmatched: .fail))
      let link = ConsoleLink(address: LinkAddress(path: path, isExplicit: true), controller: controller)
      defer { link.end() }
      link.begin(.attach)
      let sentence =
        "The socket's path \(path) has \(path.utf8.count) bytes, and at most 107 are possible: name a shorter one."
      #expect(link.phase == (isTooLong ? .refused(sentence) : .waiting))
      let why = isTooLong ? sentence : "there is no console at \(path)"
      #expect(controller.hook.snapshot.withoutStubs == why, "what was promised cannot be kept")
    }
  }

  /// A configuration is made inside the program's own code, where requests wait for promised stubs by themselves.
  @Test func aConfigurationDoesNotWaitForPromisedStubs() {
    let took = (0..<Patience.tries(5)).map { _ in
      let console = FakeConsole(push: nil)
      let fixture = LinkFixture(console.path, promise: StubPromise(unmatched: .pass))
      let took = ContinuousClock().measure { fixture.link.begin(.configuration) }
      #expect(fixture.link.phase == .connecting && fixture.link.state.withLock { $0.settled })
      return took
    }
    #expect(took.contains { $0 < .milliseconds(200) }, "\(took)")
  }

  /// The wait for the first stubs ends with them, and not when its time is up.
  @Test func whoWaitsForTheFirstStubsGoesOnWithThem() {
    // A busy machine may need its time, but not each time.
    let isQuick = (0..<Patience.tries(12)).contains { _ in
      let console = FakeConsole()
      let fixture = LinkFixture(console.path)
      let took = ContinuousClock().measure { fixture.link.begin(.attach) }
      return took < .milliseconds(240) && fixture.link.phase == .linked
    }
    #expect(isQuick)
  }

  /// Who comes while the first one waits waits too.
  @Test func theSecondWaitsWithTheFirst() {
    let console = FakeConsole(push: nil)
    let fixture = LinkFixture(console.path)
    let isOver = SeenLock(0)
    for _ in 0..<3 {
      DispatchQueue.global().async {
        fixture.link.begin(.attach)
        isOver.withLock { $0 += 1 }
      }
    }
    #expect(console.waits { !$0.heard.isEmpty })
    console.send(.stubs(StubPush(set: StubSet(revision: 4))))
    #expect(fixture.waits { _ in isOver.withLock { $0 } == 3 })
    #expect(console.hears(.applied(revision: 4)) && fixture.link.phase == .linked)
    #expect(console.linkCount == 1)
  }

  /// The same request that finds the hook asleep attaches it, and later ones look again, but not at each request.
  @Test func aRequestLooksForAConsole() throws {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.link.knock()
    #expect(fixture.waits { $0.link.phase == .linked })
    #expect(fixture.link.hello.entry == .configuration)
    fixture.link.knock()
    #expect(console.linkCount == 1)
  }

  /// At most once a second, and only where there is no link: one that is made, or being made, is left alone.
  @Test func aRequestLooksAgainASecondLater() throws {
    let (linked, silent) = (FakeConsole(), FakeConsole(push: nil))
    let (first, second) = (LinkFixture(linked.path), LinkFixture(silent.path))
    first.attach()
    second.link.begin(.attach)
    #expect(second.link.phase == .connecting)
    let refusing = FakeConsole(push: nil)
    let third = LinkFixture(refusing.path)
    DispatchQueue.global().async { third.link.begin(.attach) }
    #expect(refusing.waits { !$0.heard.isEmpty })
    refusing.send(.refused("Not now."))
    #expect(third.waits { $0.link.phase == .refused("Not now.") })
    // Nobody watches a folder that is not this user's alone: it is tried again by a request, or never.
    let open = FakeConsole()
    let address = LinkAddress(path: open.path, isExplicit: false)
    #expect(chmod(address.folder, 0o755) == 0)
    let link = ConsoleLink(address: address, controller: HookController(hook: HookState()))
    defer { link.end() }
    let began = ContinuousClock.now
    link.begin(.attach)
    #expect(!link.state.withLock { $0.hasThread })
    #expect(chmod(address.folder, 0o700) == 0)
    #expect(
      open.waits { _ in
        link.knock()
        return link.phase == .linked
      })
    let took = ContinuousClock.now - began
    #expect(took > .milliseconds(900), "\(took)")
    for fixture in [first, second, third] { fixture.link.knock() }
    for console in [linked, silent] {
      console.send(.stubs(StubPush(set: StubSet(revision: 5))))
      #expect(console.hears(.applied(revision: 5)))
      #expect(console.linkCount == 1 && console.ended == 0)
    }
    #expect(refusing.waits { $0.heard.count { if case .hello = $0 { true } else { false } } >= 2 })
  }

  /// Where somebody else could put a socket nobody waits for one.
  @Test(
    arguments: [(0o700, "a.sock", true), (0o755, "a.sock", false), (0o755, "none/a.sock", true)]
      as [(mode_t, String, Bool)])
  func aConsoleIsWaitedForWhereItCouldBeTrusted(_ mode: mode_t, _ name: String, _ isWatched: Bool) {
    let folder = LinkAddress(path: FakeConsole.freshPath(), isExplicit: true).folder
    #expect(chmod(folder, mode) == 0)
    for isExplicit in [false, true] {
      let address = LinkAddress(path: "\(folder)/\(name)", isExplicit: isExplicit)
      let link = ConsoleLink(address: address, controller: HookController(hook: HookState()))
      defer { link.end() }
      link.begin(.attach)
      #expect(link.phase == .waiting)
      #expect(link.state.withLock { $0.hasThread } == (isWatched || isExplicit))
    }
  }

  /// The wait for the first stubs ends too when they cannot come.
  @Test func whoWaitsForTheFirstStubsGoesOnWhenTheConsoleHangsUp() {
    // A busy machine may need its time, but not each time.
    let isQuick = (0..<Patience.tries(12)).contains { _ in
      let console = FakeConsole(push: nil)
      let fixture = LinkFixture(console.path)
      DispatchQueue.global().async {
        _ = console.waits { !$0.heard.isEmpty }
        console.stop()
      }
      let took = ContinuousClock().measure { fixture.link.begin(.attach) }
      return took < .milliseconds(240)
    }
    #expect(isQuick)
  }

  /// What was asked before promised stubs have come is told at the end, and the thread that tells it hurries.
  @Test func theEndIsWaitedForBeforePromisedStubsHaveCome() throws {
    let console = FakeConsole(push: nil)
    let fixture = LinkFixture(console.path, promise: StubPromise(unmatched: .fail))
    fixture.link.begin(.configuration)
    let thread = try thread(of: fixture)
    #expect(fixture.link.phase == .connecting && policy(of: thread) == 3)
    fixture.report()
    fixture.link.flush()
    #expect(policy(of: thread) == 0)
    #expect(console.waits { $0.updates.count == 1 })
    console.stop()
  }
}
