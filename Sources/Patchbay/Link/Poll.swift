import Foundation

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
