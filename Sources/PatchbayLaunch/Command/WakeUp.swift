#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pair of sockets that gets a thread out of `poll`. Both ends are close-on-exec and non-blocking.
final class WakeUp: Sendable {
  /// To be watched for POLLIN.
  let listener: Int32
  private let bell: Int32

  init() throws(LaunchError) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let code = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
    #else
      let code = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    #endif
    guard code == 0 else { throw .system("make a pair of sockets", errno) }
    listener = ends[0]
    bell = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  func ring() {
    var byte: UInt8 = 0
    // Where it is full, the thread wakes already.
    _ = write(bell, &byte, 1)
  }

  func hush() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(listener, &bytes, bytes.count) == bytes.count { continue }
  }

  deinit {
    close(listener)
    close(bell)
  }
}
