import BenchData
import Foundation
import PatchbayWire
import Synchronization

/// Says what a hook says of a busy program, at a steady rate, and notes when each exchange was sent.
final class BenchHook: Sendable {
  private let descriptor: Int32
  private let sent = Mutex<[ContinuousClock.Instant]>([])
  private let isOver = Mutex(false)

  /// Connects to a console's harness socket and says hello.
  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    var encoder = FrameEncoder()
    encoder.append(
      HookMessage.hello(
        Hello(
          process: HarnessProcess(name: "bench", pid: getpid()), executable: "/bin/bench", parent: 1, entry: .attach,
          instance: 1, startedAt: .now)))
    write(encoder.bytes)
    // What the console says is read and thrown away.
    Thread.detachNewThread { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while read(descriptor, &buffer, buffer.count) > 0 {}
    }
  }

  /// How many were sent, and when each was.
  var times: [ContinuousClock.Instant] { sent.withLock { $0 } }

  /// Sends from a thread of its own until `stop()`; each path is `Arrivals.path` and N.
  func start(rate: Int) {
    isOver.withLock { $0 = false }
    Thread.detachNewThread { [self] in
      var million = Million()
      let began = ContinuousClock.now
      var count = 0
      while !isOver.withLock({ $0 }) {
        let due = Int((ContinuousClock.now - began) / .seconds(1) * Double(rate))
        if due > count {
          var encoder = FrameEncoder()
          for _ in count..<due {
            let number = times.count + 1
            encoder.append(HookMessage.exchange(Self.update(million.exchange(Int64(number)), number)))
            sent.withLock { $0.append(.now) }
          }
          write(encoder.bytes)
          count = due
        }
        usleep(1_000)
      }
      isOver.withLock { $0 = false }
    }
  }

  func stop() {
    isOver.withLock { $0 = true }
    while isOver.withLock({ $0 }) { usleep(1_000) }
  }

  func close() { Foundation.shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func update(_ exchange: Exchange, _ number: Int) -> ExchangeUpdate {
    var request = exchange.request
    request.url = "https://api.example.com\(Arrivals.path)\(number)"
    return ExchangeUpdate(
      key: UInt64(number), start: .init(at: .now, request: request, task: .data, revision: 0),
      answer: .init(by: .network),
      head: exchange.response.map { .init(at: 900, status: $0.status, headers: $0.headers) },
      data: exchange.response?.body,
      end: .init(at: 1_200, outcome: .responded, bytesReceived: 1_024, hasBody: true))
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
