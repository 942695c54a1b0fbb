import Foundation

/// The places that decide what a path leads to: in which folders which names matter, along every link on the way, and
/// which folders must not go away or be moved.
struct WatchedPlaces: Equatable {
  struct Place: Hashable {
    var folder: String
    var name: String
  }

  /// The paths, as they were given, by the names that matter to them.
  private(set) var paths: [Place: Set<String>] = [:]
  /// The paths by the folders on their way that must stay what they are.
  private(set) var folders: [String: Set<String>] = [:]

  private static let linkLimit = 40

  init(_ paths: [String]) {
    for path in paths { walk(path) }
  }

  private mutating func walk(_ path: String) {
    let start = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    var rest = Array(start.split(separator: "/").map { String($0) }.reversed())
    var folder = ""
    var links = 0
    while let name = rest.popLast() {
      if name == "." || name.isEmpty { continue }
      if name == ".." {
        folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        continue
      }
      let here = folder + "/" + name
      var facts = stat()
      guard lstat(here, &facts) == 0 else { return note(folder, name, path) }
      switch facts.st_mode & S_IFMT {
      case S_IFLNK:
        note(folder, name, path)
        links += 1
        guard links <= Self.linkLimit, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: here)
        else { return }
        if target.hasPrefix("/") { folder = "" }
        rest += target.split(separator: "/").map { String($0) }.reversed()
      case S_IFDIR where !rest.isEmpty:
        folder = here
        folders[here, default: []].insert(path)
      default: return note(folder, name, path)
      }
    }
  }

  private mutating func note(_ folder: String, _ name: String, _ path: String) {
    let folder = folder.isEmpty ? "/" : folder
    paths[Place(folder: folder, name: name), default: []].insert(path)
  }

  /// The folders of which the entries matter.
  var listened: Set<String> { Set(paths.keys.map(\.folder)) }

  /// The paths that a change of that name (nil is any, or the folder itself) can mean.
  func touched(_ folder: String, _ name: String?) -> Set<String> {
    if let name { return paths[Place(folder: folder, name: name)] ?? [] }
    var found = folders[folder] ?? []
    for (place, given) in paths where place.folder == folder { found.formUnion(given) }
    return found
  }
}
