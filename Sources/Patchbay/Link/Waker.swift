import Foundation

/// Wakes the link's thread out of `poll`: a pair of packet sockets, since one byte waiting is as good as many, and since
/// `poll` hears of it when the program closes them.
struct Waker: Sendable {
  /// What the thread polls.
  let receiving: Int32
  let sending: Int32

  /// nil where the process has no descriptors left.
  init?() {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
    receiving = OwnDescriptor.raised(pair[0])
    sending = OwnDescriptor.raised(pair[1])
  }

  /// Whether both ends are open still.
  var isWhole: Bool { fcntl(receiving, F_GETFD) >= 0 && fcntl(sending, F_GETFD) >= 0 }

  /// Opens the pair once more under its numbers, where the program has closed them. False if they are the program's now,
  /// or the process has no descriptors left.
  func renew() -> Bool {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return false }
    defer { for low in pair { _ = Foundation.close(low) } }
    // One end alone is of no use.
    for left in [receiving, sending] where fcntl(left, F_GETFD) >= 0 { _ = Foundation.close(left) }
    return Self.take(pair[0], receiving) && Self.take(pair[1], sending)
  }

  private static func take(_ low: Int32, _ number: Int32) -> Bool {
    let taken = fcntl(low, F_DUPFD_CLOEXEC, number)
    if taken >= 0, taken != number { _ = Foundation.close(taken) }
    return taken == number
  }

  func wake() { Self.wake(sending) }

  /// The same for a waker of which the sending end is known, by a system call alone.
  static func wake(_ sending: Int32) {
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
