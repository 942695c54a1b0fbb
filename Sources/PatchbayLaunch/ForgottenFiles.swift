import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What consoles that were killed left in the runtime folder. A console keeps its files locked (flock(2)) and the kernel
/// drops the locks however it dies, so what nobody has locked is nobody's.
private enum ForgottenFiles {
  /// Takes away the notes, private sockets with their neighbours, demos' stubs, bodies that were shown, and links to sockets
  /// elsewhere of consoles that run no more.
  /// What cannot be taken away stays.
  static func remove(in folder: String) {
    // Links last: what they led to may be gone by then.
    for name in Path.names(in: folder).sorted(by: { !$0.hasPrefix("at-") && $1.hasPrefix("at-") }) {
      let path = Path.join(folder, name)
      if name.hasPrefix("run-"), name.hasSuffix(".notes") {
        removeUnlocked(path)
      } else if ["run-", "attach-", "demo-"].contains(where: name.hasPrefix), name.hasSuffix(".sock.lock") {
        let socket = String(path.dropLast(".lock".count))
        let stubs = "\(socket.dropLast(".sock".count)).yaml"
        removeUnlocked(path, after: [socket, socket + ".control", stubs])
      } else if name.hasPrefix("named-"), name.hasSuffix(".sock.control"), hasEnded(name.dropFirst("named-".count)) {
        unlink(path)
      } else if name.hasPrefix("bodies-"), hasEnded(name.dropFirst("bodies-".count)),
        Path.status(path, following: false)?.isFolder == true
      {
        for body in Path.names(in: path) { unlink(Path.join(path, body)) }
        rmdir(path)
      } else if name.hasPrefix("at-"), Path.status(path, following: true) == nil {
        // It led to the socket of a console that attended to a program.
        unlink(path)
      }
    }
  }

  /// Whether no process has the number that the text begins with.
  private static func hasEnded(_ text: Substring) -> Bool {
    guard let process = pid_t(text.prefix { $0.isNumber }) else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  /// Removes the file and, before it, its neighbours, while its lock is ours.
  private static func removeUnlocked(_ path: String, after neighbours: [String] = []) {
    let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return }
    for neighbour in neighbours { unlink(neighbour) }
    unlink(path)
  }
}

extension PrivateFolders {
  /// Takes away what consoles that were killed left beside the sockets.
  public func removeForgotten() {
    if let folder = try? runtime() { ForgottenFiles.remove(in: folder) }
  }
}
