import PatchbaySystem

/// Which build of the Swift runtime: Swift has no stable binary interface on Linux, so a hook can live in a program only
/// if both were built for the same one.
public struct SwiftRuntime: Sendable, Equatable {
  static let core = "libswiftCore.so"
  static let networking = "libFoundationNetworking.so"

  struct Library: Sendable, Equatable {
    let name: String
    let path: String
    /// nil in a library that was linked without one.
    let buildID: String?
  }

  let libraries: [Library]

  /// The runtime that the file at `path` would load; without libraries if it is not a Swift one.
  init(loadedBy path: String, _ search: LibrarySearch) {
    let images = search.images([Self.core, Self.networking], loadedBy: path)
    libraries = [Self.core, Self.networking].compactMap { name in
      images[name].map { Library(name: name, path: $0.path, buildID: $0.file.buildID) }
    }
  }

  func library(_ name: String) -> Library? { libraries.first { $0.name == name } }

  /// The value of `PATCHBAY_RUNTIME`, by which the preload library sees for itself: `NAME=HEX,NAME=HEX`.
  package var environmentValue: String {
    libraries.compactMap { library in library.buildID.map { "\(library.name)=\($0)" } }.joined(separator: ",")
  }

  /// The build ids by file name.
  package var buildIDs: [String: String] {
    Dictionary(libraries.compactMap { library in library.buildID.map { (library.name, $0) } }) { first, _ in first }
  }

  /// The first library that both have, but not the same build of it.
  func difference(from other: SwiftRuntime) -> (ours: Library, theirs: Library)? {
    for ours in libraries {
      guard let theirs = other.library(ours.name), let mine = ours.buildID, let its = theirs.buildID, mine != its else {
        continue
      }
      return (ours, theirs)
    }
    return nil
  }
}

extension SwiftRuntime {
  /// The runtime of a toolchain, whose programs load it: found by its compiler.
  public init(compiler: String) {
    let usr = Path.folder(of: Path.folder(of: Path.resolved(compiler) ?? compiler))
    libraries = [Self.core, Self.networking].compactMap { name in
      let path = Path.join(usr, "lib/swift/linux/\(name)")
      return ElfFile(path: path).map { Library(name: name, path: path, buildID: $0.buildID) }
    }
  }

  /// Where its core library lies; nil where there is none.
  public var place: String? { library(Self.core).map { Path.folder(of: $0.path) } }

  /// Whether both are known and are not the same build.
  public func differs(from other: SwiftRuntime) -> Bool { difference(from: other) != nil }
}

/// Finds the libraries that a program would load, by the rules of ld.so(8): DT_RPATH of the file and those that led to it,
/// `LD_LIBRARY_PATH`, DT_RUNPATH, the linker's cache, the system's folders. Without the hardware's own subfolders.
struct LibrarySearch: Sendable {
  var libraryPath: [String] = []
  var cache = LinkerCache()
  var systemFolders = [
    "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
  ]

  /// - Parameter libraryPath: the value of `LD_LIBRARY_PATH`.
  init(libraryPath: String? = nil) {
    // An empty entry is the working directory.
    self.libraryPath =
      libraryPath?.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
      .map { $0.isEmpty ? "." : String($0) } ?? []
    if libraryPath?.isEmpty == true { self.libraryPath = [] }
  }

  /// A file that gets loaded.
  struct Image: Sendable {
    let path: String
    let file: ElfFile
    /// The search paths that are inherited (DT_RPATH), nearest first.
    let inherited: [String]
  }

  /// The files of `wanted` (library names) among everything that the file at `path` loads at its start.
  func images(_ wanted: Set<String>, loadedBy path: String) -> [String: Image] {
    guard let file = ElfFile(path: path) else { return [:] }
    var found: [String: Image] = [:]
    var seen: Set<String> = []
    var queue = [Image(path: Path.resolved(path) ?? path, file: file, inherited: [])]
    // Breadth first, as the linker does; a thousand libraries is more than any program has.
    while let image = queue.first, found.count < wanted.count, seen.count < 1000 {
      queue.removeFirst()
      let folders = folders(of: image)
      let inherited = image.file.searchPathIsRunpath ? [] : folders.own + image.inherited
      for name in image.file.needed where seen.insert(name).inserted {
        guard let (path, file) = locate(name, folders.all, like: image.file) else { continue }
        let next = Image(path: path, file: file, inherited: inherited)
        if wanted.contains(name) { found[name] = next }
        queue.append(next)
      }
    }
    return found
  }

  private func folders(of image: Image) -> (own: [String], all: [String]) {
    let origin = Path.folder(of: image.path)
    let own = image.file.searchPath.map { entry in
      entry.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    }
    let all = image.file.searchPathIsRunpath ? libraryPath + own : own + image.inherited + libraryPath
    return (own, all)
  }

  private func locate(_ name: String, _ folders: [String], like other: ElfFile) -> (String, ElfFile)? {
    let candidates =
      name.contains("/")
      ? [name]
      : folders.map { Path.join($0, name) } + cache.files(named: name) + systemFolders.map { Path.join($0, name) }
    for candidate in candidates {
      guard let file = ElfFile(path: candidate), file.machine == other.machine, file.is64Bit == other.is64Bit else {
        continue
      }
      return (Path.resolved(candidate) ?? candidate, file)
    }
    return nil
  }
}

/// The dynamic linker's list of libraries (`/etc/ld.so.cache`, glibc's format 1.1): file by library name. Empty if there
/// is none or it is of another format.
struct LinkerCache: Sendable {
  static let path = "/etc/ld.so.cache"

  private var files: [String: [String]] = [:]

  init(path: String = LinkerCache.path) {
    guard let bytes = FileBytes.read(path, atMost: 64 << 20) else { return }
    bytes.withUnsafeBytes { parse($0) }
  }

  /// In the order in which the linker takes them.
  func files(named name: String) -> [String] { files[name] ?? [] }

  private mutating func parse(_ bytes: UnsafeRawBufferPointer) {
    let magic = Array("glibc-ld.so.cache1.1".utf8)
    guard bytes.count >= 48, bytes.prefix(magic.count).elementsEqual(magic) else { return }
    func int(_ offset: Int) -> Int? {
      guard offset >= 0, offset + 4 <= bytes.count else { return nil }
      return Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let header = 48
    let entry = 24
    guard let count = int(20), count <= (bytes.count - header) / entry else { return }
    for index in 0..<count {
      let at = header + index * entry
      guard let key = int(at + 4).flatMap(bytes.cString), let file = int(at + 8).flatMap(bytes.cString) else {
        continue
      }
      files[key, default: []].append(file)
    }
  }
}
