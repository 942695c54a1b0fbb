import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock that this process has on a file that it opened for it (flock(2)).
///
/// It is given up once, however often that is said and from whatever thread: afterwards the number of its descriptor may
/// be another's, who would lose what he opened.
package final class HeldLock: Sendable {
  private let descriptor: Mutex<Int32?>

  /// - Parameter descriptor: Of the file, which is locked. Nobody else closes it.
  package init(_ descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  /// Whether it was not given up yet.
  package var isHeld: Bool { descriptor.withLock { $0 != nil } }

  /// Gives it up and closes its file; does nothing where that was done.
  ///
  /// The lock by itself, too: a child that this process forks and that has not come to its program yet has the descriptor,
  /// and would keep it.
  ///
  /// - Returns: Whether it was held until now.
  @discardableResult
  package func release() -> Bool {
    guard let descriptor = descriptor.withLock({ $0.take() }) else { return false }
    flock(descriptor, LOCK_UN)
    close(descriptor)
    return true
  }

  deinit { release() }
}
