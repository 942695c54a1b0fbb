import Foundation

/// A server on loopback that costs as little as can be, a process of its own: a thread for each connection, the same
/// 1 KiB for each request.
enum PlainServer {
  private static let answer: [UInt8] =
    Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n".utf8)
    + [UInt8](repeating: 0x61, count: 1_024)

  /// Starts it; ends with this process.
  static func start() throws -> (process: Process, port: Int) {
    let process = Process.own(["serve"])
    let said = Pipe()
    process.standardOutput = said
    process.standardInput = Pipe()
    try process.run()
    let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw CocoaError(.fileReadUnknown)
    }
    return (process, port)
  }

  /// Prints its port and serves until standard input ends.
  static func serve() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        _ = listen(listener, 1_024)
        _ = getsockname(listener, $0, &length)
      }
    }
    print(UInt16(bigEndian: address.sin_port))
    fflush(nil)
    Thread.detachNewThread {
      while true {
        let peer = accept(listener, nil, nil)
        var yes: Int32 = 1
        setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        Thread.detachNewThread { answerAll(peer) }
      }
    }
    while readLine() != nil {}
  }

  private static func answerAll(_ peer: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var filled = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { recv(peer, $0.baseAddress! + filled, $0.count - filled, 0) }
      guard count > 0 else { break }
      filled += count
      // No request here has a body: its head's end is its end.
      guard filled >= 4, buffer[(filled - 4)..<filled].elementsEqual([13, 10, 13, 10]) else { continue }
      filled = 0
      guard send(peer, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { break }
    }
    close(peer)
  }
}
