import NIOCore
import PatchbayWire
import Synchronization

/// The bytes of what links are told; the stubs that many links share are encoded once.
final class SharedPushes: Sendable {
  private let shared = Mutex<(revision: UInt64, bytes: ByteBuffer)?>(nil)

  func bytes(of message: OutgoingMessage) -> ByteBuffer {
    switch message {
    case .message(let message):
      return encode(message)
    case .stubs(let push, let isShared):
      guard isShared else { return encode(.stubs(push)) }
      if let known = shared.withLock({ $0 }), known.revision == push.set.revision { return known.bytes }
      let bytes = encode(.stubs(push))
      shared.withLock { $0 = (push.set.revision, bytes) }
      return bytes
    }
  }

  private func encode(_ message: ConsoleMessage) -> ByteBuffer {
    var encoder = FrameEncoder()
    encoder.append(message)
    return ByteBuffer(bytes: encoder.bytes)
  }
}
