import Foundation

/// One connected stream socket: non-blocking, close-on-exec, without `SIGPIPE`. The owner closes it.
struct LinkSocket: Sendable {
  private let own: OwnDescriptor

  var descriptor: Int32 { own.number }

  enum Failure: Error, Equatable {
    /// Nobody listens there.
    case absent
    /// The folder or the peer belongs to somebody else, or the path is too long; with the sentence to show.
    case unfit(String)
    /// The system has no more sockets, or the console's queue is full; it may work later.
    case later
  }

  static let pathLimit = 107

  /// Connects at once or not at all; never waits.
  static func connect(to address: LinkAddress) throws(Failure) -> LinkSocket {
    guard address.exists else { throw .absent }
    let path = Array(address.path.utf8)
    guard path.count <= pathLimit else {
      throw .unfit(
        "The socket's path \(address.path) has \(path.count) bytes, and at most \(pathLimit) are possible: name a shorter one."
      )
    }
    guard address.isTrusted else {
      throw .unfit(
        "The folder \(address.folder) is not this user's alone: make it so (chmod 700), or set PATCHBAY_SOCKET.")
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard let own = OwnDescriptor(socket(AF_UNIX, type, 0)) else { throw .later }
    let made = LinkSocket(own: own)
    do throws(Failure) {
      try made.connect(path)
      // At each connection, for somebody else may have bound the path since the last one.
      let peer = made.peer
      guard address.takes(peer) else {
        let owner = peer.map { " (uid \($0))" } ?? ""
        throw Failure.unfit(
          "The console at \(address.path) belongs to another user\(owner): set PATCHBAY_TRUST_PEER=1 if it is meant.")
      }
    } catch {
      made.close()
      throw error
    }
    return made
  }

  private func connect(_ path: [UInt8]) throws(Failure) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result != 0 else { return }
    switch errno {
    case ENOENT, ECONNREFUSED, ENOTSOCK, EPROTOTYPE, ENOTDIR: throw .absent
    case EACCES, EPERM:
      throw .unfit("The console's socket may not be opened by this user: start both as the same user.")
    default: throw .later
    }
  }

  /// The user of the process at the other end; nil where the system does not say. `SO_PEERCRED` fills pid, uid, gid.
  private var peer: uid_t? {
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout<(pid_t, uid_t, gid_t)>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return credentials.1
  }

  enum Transfer: Equatable {
    case bytes(Int)
    case wouldBlock
    case closed
  }

  /// Nothing goes to what the program has opened under this number, nor is anything taken from it.
  func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    guard own.isOurs else { return .closed }
    return Self.transfer { Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    guard own.isOurs else { return .closed }
    return Self.transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  func close() { own.close() }

  /// Lets more bytes wait in the socket for a console that does not read.
  ///
  /// - Parameters:
  ///   - share: How far, from 0 for what it takes now to 1 for the most that the system allows.
  ///   - limit: What the system is taken to allow at most, in bytes as it counts them.
  func grow(by share: Double, limit: Int) {
    guard let probe = OwnDescriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    else { return }
    Self.setRoom(of: probe.number, 1 << 30)
    let most = min(Self.room(of: probe.number), limit)
    probe.close()
    let now = Self.room(of: descriptor)
    guard most > now else { return }
    Self.setRoom(of: descriptor, now + Int(Double(most - now) * share))
  }

  private static func room(of descriptor: Int32) -> Int {
    var bytes: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, &size)
    return Int(bytes)
  }

  /// The system takes twice what it is told.
  private static func setRoom(of descriptor: Int32, _ bytes: Int) {
    var half = Int32(clamping: bytes / 2)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &half, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count == 0 { return .closed }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .closed
      }
    }
  }
}
