import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Garbage never traps and never hangs", .bounded)
struct FuzzTests {
  @Test(arguments: 0..<8)
  func garbage(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var broken = 0
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      var decoder = FrameDecoder<HookMessage>()
      decoder.feed(bytes)
      if decoder.drain().error != nil { broken += 1 }
    }
    #expect(broken > 400)
  }

  @Test(arguments: 0..<8)
  func garbageInAFrameOfEachKind(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 100)
    for kind in Array(UInt16(0)...8) + Array(257...264) {
      for _ in 0..<200 {
        let payload = (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8.random(in: 0...12, using: &random) }
        var hook = FrameDecoder<HookMessage>()
        hook.feed(Samples.frame(kind, payload))
        _ = hook.drain()
        var console = FrameDecoder<ConsoleMessage>()
        console.feed(Samples.frame(kind, payload))
        _ = console.drain()
        #expect(!(kind == 264 && hook.drain().error != nil))
      }
    }
  }

  @Test(arguments: 0..<8)
  func mutations(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 200)
    let fromHook = Samples.bytes(Samples.fromHook)
    let fromConsole = Samples.bytes(Samples.fromConsole)
    var survivors = 0
    for _ in 0..<300 {
      var hook = FrameDecoder<HookMessage>()
      hook.feed(Self.mutate(fromHook, &random))
      let drained = hook.drain()
      if drained.error == nil { survivors += 1 }
      #expect(drained.messages.count <= Samples.fromHook.count * 4)
      var console = FrameDecoder<ConsoleMessage>()
      console.feed(Self.mutate(fromConsole, &random))
      _ = console.drain()
    }
    #expect(survivors < 300)
  }

  private static func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
    }
    return bytes
  }
}
