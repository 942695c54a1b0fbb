import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

@Suite("The link to the console", .bounded)
struct ConsoleLinkTests {
  @Test func attachingPutsTheFirstStubsInForce() {
    let stub = Stub(name: "a", then: .respond(CannedResponse()))
    let console = FakeConsole(
      push: StubPush(set: StubSet(revision: 7, stubs: [stub], unmatched: .fail)),
      settings: HookSettings(bodyLimit: 5))
    let fixture = LinkFixture(console.path)
    #expect(!fixture.hook.snapshot.active)
    fixture.attach()
    let snapshot = fixture.hook.snapshot
    #expect(snapshot.active && snapshot.revision == 7 && snapshot.unmatched == .fail && snapshot.stubs != nil)
    #expect(snapshot.settings.bodyLimit == 5)
    #expect(fixture.link.phase == .linked)
    #expect(console.hears(.applied(revision: 7)))
    guard case .hello(let hello)? = console.heard.first else {
      Issue.record("no hello first")
      return
    }
    #expect(hello.process.pid == getpid() && hello.entry == .attach && hello.executable.hasPrefix("/"))
  }

  @Test func aConsoleThatSaysNothingIsWaitedForOnlyOnceAndNotLong() {
    let console = FakeConsole(push: nil)
    let fixture = LinkFixture(console.path)
    let clock = ContinuousClock()
    let took = clock.measure { fixture.link.begin(.attach) }
    #expect(took > .milliseconds(200) && took < .seconds(10), "\(took)")
    let again = (0..<Patience.tries(5)).map { _ in clock.measure { fixture.link.begin(.attach) } }
    #expect(again.contains { $0 < .milliseconds(100) }, "\(again)")
    #expect(fixture.link.phase == .connecting && !fixture.hook.snapshot.active)
    console.send(.stubs(StubPush(set: StubSet(revision: 3))))
    #expect(console.hears(.applied(revision: 3)))
    #expect(fixture.hook.snapshot.active)
  }

  /// The program's thread connects, and so does the link's own when it finds the socket: on a busy machine the one may
  /// be done with its connection only when the other has linked.
  @Test func aConnectionThatComesSecondChangesNothing() throws {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let second = try LinkSocket.connect(to: fixture.link.address)
    #expect(!fixture.link.handOver(second))
    #expect(fixture.link.phase == .linked && fixture.link.takeHandover() == nil)
    #expect(console.waits { $0.ended == 1 })
    console.stop()
    #expect(fixture.waits { $0.link.phase == .waiting })
    let first = LinkFixture(FakeConsole.freshPath())
    let other = FakeConsole()
    let address = LinkAddress(path: other.path, isExplicit: true)
    #expect(first.link.handOver(try LinkSocket.connect(to: address)))
    #expect(!first.link.handOver(try LinkSocket.connect(to: address)))
    #expect(first.link.phase == .connecting)
  }

  /// While a console is stopped its queue fills, and then it looks like one that is not there.
  @Test func aConsoleWhoseQueueIsFullIsFoundWhenItHasRoom() throws {
    let path = FakeConsole.freshPath()
    let listener = try FullListener(path)
    let fixture = LinkFixture(path)
    fixture.link.begin(.attach)
    // Longer than what is tried at once.
    usleep(1_000_000)
    #expect(fixture.link.phase == .waiting)
    listener.makeRoom()
    #expect(fixture.waits { $0.link.phase == .connecting })
  }

  @Test func aConsoleThatComesLaterIsFound() {
    let console = FakeConsole(listening: false)
    let fixture = LinkFixture(console.path)
    fixture.link.begin(.attach)
    console.listen()
    #expect(console.hears(.applied(revision: 1)))
    #expect(fixture.hook.snapshot.active)
  }

