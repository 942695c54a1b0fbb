import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the hook of a program that was attached to finds its consoles: a symbolic link that leads to the socket of the
/// one that attends to it now. Without a console there is none, and the hook waits, without a timer, until one is made.
package struct Rendezvous: Hashable, Sendable {
  /// As the program sees it.
  package let path: String
  /// Where it lies for us.
  private let ownPath: String
  private let user: uid_t, group: gid_t

  /// - Parameters:
  ///   - path: as the program sees it.
  ///   - facts: of the program.
  package init(_ path: String, of facts: TargetFacts) {
    self.path = path
    ownPath = TargetProcess(facts.process).ownPath(path)
    user = facts.user
    group = facts.group
  }

  /// As the program sees it.
  package var folder: String { Path.folder(of: path) }

  /// Where it leads to, as the program sees it; nil where it leads nowhere.
  private var socket: String? { Path.target(ofLink: ownPath) }

  /// The socket, for us, of the console that attends to the program now; nil where there is none.
  package func console(of process: pid_t) -> String? {
    guard let socket else { return nil }
    let own = TargetProcess(process).ownPath(socket)
    return SocketProbe.isListening(own) ? own : nil
  }

  /// Leads to that socket from now on, in one step.
  ///
  /// - Parameter socket: as the program sees it.
  package func lead(to socket: String) throws(AttachError) {
    let folder = try madeFolder()
    guard folder.link(name, to: socket) else {
      throw .system("make the link \(ownPath), by which the hook finds this console", errno)
    }
  }

  /// Nobody attends to the program any more, unless another console does by now.
  ///
  /// - Parameter socket: where it leads to if it is ours to remove; nil removes it wherever it leads.
  package func remove(leadingTo socket: String?) {
    guard let folder = OpenFolder(Path.folder(of: ownPath)), isOfProgram(folder) else { return }
    if socket == nil || self.socket == socket { folder.remove(name) }
  }

  private var name: String { Path.name(of: ownPath) }

  /// It may have been swept away while the program waited: temporary folders are, after some days. The program watches for it.
  private func madeFolder() throws(AttachError) -> OpenFolder {
    let path = Path.folder(of: ownPath)
    let isNew = mayMakeFolder && mkdir(path, 0o700) == 0
    let folder = OpenFolder(path)
    if isNew, user != geteuid(), let folder, folder.owner == geteuid() { folder.give(to: user, group) }
    guard let folder, isOfProgram(folder) else {
      throw AttachError(
        "\(path), where the hook waits for a console, belongs to somebody else. Start the program again.")
    }
    return folder
  }

  /// The path is what a program's memory says, and another user's may say what it likes: nothing is made for it, and nothing
  /// removed, but what a console once made for it.
  private func isOfProgram(_ folder: OpenFolder) -> Bool { folder.owner == user && MeetingPlace.isLink(name) }
  private var mayMakeFolder: Bool {
    MeetingPlace.isLink(name) && (user == geteuid() || ForgottenPlaces.isPlace(self.folder))
  }
}

/// Whether somebody listens on a Unix socket.
package enum SocketProbe {
  package static func isListening(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    guard bytes.count <= SocketPath.limit else { return false }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno == EAGAIN || errno == EINPROGRESS
  }
}
