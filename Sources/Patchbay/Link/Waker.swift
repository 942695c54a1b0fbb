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

  /// Whether both ends are open still, and their numbers not the program's by now.
  var isWhole: Bool { Self.isOurs(receiving) && Self.isOurs(sending) }

  /// A program that closes what it did not open may get the number again, but hardly for a packet socket. By a system call
  /// alone.
  static func isOurs(_ number: Int32) -> Bool {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == Int32(SOCK_SEQPACKET.rawValue)
  }

  /// Opens the pair once more under its numbers, where the program has closed them. False if they are the program's now,
  /// or the process has no descriptors left.
  func renew() -> Bool {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return false }
    defer { for low in pair { _ = Foundation.close(low) } }
    // The numbers that were closed may be the very ones that the system gives next.
    if pair.contains(where: { $0 == receiving || $0 == sending }) {
      pair = pair.map { low in
        let high = fcntl(low, F_DUPFD_CLOEXEC, max(receiving, sending) + 1)
        _ = Foundation.close(low)
        return high
      }
    }
    // One end alone is of no use.
    close()
    return Self.duplicate(pair[0], as: receiving) && Self.duplicate(pair[1], as: sending)
  }

  private static func duplicate(_ low: Int32, as number: Int32) -> Bool {
    let taken = fcntl(low, F_DUPFD_CLOEXEC, number)
    if taken >= 0, taken != number { _ = Foundation.close(taken) }
    return taken == number
  }

  func wake() { Self.wake(sending) }

  /// Wakes whoever polls the other end of that descriptor, by system calls alone.
  static func wake(_ sending: Int32) {
    guard isOurs(sending) else { return }
    var byte: UInt8 = 1
    _ = send(sending, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes what has been sent, so that `poll` waits again.
  func drain() {
    guard Self.isOurs(receiving) else { return }
    var bytes: (UInt64, UInt64) = (0, 0)
    while recv(receiving, &bytes, 16, 0) > 0 {}
  }

  /// After `poll`: takes what has been sent, and opens again what the program has closed. False where nothing can wake the
  /// thread any more.
  func attend(_ ready: Poll.Ready) -> Bool {
    guard ready.readable else { return true }
    if ready.isGone || !isWhole { return renew() }
    drain()
    return true
  }

  func close() {
    for number in [receiving, sending] where Self.isOurs(number) { _ = Foundation.close(number) }
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

  /// False once the program has closed it.
  var isOurs: Bool { own.isOurs && Self.isReadOfEvents(descriptor) }

  /// Such descriptors have one inode for all of their kinds, of which this one alone tells how much can be read. By a system
  /// call alone.
  static func isReadOfEvents(_ number: Int32) -> Bool {
    var count: Int32 = 0
    return ioctl(number, UInt(FIONREAD), &count) == 0
  }

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
    guard isOurs else { return address.exists }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while buffer.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
    look()
    return address.exists
  }

  func close() {
    if isOurs { own.close() }
  }
}