  @Test func aConsoleInAFolderThatComesLaterIsFound() throws {
    let folder = FakeConsole.freshPath() + ".d"
    let console = FakeConsole(path: folder + "/b/c.sock", listening: false)
    let fixture = LinkFixture(console.path)
    fixture.link.begin(.attach)
    try FileManager.default.createDirectory(atPath: folder + "/b", withIntermediateDirectories: true)
    console.listen()
    #expect(
      console.waits { _ in
        fixture.link.knock()
        return console.heard.contains(.applied(revision: 1))
      })
  }

  @Test func stubsChangeAndAreAcknowledged() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    for revision in 2...50 as ClosedRange<UInt64> { console.send(.stubs(StubPush(set: StubSet(revision: revision)))) }
    #expect(console.hears(.applied(revision: 50)))
    let applied = console.heard.compactMap { if case .applied(let revision) = $0 { revision } else { nil } }
    #expect(applied == Array(1...50))
    #expect(fixture.hook.snapshot.revision == 50)
  }

  @Test func reportsArriveInOrder() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    let keys = (0..<2000).map { _ in fixture.report(body: Data("x".utf8)) }
    #expect(console.waits { $0.updates.count == 2000 })
    #expect(console.updates.map(\.key) == keys)
    #expect(console.updates[0].head?.status == 200 && console.updates[0].data == Data("x".utf8))
    #expect(console.updates[0].start?.request.url == "http://a.example/")
  }

  @Test func reportsFromManyThreadsAllArrive() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 { fixture.report() }
    }
    #expect(console.waits { $0.updates.count == 4000 })
    #expect(Set(console.updates.map(\.key)).count == 4000)
  }

  @Test func settingsApplyAtOnce() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    console.send(.settings(HookSettings(degree: .observe)))
    #expect(fixture.waits { $0.hook.snapshot.settings.degree == .observe })
  }

  @Test func aRefusalIsKeptAndTheConsoleLeftAlone() {
    let console = FakeConsole(push: nil)
    let fixture = LinkFixture(console.path)
    DispatchQueue.global().async { fixture.link.begin(.attach) }
    #expect(console.waits { $0.linkCount == 1 && !$0.heard.isEmpty })
    console.send(.refused("Another one is here."))
    #expect(fixture.waits { $0.link.phase == .refused("Another one is here.") })
    #expect(console.waits { $0.ended == 1 })
    #expect(!fixture.hook.snapshot.active)
  }

  @Test(
    .serialized, arguments: [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 2, 1, 2], [0, 0, 0, 4, 1, 2, 9, 9]] as [[UInt8]])
  func garbageFromTheConsoleEndsTheLinkAndNothingElse(bytes: [UInt8]) {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    console.sendRaw(bytes)
    #expect(fixture.waits { if case .refused = $0.link.phase { true } else { false } })
    #expect(fixture.waits { !$0.hook.snapshot.active })
    #expect(console.waits { $0.ended == 1 })
    fixture.report()
    #expect(console.heard.filter { if case .hello = $0 { true } else { false } }.count == 1)
  }

  @Test func replacedConsoleIsFoundAgain() {
    let began = ContinuousClock.now
    let first = FakeConsole()
    let fixture = LinkFixture(first.path)
    fixture.attach()
    for revision in 2...6 as ClosedRange<UInt64> {
      first.stop()
      #expect(fixture.waits { $0.link.phase == .waiting })
      let next = FakeConsole(path: first.path, push: StubPush(set: StubSet(revision: revision)))
      #expect(next.hears(.applied(revision: revision)))
      #expect(fixture.hook.snapshot.revision == revision)
      let key = fixture.report()
      #expect(next.waits { $0.updates.map(\.key) == [key] })
      next.stop()
      #expect(fixture.waits { !$0.hook.snapshot.active })
    }
    #expect(ContinuousClock.now - began > .seconds(3), "one that hangs up at once is tried once a second")
  }

  @Test func keysOfAnEarlierLinkAreNotReportedToTheNext() {
    let first = FakeConsole()
    let fixture = LinkFixture(first.path)
    fixture.attach()
    var old = ExchangeReport(key: fixture.hook.nextKey())
    let sink = fixture.hook.snapshot.sink
    first.stop()
    #expect(fixture.waits { $0.link.phase == .waiting })
    let next = FakeConsole(path: first.path)
    #expect(next.hears(.applied(revision: 1)))
    old.end = ExchangeUpdate.End(at: 1, outcome: .responded)
    sink?.report(old)
    let key = fixture.report()
    #expect(next.waits { !$0.updates.isEmpty })
    #expect(next.updates.map(\.key) == [key])
  }
}

/// A listening socket that nobody accepts from, and whose queue is full.
private final class FullListener {
  private let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  private var waiting: [LinkSocket] = []

  init(_ path: String) throws {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(listener, 0) == 0)
    let address = LinkAddress(path: path, isExplicit: true)
    while true {
      do throws(LinkSocket.Failure) {
        waiting.append(try LinkSocket.connect(to: address))
      } catch {
        try #require(error == .later && !waiting.isEmpty)
        return
      }
    }
  }

  func makeRoom() {
    for _ in waiting { close(accept(listener, nil, nil)) }
  }

  deinit { close(listener) }
}
