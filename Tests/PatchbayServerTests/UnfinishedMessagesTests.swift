import NIOCore
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// Messages that begin and do not end, over sockets; the account of them is in `ServerValuesTests`.
@Suite(.bounded) struct UnfinishedMessagesTests {
  private func bytes(_ key: UInt64) -> [UInt8] {
    var encoder = FrameEncoder()
    encoder.append(HookMessage.exchange(.whole(key, body: String(repeating: "x", count: 60_000))))
    return encoder.bytes
  }

  /// Sends all of that message but its last bytes, and returns when the console has read them.
  private func begin(_ key: UInt64, _ hook: FakeHook, _ console: TestConsole) async throws {
    try await hook.channel.writeAndFlush(ByteBuffer(bytes: bytes(key).dropLast(9))).get()
    await console.server.settle(within: Patience.usual)
  }

  private func end(_ key: UInt64, _ hook: FakeHook) { hook.send(bytes: Array(bytes(key).suffix(9))) }

  private func link(_ name: String, _ console: TestConsole) async throws -> FakeHook {
    // An acknowledgement would come in the midst of what it sends.
    try await FakeHook.link(console.socket, name: name, acknowledges: false)
  }

  /// Who has more than its share of it gives its message up, and is read on behind it; nobody else loses any.
  ///
  /// - Parameter isRefused: The one that has gone went on with what is no message.
  @Test(arguments: [false, true]) func oneIsGivenUpWhereTooMuchWaits(_ isRefused: Bool) async throws {
    try await TestConsole(adjust: { $0.limits.unfinished = 100_000 }).run { console in
      // What waited for one that has gone no longer counts.
      let gone = try await link("gone", console)
      try await eventually { console.server.links.count == 1 }
      try await begin(1, gone, console)
      if isRefused { gone.send(bytes: [UInt8](repeating: 0xFF, count: 100)) } else { await gone.close() }
      try await eventually { console.log.unlinked.count == 1 }

      let (first, second) = (try await link("first", console), try await link("second", console))
      try await eventually { console.server.links.count == 2 }
      try await begin(1, first, console)
      try await begin(1, second, console)
      // Whichever is read last is the one too much.
      func isCut(_ name: String) -> Bool { console.link(name)?.cut == Shed(exchanges: 1) }
      try await eventually { isCut("first") || isCut("second") }
      let names = isCut("first") ? (cut: "first", whole: "second") : (cut: "second", whole: "first")
      let (cut, whole) = isCut("first") ? (first, second) : (second, first)
      end(1, cut)
      cut.send(.exchange(.whole(2)))
      end(1, whole)
      try await eventually { console.log.count == 2 }

      // It has room again, and what was given up takes none.
      try await begin(3, whole, console)
      end(3, whole)
      try await eventually { console.log.count == 3 }
      let told = console.log.exchanges.map { "\($0.process.name) \($0.response?.body?.count ?? 0)" }
      #expect(told.sorted() == ["\(names.whole) 60000", "\(names.whole) 60000", "\(names.cut) 2"].sorted())
      #expect(console.link(names.whole)?.cut == Shed() && isCut(names.cut))
    }
  }
}
