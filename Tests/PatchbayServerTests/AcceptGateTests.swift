import NIOCore
import NIOPosix
import PatchbayTestSupport
import Testing

@testable import PatchbayServer

/// Nobody is let in while descriptors are short.
@Suite(.bounded) struct AcceptGateTests {
  /// Descriptors as a test would have them.
  private final class Made: Sendable {
    let numbers: SeenLock<(limit: Int, next: Int?)>

    init(limit: Int, next: Int?) { numbers = SeenLock((limit, next)) }

    var count: AcceptGate.Count {
      AcceptGate.Count(
        limit: { [numbers] in numbers.withLock { $0.limit } }, next: { [numbers] in numbers.withLock { $0.next } })
    }
  }

  /// A limit, the next descriptor at the start, and the highest with which somebody is let in.
  @Test(
    arguments: [
      (1_024, 20, true, 1_007), (1_024, 20, false, 1_023), (52, 20, true, 35), (50, 20, true, 34), (51, 20, true, 35),
      (22, 20, true, 20), (21, 20, true, 20), (20, 20, true, 19), (10, 20, true, 9), (30, nil, true, 29),
    ] as [(Int, Int?, Bool, Int)])
  func someAreLeft(_ limit: Int, _ atStart: Int?, _ leavesSome: Bool, _ highest: Int) throws {
    let made = Made(limit: limit, next: atStart)
    let gate = AcceptGate(server: try TestConsole().server, leavesSome: leavesSome, descriptors: made.count)
    for (next, hasRoom) in [(highest, true), (highest + 1, false), (0, true), (Int.max, false)] {
      made.numbers.withLock { $0.next = next }
      #expect(gate.hasRoom == hasRoom, "with \(next) next")
    }
    made.numbers.withLock { $0.next = nil }
    #expect(!gate.hasRoom, "none is free")
    made.numbers.withLock { $0 = (limit + 1_000, highest + 1) }
    #expect(gate.hasRoom, "the limit was raised")
  }

  @Test func theProcessItselfHasRoom() throws {
    #expect(AcceptGate(server: try TestConsole().server, leavesSome: true).hasRoom)
  }

  /// Those who come wait at the socket, it is said once, and they are let in when there is room.
  @Test func whoComesWaitsUntilThereIsRoom() async throws {
    let console = try TestConsole()
    let notices = SeenLock<[String]>([])
    console.server.events.subscribe { events in
      for case .notice(_, let text) in events { notices.withLock { $0.append(text) } }
    }
    let made = Made(limit: 100, next: 50)
    let accepted = SeenLock(0)
    let path = console.folder.file("gate.sock")
    try await console.run { console in
      let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              AcceptGate(server: console.server, leavesSome: true, descriptors: made.count))
          }
        }
        .childChannelInitializer { channel in
          accepted.withLock { $0 += 1 }
          return channel.eventLoop.makeSucceededVoidFuture()
        }
        .bind(unixDomainSocketPath: path).get()
      var clients: [FakeHook] = []
      /// Who is let in is counted on another thread, perhaps before the gate has looked whether there is room for more.
      func expectAccepted(_ count: Int) async throws {
        try await eventually { accepted.withLock { $0 } == count }
        try await listener.eventLoop.submit {}.get()
      }
      clients.append(try await FakeHook.connect(path))
      try await expectAccepted(1)
      #expect(notices.withLock { $0 } == [])
      for round in 1...2 {
        // The one who comes now is let in, and it is seen that there is no more room.
        made.numbers.withLock { $0.next = 84 }
        let before = accepted.withLock { $0 }
        clients.append(try await FakeHook.connect(path))
        try await expectAccepted(before + 1)
        try await eventually { notices.withLock { $0.count } == 1 }
        clients.append(try await FakeHook.connect(path))
        clients.append(try await FakeHook.connect(path))
        // Whoever is not let in is so after the gate's next look too: another connection's whole life fits before.
        let hook = try await FakeHook.link(console.socket, pid: Int32(round))
        try await eventually { console.server.links.count == round }
        #expect(!hook.isClosed && accepted.withLock { $0 } == before + 1)
        made.numbers.withLock { $0.next = 83 }
        try await expectAccepted(before + 3)
      }
      // Within half a minute it is not said again.
      #expect(
        notices.withLock { $0 } == [
          "Descriptors are short (100 may be open, see ulimit -n): who connects now waits until others go. "
            + "End some programs, or start the console with a higher limit."
        ])
      for client in clients { await client.close() }
      try await listener.close()
    }
  }
}
