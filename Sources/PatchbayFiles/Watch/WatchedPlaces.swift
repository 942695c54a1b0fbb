import Foundation

/// The places that decide what a path leads to: in which folders which names matter, along every link on the way, and
/// which folders must not go away or be moved.
struct WatchedPlaces: Equatable {
  struct Place: Hashable {
    var folder: String
    var name: String

    var path: String { folder == "/" ? "/" + name : folder + "/" + name }
  }

  /// The paths, as they were given, by the names that matter to them.
  private(set) var paths: [Place: Set<String>] = [:]
  /// The paths by the folders on their way that must stay what they are.
  private(set) var folders: [String: Set<String>] = [:]

  private static let linkLimit = 40

  /// A name that a path passes.
  struct Step {
    var place: Place
    /// nil where there is nothing of that name.
    var facts: stat?
    /// Whether the path goes on inside it.
    var isPassed = false
  }

  init(_ paths: [String]) {
    for path in paths {
      Self.walk(path) { step in
        if step.isPassed {
          folders[step.place.path, default: []].insert(path)
        } else {
          self.paths[step.place, default: []].insert(path)
        }
      }
    }
  }

  /// Follows a path as the system does, along links, up to what it leads to or to where there is nothing.
  static func walk(_ path: String, _ visit: (Step) -> Void) {
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
      let place = Place(folder: folder.isEmpty ? "/" : folder, name: name)
      let here = place.path
      var facts = stat()
      guard lstat(here, &facts) == 0 else { return visit(Step(place: place)) }
      switch facts.st_mode & S_IFMT {
      case S_IFLNK:
        visit(Step(place: place, facts: facts))
        links += 1
        guard links <= linkLimit, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: here)
        else { return }
        if target.hasPrefix("/") { folder = "" }
        rest += target.split(separator: "/").map { String($0) }.reversed()
      case S_IFDIR where !rest.isEmpty:
        visit(Step(place: place, facts: facts, isPassed: true))
        folder = here
      default: return visit(Step(place: place, facts: facts))
      }
    }
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

/// What changes when a path leads elsewhere, or when the file that it leads to is saved, in whichever way: the marks of all
/// that it passes. Without events just that is told which is told with them.
struct FileMark: Equatable {
  private var numbers: [Int64] = []

  private init(_ path: String) {
    WatchedPlaces.walk(path) { step in
      guard let facts = step.facts else { return numbers.append(-1) }
      numbers += [Int64(facts.st_dev), Int64(bitPattern: UInt64(facts.st_ino))]
      // What is made in a folder changes its times, but is nobody's.
      if facts.st_mode & S_IFMT == S_IFDIR { return }
      #if os(Linux)
        let (written, changed) = (facts.st_mtim, facts.st_ctim)
      #else
        let (written, changed) = (facts.st_mtimespec, facts.st_ctimespec)
      #endif
      numbers += [
        Int64(facts.st_size), Int64(written.tv_sec), Int64(written.tv_nsec), Int64(changed.tv_sec),
        Int64(changed.tv_nsec),
      ]
    }
  }

  static func all(of paths: [String]) -> [String: FileMark] {
    var marks: [String: FileMark] = [:]
    for path in paths { marks[path] = FileMark(path) }
    return marks
  }
}

/// Files as they were at a moment.
package struct FileMarks: Sendable {
  private var paths: Set<String> = []
  private var marks: [String: FileMark] = [:]

  package init(_ paths: [String] = []) {
    self.paths = Set(paths)
    marks = FileMark.all(of: paths)
  }

  /// With those of which nothing was known, as they are now.
  func adding(_ more: [String]) -> FileMarks {
    var all = self
    for (path, mark) in FileMark.all(of: more.filter { !paths.contains($0) }) { all.marks[path] = mark }
    all.paths.formUnion(more)
    return all
  }

  /// Those that are otherwise now; of one that was not looked at nothing is said.
  func changed(among paths: [String]) -> [String] {
    let now = FileMark.all(of: paths)
    return paths.filter { self.paths.contains($0) && now[$0] != marks[$0] }
  }
}
