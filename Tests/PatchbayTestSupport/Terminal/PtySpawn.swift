import CLaunch
import Dispatch
import Foundation

/// Starts a program as the leader of a session of its own, with a new pseudo terminal as its controlling terminal.
package struct PtySpawn {
  /// The master's descriptor: non-blocking, close-on-exec.
  package let master: Int32
  package let process: pid_t
  /// The path of the slave, such as `/dev/pts/3`.
  package let slave: String

  package init(
    _ command: [String], environment: [String: String], columns: Int, rows: Int, folder: String?,
    redirect: [Int32: String]
  ) throws {
    var name = [CChar](repeating: 0, count: 128)
    master = patchbay_pty_open(&name, name.count, UInt16(columns), UInt16(rows))
    guard master >= 0 else { throw PtyError.cannotStart(command[0], errno: -master) }
    slave = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)

    do {
      process = try ProgramStart.spawn(
        command, environment: environment, flags: patchbay_spawn_new_session(), folder: folder
      ) { [slave] actions in
        posix_spawn_file_actions_addopen(&actions, 0, slave, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        for (descriptor, path) in redirect {
          let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
          posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
        }
      }
    } catch {
      close(master)
      throw error
    }
  }
}

/// A file descriptor that is closed when the last who uses it lets go.
final class OwnedDescriptor: Sendable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }
}

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
