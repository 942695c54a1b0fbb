import PatchbaySystem

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
