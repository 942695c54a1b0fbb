import Dispatch
import Foundation

/// Tells when a descriptor can be read, from a thread of its own that ends with the watch.
///
/// Not a dispatch source: on Linux those are used after they were freed when they are torn down on a hang-up.
final class ReadWatch: Sendable {
  private let descriptor: OwnedDescriptor
  /// The thread's end of a pipe that tells it to stop.
  private let reading: OwnedDescriptor
  private let writing: OwnedDescriptor
  private let running = DispatchGroup()

  init(_ descriptor: OwnedDescriptor) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw PtyError.cannotStart("pipe", errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.descriptor = descriptor
    reading = OwnedDescriptor(ends[0])
    writing = OwnedDescriptor(ends[1])
  }

  deinit { wake() }

  /// Ends the thread and waits for that: a descriptor that a thread polls stays open, whoever closes it.
  func stop() {
    wake()
    running.wait()
  }

  /// A child that is just being started may hold this end of the pipe open too: closing it alone could go unseen.
  private func wake() {
    var byte: UInt8 = 0
    _ = write(writing.number, &byte, 1)
  }

  /// Calls `onReadable` on the thread whenever there is something to read, until it returns false.
  func start(_ onReadable: @escaping @Sendable () -> Bool) {
    // The thread keeps both descriptors open for as long as it looks at them.
    running.enter()
    Thread.detachNewThread { [descriptor, reading, running] in
      defer { running.leave() }
      while true {
        var watched = [
          pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
          pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&watched, 2, -1) < 0, errno != EINTR { return }
        if watched[1].revents != 0 { return }
        if watched[0].revents != 0, !onReadable() { return }
      }
    }
  }
}
