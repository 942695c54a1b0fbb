import Foundation

/// Wakes the link's thread out of `poll`: a pair of datagram sockets, since one byte waiting is as good as many.
struct Waker: Sendable {
  /// What the thread polls.
  let receiving: Int32
  let sending: Int32

  /// nil where the process has no descriptors left.
  init?() {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
    receiving = pair[0]
    sending = pair[1]
  }

  func wake() {
    var byte: UInt8 = 1
    _ = send(sending, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes what has been sent, so that `poll` waits again.
  func drain() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while recv(receiving, &bytes, 16, 0) > 0 {}
  }

  func close() {
    _ = Foundation.close(receiving)
    _ = Foundation.close(sending)
  }
}
