import Foundation

/// Where the console's socket is.
struct LinkAddress: Hashable, Sendable {
  var path: String
  /// Named by `PATCHBAY_SOCKET`. Then the place is meant, and its folder is not checked.
  var isExplicit: Bool
  /// `PATCHBAY_TRUST_PEER`: a console of another user is meant, as where containers number their users anew.
  var trustsPeer = false

  /// The address that the environment names: `PATCHBAY_SOCKET`, else the default socket. A program that was attached to has
  /// been told where, whatever its environment says.
  static func resolve(
    _ environment: (String) -> String? = Self.variable, rendezvous: String? = PreloadEntry.rendezvous
  ) -> LinkAddress {
    let trust = environment("PATCHBAY_TRUST_PEER") ?? ""
    let trustsPeer = !trust.isEmpty && trust != "0"
    if let rendezvous { return LinkAddress(path: rendezvous, isExplicit: true, trustsPeer: trustsPeer) }
    if let path = environment("PATCHBAY_SOCKET"), !path.isEmpty {
      return LinkAddress(path: path, isExplicit: true, trustsPeer: trustsPeer)
    }
    if let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/"), isOwnFolder(folder) {
      let plain = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
      return LinkAddress(path: plain + "/patchbay/default.sock", isExplicit: false, trustsPeer: trustsPeer)
    }
    return LinkAddress(path: "/tmp/patchbay-\(geteuid())/default.sock", isExplicit: false, trustsPeer: trustsPeer)
  }

  /// A runtime folder that is gone, or another user's (`su`, `sudo`), is as good as none, for the console too.
  private static func isOwnFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == geteuid()
  }

  /// Read by `getenv` and not from Foundation's copy, which a program may replace; where the program has cleared its
  /// environment, what the preload library has kept counts.
  static func variable(_ name: String) -> String? {
    if let value = getenv(name) { return String(cString: value) }
    return PreloadEntry.kept(name)
  }

  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  var file: String { path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? path }

  /// Whether something of that name exists: nothing is ever tried where nothing is.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Whether the console of that user may hear what this process asks and answer it: our own, or root's, who can see
  /// it anyway. nil is a user of whom the system does not tell.
  func takes(_ user: uid_t?) -> Bool { trustsPeer || user == getuid() || user == 0 }

  /// Whether nobody but this user can have put the socket there: the folder is ours, and 0700.
  var isTrusted: Bool {
    if isExplicit { return true }
    var facts = stat()
    guard lstat(folder, &facts) == 0 else { return false }
    return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && facts.st_mode & 0o777 == 0o700
  }
}

/// Notes on standard error, only where `PATCHBAY_DEBUG` is set to something other than 0.
enum LinkDebug {
  private static let isOn: Bool = {
    guard let value = LinkAddress.variable("PATCHBAY_DEBUG") else { return false }
    return !value.isEmpty && value != "0"
  }()

  static func note(_ sentence: @autoclosure () -> String) {
    guard isOn else { return }
    let line = Array("patchbay: \(sentence())\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
