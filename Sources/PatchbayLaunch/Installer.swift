import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Copies Patchbay to a prefix: `bin`, `lib/patchbay`, `share`. Each file appears whole or not at all, and one that is in
/// use is replaced without harm to who uses it.
public struct Installer: Sendable {
  /// A file to put in place.
  public struct Item: Sendable {
    enum Source: Sendable {
      case file(String)
      case bytes([UInt8])
    }

    var source: Source
    /// Below the prefix.
    var place: String
    var mode: mode_t

    /// A file that is copied.
    public init(copying file: String, to place: String, isExecutable: Bool = false) {
      source = .file(file)
      self.place = place
      mode = isExecutable ? 0o755 : 0o644
    }

    /// A text that is written.
    public init(text: String, to place: String) {
      source = .bytes(Array(text.utf8))
      self.place = place
      mode = 0o644
    }
  }

  public let prefix: String

  /// - Parameter prefix: an absolute path; made if need be.
  public init(prefix: String) {
    self.prefix = Path.withoutTrailingSlash(prefix)
  }

  /// What belongs to the program itself: its executable and the two libraries of the hook.
  public static func program(executable: String, libraries: HookLibraries) -> [Item] {
    [
      Item(copying: executable, to: "bin/patchbay", isExecutable: true),
      Item(copying: libraries.preload, to: "lib/patchbay/\(HookLibraries.preloadName)"),
      Item(copying: libraries.hook, to: "lib/patchbay/\(HookLibraries.hookName)"),
    ]
  }

  /// Puts all items in place.
  ///
  /// - Returns: their paths.
  public func install(_ items: [Item]) throws(LaunchError) -> [String] {
    var placed: [String] = []
    var receipt = InstallReceipt(prefix: prefix)
    for item in items {
      let path = Path.join(prefix, item.place)
      try makeFolders(Path.folder(of: path), &receipt)
      switch item.source {
      case .file(let origin):
        if let here = Path.resolved(origin), here == Path.resolved(path) { continue }
        try Self.copy(origin, to: path, mode: item.mode)
      case .bytes(let bytes):
        try Self.put(path, mode: item.mode) { output throws(FileWriteError) in try output.write(bytes) }
      }
      receipt.add(item.place)
      placed.append(path)
    }
    try makeFolders(Path.folder(of: receipt.path), &receipt)
    let text = Array(receipt.text.utf8)
    try Self.put(receipt.path, mode: 0o644) { output throws(FileWriteError) in try output.write(text) }
    return placed
  }

  /// Takes away the files that `install` put below the prefix, now or earlier, and the folders that it made and that are
  /// empty then.
  ///
  /// - Returns: the paths of what went; none where nothing was installed.
  public func uninstall() throws(LaunchError) -> [String] {
    let receipt = InstallReceipt(prefix: prefix)
    var removed: [String] = []
    for place in receipt.files {
      let path = Path.join(prefix, place)
      guard let status = Path.status(path, following: false), !status.isFolder else { continue }
      guard unlink(path) == 0 else {
        throw .system("remove \(path)", errno, way: "say it as the user who installed Patchbay there")
      }
      removed.append(path)
    }
    // What was installed last is looked at first, so that a folder goes after those in it.
    unlink(receipt.path)
    for place in receipt.folders.reversed() { rmdir(Path.join(prefix, place)) }
    return removed
  }

  private static func copy(_ origin: String, to path: String, mode: mode_t) throws(LaunchError) {
    let file = open(origin, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system("read \(origin)", errno) }
    defer { close(file) }
    try put(path, mode: mode) { output throws(FileWriteError) in
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = read(file, &buffer, buffer.count)
        if count == 0 { return }
        if count > 0 { try output.write(buffer[..<count]) } else if errno != EINTR { break }
      }
      throw FileWriteError(path: path, code: errno)
    }
  }

  /// A link at the path is replaced, not what it leads to: that may be the very file that is installed.
  private static func put(
    _ path: String, mode: mode_t, _ fill: (OutputFile) throws(FileWriteError) -> Void
  ) throws(LaunchError) {
    do {
      let output = try OutputFile(path, access: .exactly(mode), followsLinks: false)
      try fill(output)
      try output.commit()
    } catch {
      throw .system(
        "write \(path)", error.code, way: "make room there, or choose a folder in which you may write")
    }
  }

  private func makeFolders(_ path: String, _ receipt: inout InstallReceipt) throws(LaunchError) {
    if mkdir(path, 0o755) == 0 { return receipt.madeFolder(path) }
    switch errno {
    case EEXIST:
      guard Path.status(path, following: true)?.isFolder == true else {
        throw LaunchError("\(path) is not a folder; remove it, or choose another --prefix")
      }
    case ENOENT where path != "/":
      try makeFolders(Path.folder(of: path), &receipt)
      if mkdir(path, 0o755) == 0 { return receipt.madeFolder(path) }
      if errno != EEXIST { throw .system("make the folder \(path)", errno, way: "choose another --prefix") }
    default: throw .system("make the folder \(path)", errno, way: "choose another --prefix")
    }
  }
}

/// What was installed below a prefix: a line for each file and for each folder that was made, the latter with `/` behind
/// it. Later installations add to it.
private struct InstallReceipt {
  let path: String
  private let prefix: String
  private(set) var files: [String] = []
  private(set) var folders: [String] = []

  init(prefix: String) {
    self.prefix = prefix
    path = Path.join(prefix, "lib/patchbay/installed")
    let bytes = (try? InputFile.bytes(path, limit: 1 << 20)) ?? []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) {
      // A receipt that was changed leads to nothing outside the prefix.
      guard !line.hasPrefix("/"), !line.split(separator: "/").contains("..") else { continue }
      if line.hasSuffix("/") { folders.append(String(line.dropLast())) } else { files.append(line) }
    }
  }

  var text: String { (folders.map { $0 + "/" } + files).map { $0 + "\n" }.joined() }

  mutating func add(_ place: String) {
    if !files.contains(place) { files.append(place) }
  }

  mutating func madeFolder(_ path: String) {
    guard path.hasPrefix(prefix + "/") else { return }
    let place = String(path.dropFirst(prefix.count + 1))
    if !folders.contains(place) { folders.append(place) }
  }
}
