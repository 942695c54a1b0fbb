import Foundation
import PatchbayTestSupport
import PatchbayWire

/// A process that has linked, as far as a console can tell: it says hello and what it is told to say, and reads when it is
/// asked what it was told.
final class MadeUpHook: Sendable {
  private struct Received {
    var decoder = FrameDecoder<ConsoleMessage>()
    var messages: [ConsoleMessage] = []
  }

  private let descriptor: Int32
  private let received = SeenLock(Received())

  init(_ socket: String, name: String, pid: Int32) throws {
    descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8.prefix(107)) }
    func connects() -> Bool {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      } == 0
    }
    // The console's socket has its name a moment before anybody listens on it.
    let limit = ContinuousClock.now + Patience.usual
    while !connects() {
      let code = errno
      if code == ECONNREFUSED, ContinuousClock.now < limit {
        usleep(1_000)
        continue
      }
      Foundation.close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
    send(
      .hello(
        Hello(
          process: HarnessProcess(name: name, pid: pid), executable: "/bin/\(name)", parent: 1, entry: .attach,
          instance: UInt64(pid), startedAt: .now)))
  }

  func send(_ messages: HookMessage...) {
    var encoder = FrameEncoder()
    for message in messages { encoder.append(message) }
    let bytes = encoder.bytes
    _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  /// What the console has told it so far.
  var messages: [ConsoleMessage] {
    received.withLock { received in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { break }
        received.decoder.feed(buffer[..<count])
        while case .message(let message) = received.decoder.next() { received.messages.append(message) }
      }
      return received.messages
    }
  }

  func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  deinit { Foundation.close(descriptor) }
}
