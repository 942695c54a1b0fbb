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
    try makeFolder()
    let new = "\(ownPath).\(getpid())"
    unlink(new)
    guard symlink(socket, new) == 0, rename(new, ownPath) == 0 else {
      throw .system("make the link \(ownPath), by which the hook finds this console", errno)
    }
  }

  /// It may have been swept away while the program waited: temporary folders are, after some days. The program watches for it.
  private func makeFolder() throws(AttachError) {
    let folder = Path.folder(of: ownPath)
    if mkdir(folder, 0o700) == 0, user != geteuid() { lchown(folder, user, group) }
    let status = Path.status(folder, following: false)
    guard let status, status.isFolder, [0, geteuid(), user].contains(status.owner) else {
      throw AttachError(
        "\(folder), where the hook waits for a console, belongs to somebody else. Start the program again.")
    }
  }

  /// Nobody attends to the program any more, unless another console does by now.
  ///
  /// - Parameter socket: where it leads to if it is ours to remove; nil removes it wherever it leads.
  package func remove(leadingTo socket: String?) {
    if socket == nil || self.socket == socket { unlink(ownPath) }
  }
}

/// The folder in which a program and a console find each other.
package struct MeetingPlace: Sendable {
  /// As the program sees it, and as we do.
  package let path: String
  package let ownPath: String
  /// What was made for this program alone, to be removed at the end.
  private let isOwnFolder: Bool
  private let facts: TargetFacts

  /// The runtime folder where the program is the same user's and sees the same files; else a folder in its temporary one.
  package init(for facts: TargetFacts, folders: PrivateFolders) throws(AttachError) {
    self.facts = facts
    if facts.sharesFiles, facts.user == geteuid() {
      do {
        path = try folders.runtime()
      } catch {
        throw AttachError(error.description)
      }
      ownPath = path
      isOwnFolder = false
      return
    }
    let target = TargetProcess(facts.process)
    for folder in ForgottenPlaces.folders where target.sharesNumbers {
      ForgottenPlaces.remove(in: target.ownPath(folder))
    }
    for folder in ForgottenPlaces.folders {
      let path = Path.join(folder, ForgottenPlaces.name(console: getpid(), program: facts.process))
      let own = target.ownPath(path)
      guard mkdir(own, 0o700) == 0 else { continue }
      guard Self.mayRun(own) else {
        rmdir(own)
        continue
      }
      self.path = path
      ownPath = own
      isOwnFolder = true
      return
    }
    throw AttachError(
      "\(facts.title) sees other files than Patchbay, and nowhere in its /tmp, /dev/shm and /var/tmp can the hook be put. Start "
        + "it there with: patchbay run")
  }

  /// ST_NOEXEC of statvfs(3), which Glibc hides without `_GNU_SOURCE`.
  private static let noexec: UInt = 8

  private static func mayRun(_ folder: String) -> Bool {
    var facts = statvfs()
    return statvfs(folder, &facts) == 0 && facts.f_flag & noexec == 0
  }

  /// The name of the link by which a program finds its console.
  static func link(of process: pid_t) -> String { "at-\(process).sock" }
  package var rendezvous: Rendezvous { Rendezvous(file(Self.link(of: facts.process)), of: facts) }

  /// A file in it, as the program sees it.
  package func file(_ name: String) -> String { Path.join(path, name) }
  package func ownFile(_ name: String) -> String { Path.join(ownPath, name) }

  /// Whether a console's usual socket is of no use to the program.
  package var needsOwnSocket: Bool { isOwnFolder }

  /// The libraries as the program sees them: where they are, or copies.
  package func libraries(_ ours: HookLibraries) throws(AttachError) -> HookLibraries {
    guard !facts.sharesFiles || facts.user != geteuid() else { return ours }
    if facts.sharesFiles, [ours.preload, ours.hook].allSatisfy(Self.isOpenToAll) { return ours }
    for library in [ours.preload, ours.hook] {
      let copy = ownFile(Path.name(of: library))
      guard let bytes = FileBytes.read(library, atMost: 1 << 28) else { throw .system("read \(library)", errno) }
      do throws(FileWriteError) {
        try OutputFile.write(bytes, to: copy)
      } catch {
        throw AttachError(
          "\(copy) cannot be written (\(error.reason)), so the hook cannot be put where \(facts.title) sees it.")
      }
      chmod(copy, 0o755)
    }
    return HookLibraries(preload: file(HookLibraries.preloadName), hook: file(HookLibraries.hookName))
  }

  /// Whether any user can read a file and reach it.
  static func isOpenToAll(_ path: String) -> Bool {
    guard let file = Path.status(path, following: true), file.permissions & 0o004 != 0 else { return false }
    var folder = Path.folder(of: Path.resolved(path) ?? path)
    while true {
      guard let status = Path.status(folder, following: true), status.permissions & 0o001 != 0 else { return false }
      if folder == "/" { return true }
      folder = Path.folder(of: folder)
    }
  }

  /// Gives what lies in it, and then it, to the program's user: nobody else can have put anything there before.
  package func giveToUser() {
    guard isOwnFolder, facts.user != geteuid() else { return }
    for name in Path.names(in: ownPath) { lchown(ownFile(name), facts.user, facts.group) }
    lchown(ownPath, facts.user, facts.group)
  }

  /// Takes away what a console has put there. The folder stays where the program waits in it for the next one.
  package func remove(waitingIn rendezvous: Rendezvous?) {
    guard isOwnFolder else { return }
    for name in Path.names(in: ownPath) { unlink(ownFile(name)) }
    if rendezvous?.folder != path { rmdir(ownPath) }
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
