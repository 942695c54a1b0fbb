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
    return Self.duplicate(pair[0], as: receiving) && Self.duplicate(pair[1], as: sending)
  }

  private static func duplicate(_ low: Int32, as number: Int32) -> Bool {
    let taken = fcntl(low, F_DUPFD_CLOEXEC, number)
    if taken >= 0, taken != number { _ = Foundation.close(taken) }
    return taken == number
  }

  func wake() { Self.wake(sending) }

  /// Wakes whoever polls the other end of that descriptor, by a system call alone.
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

/// Notices that a console's socket appears: `inotify` on its folder, or on the nearest folder above that exists. Costs
/// nothing while nothing is made there.
struct FolderWatch: Sendable {
  private let own: OwnDescriptor
  private let address: LinkAddress

  /// nil where nothing can be watched.
  init?(_ address: LinkAddress) {
    guard let own = OwnDescriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))) else { return nil }
    self.own = own
    self.address = address
    guard look() else {
      close()
      return nil
    }
  }

  var descriptor: Int32 { own.number }

  /// Watches the nearest folder that exists; asking again for the same one changes nothing.
  @discardableResult
  private func look() -> Bool {
    var folder = address.folder
    while true {
      let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
      let added = inotify_add_watch(descriptor, folder, folder == address.folder ? events | UInt32(IN_ATTRIB) : events)
      if added >= 0 { return true }
      let above = LinkAddress(path: folder, isExplicit: true).folder
      guard above != folder, above != "." else { return false }
      folder = above
    }
  }

  /// Takes the events that have come. True where the socket may have appeared.
  func drain() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while buffer.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
    look()
    return address.exists
  }

  func close() { own.close() }
}
