#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Paths as text, and what lies at them.
package enum Path {
  package struct Status: Sendable {
    package let mode: mode_t
    package let owner: uid_t
    package let group: gid_t
    package let size: Int

    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isFile: Bool { mode & S_IFMT == S_IFREG }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isPipe: Bool { mode & S_IFMT == S_IFIFO }
    package var permissions: mode_t { mode & 0o7777 }
  }

  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  package static func withoutTrailingSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Everything before the last `/`: "." if there is none.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// The person's folder: `$HOME` where that is an absolute path, as shells and the XDG specification take it, else the
  /// account's.
  package static var home: String { home(named: getenv("HOME").map { String(cString: $0) }, user: geteuid()) }

  /// - Parameter named: the value of `HOME`.
  package static func home(named: String?, user: uid_t) -> String {
    if let named, named.hasPrefix("/") { return withoutTrailingSlash(named) }
    return home(ofAccount: user) ?? "/"
  }

  package static func home(ofAccount user: uid_t) -> String? {
    guard let account = getpwuid(user), let home = account.pointee.pw_dir else { return nil }
    return String(cString: home)
  }

  /// With the person's folder for a `~` that stands alone or before a `/`.
  package static func expandingTilde(_ path: String) -> String {
    if path == "~" { return home }
    return path.hasPrefix("~/") ? join(home, String(path.dropFirst(2))) : path
  }

  package static func status(_ path: String, following: Bool) -> Status? {
    var status = stat()
    guard (following ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return Status(mode: status.st_mode, owner: status.st_uid, group: status.st_gid, size: Int(status.st_size))
  }

  /// The path with all links followed, or nil if something on the way is missing.
  package static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// What lies in a folder, in no order; nothing where it cannot be read.
  package static func names(in folder: String) -> [String] {
    names(in: open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// - Parameter descriptor: of a folder; it is closed.
  static func names(in descriptor: Int32) -> [String] {
    guard descriptor >= 0 else { return [] }
    guard let folder = fdopendir(descriptor) else {
      close(descriptor)
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// What a link says, as it is; nil with `errno` if it cannot be read.
  package static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// Which file a path or a descriptor stands for.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// - Parameter following: a link stands for what it leads to.
  package init?(path: String, following: Bool = false) {
    var status = stat()
    guard (following ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
