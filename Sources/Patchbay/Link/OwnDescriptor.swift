import Foundation

/// A descriptor of the hook's in somebody else's process: numbered above those that programs count on, and closed only
/// while it is still what it was, since a program may close what it did not open and get the number again.
struct OwnDescriptor: Sendable {
  let number: Int32
  private let device: dev_t
  private let inode: ino_t

  /// Takes over a descriptor that was just opened; nil if it is none.
  init?(_ opened: Int32) {
    guard opened >= 0 else { return nil }
    number = Self.raised(opened, above: 8)
    var facts = stat()
    fstat(number, &facts)
    device = facts.st_dev
    inode = facts.st_ino
  }

  /// False once the program has closed it.
  var isOurs: Bool {
    var facts = stat()
    return fstat(number, &facts) == 0 && facts.st_dev == device && facts.st_ino == inode
  }

  /// nil where none is open under that number. By a system call alone.
  static func inode(of number: Int32) -> UInt64? {
    var facts = stat()
    return fstat(number, &facts) == 0 ? UInt64(facts.st_ino) : nil
  }

  func close() {
    if isOurs { _ = Foundation.close(number) }
  }

  /// The same file under a number near 1000, or near the process's limit where that is lower, or further down where
  /// those are taken: the system gives the lowest number that is free, and a program's own files shall have those that
  /// they would have without us.
  ///
  /// - Parameter offset: keeps what must come back under its own number apart from the rest.
  static func raised(_ low: Int32, above offset: Int32 = 0) -> Int32 {
    guard limit >= 128 else { return low }
    let top = min(limit, 1024) - 32 + offset
    for start in [top, top / 2, top / 4] {
      let high = fcntl(low, F_DUPFD_CLOEXEC, start)
      guard high >= 0 else { continue }
      _ = Foundation.close(low)
      return high
    }
    return low
  }

  /// How many descriptors the process may have (getrlimit(2)).
  static var limit: Int32 {
    var limit = rlimit()
    #if os(Linux)
      let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      let known = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    return known ? Int32(clamping: limit.rlim_cur) : .max
  }

  /// Whether the process has so few left that the program may want each of them. A request natively needs six beside
  /// the three that every process has (9 in all, measured), some more for each that runs beside it; a link needs four.
  static var isShort: Bool {
    var free = 0
    var number: Int32 = 0
    let limit = min(limit, 4096)
    while free < spare, number < limit {
      if fcntl(number, F_GETFD) < 0 { free += 1 }
      number += 1
    }
    return free < spare && limit < 4096
  }

  private static let spare = 32

  /// A clause about that.
  static let shortage = "the process may open too few files (ulimit -n) for a link to the console"
}

/// `poll(2)` for a few descriptors.
enum Poll {
  struct Ready {
    var readable = false
    var writable = false
    /// The descriptor, or the other end of it, has been closed.
    var isGone = false
  }

  /// Waits until one is readable (or the first one writable, where that is wanted). Negative descriptors are ignored.
  ///
  /// - Parameter timeout: Milliseconds; nil waits without a timer.
  @discardableResult
  static func wait(_ descriptors: [Int32], writable: Bool = false, timeout: Int32? = nil) -> [Ready] {
    var entries = descriptors.enumerated().map { index, descriptor in
      pollfd(fd: descriptor, events: Int16(index == 0 && writable ? POLLIN | POLLOUT : POLLIN), revents: 0)
    }
    let count = poll(&entries, nfds_t(entries.count), timeout ?? -1)
    guard count > 0 else { return descriptors.map { _ in Ready() } }
    return entries.map { entry in
      let events = Int32(entry.revents)
      return Ready(
        readable: events & Int32(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0, writable: events & Int32(POLLOUT) != 0,
        isGone: events & Int32(POLLNVAL | POLLHUP) != 0)
    }
  }
}
