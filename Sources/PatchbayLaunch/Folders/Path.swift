#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Paths as text, and what lies at them.
enum Path {
  struct Status {
    let mode: mode_t
    let owner: uid_t
    let group: gid_t
    let size: Int

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isFile: Bool { mode & S_IFMT == S_IFREG }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var permissions: mode_t { mode & 0o7777 }
  }

  static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  static func withoutTrailingSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Everything before the last `/`: "." if there is none.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  static func status(_ path: String, following: Bool) -> Status? {
    var status = stat()
    guard (following ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return Status(mode: status.st_mode, owner: status.st_uid, group: status.st_gid, size: Int(status.st_size))
  }

  /// The path with all links followed, or nil if something on the way is missing.
  static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
