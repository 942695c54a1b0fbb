import PatchbayStubs
import PatchbaySystem
import Synchronization

/// Reads stub files again when they, or the files of their bodies, are saved. A save with mistakes is told and changes
/// nothing: the last good set stays.
package final class StubFileWatch: Sendable {
  /// What came of a save.
  package enum Reload: Hashable, Sendable {
    /// The file as it is now, and what is doubtful about the stubs of all files.
    case loaded(StubFile, warnings: [FileMistake])
    /// The mistakes of the file, in order; what it said before stays in force.
    case broken(path: String, [FileMistake])
    /// The bytes of this stub file's `file:` bodies changed, its text did not.
    case bodiesChanged(path: String)
  }

  /// A save with mistakes.
  private struct Broken {
    /// nil where it could not be read.
    var text: String?
    var mistakes: [FileMistake]
    /// The files of bodies that it names; one of them may be what it lacks.
    var bodies: [String]
  }

  private struct State {
    var files: [StubFile]
    /// Files whose last save was told as broken.
    var broken: [String: Broken] = [:]
    var watcher: FileWatcher?
    var isStopped = false
  }

  private let state: Mutex<State>
  private let handler: @Sendable (Reload) -> Void

  /// Watches the files that were read. The handler runs on the watcher's queue.
  ///
  /// - Parameter marks: of the bodies, when they were read; what was saved since is told.
  package init(_ files: StubFiles, since marks: FileMarks = FileMarks(), handler: @escaping @Sendable (Reload) -> Void)
  {
    state = Mutex(State(files: files.files))
    self.handler = handler
    watch(since: marks)
  }

  deinit { stop() }

  package func stop() {
    let watcher = state.withLock { state -> FileWatcher? in
      state.isStopped = true
      defer { state.watcher = nil }
      return state.watcher
    }
    watcher?.cancel()
  }

  /// The last good state of all files.
  package var files: StubFiles { state.withLock { StubFiles(files: $0.files) } }

  /// The bodies of stub files as they are now.
  package static func marks(of files: StubFiles) -> FileMarks { FileMarks(files.files.flatMap { bodies(of: $0) }) }

  private var bodies: [String] {
    state.withLock { state in state.files.flatMap { Self.bodies(of: $0) } + state.broken.values.flatMap(\.bodies) }
  }

  /// - Parameter marks: of the bodies, when they were read.
  private func watch(since marks: FileMarks) {
    let bodies = bodies
    // What came through a pipe has been read once for all.
    let paths = files.files.map(\.path).filter { Path.status($0, following: true)?.isFile != false }
    let next = FileWatcher(paths + bodies) { [weak self] paths in self?.saved(paths) }
    let previous = state.withLock { state -> FileWatcher? in
      guard !state.isStopped else { return next }
      defer { state.watcher = next }
      return state.watcher
    }
    previous?.cancel()
    // What was saved after it was read and before it was watched.
    let known = state.withLock { state in
      state.files.map { file in (file.path, state.broken[file.path].map(\.text) ?? file.text) }
    }
    let saved = known.filter { path, text in paths.contains(path) && (try? TextFile.text(path)) != text }
    next.tell(saved.map(\.0) + marks.changed(among: bodies))
  }

  private static func bodies(of file: StubFile) -> [String] {
    file.located.flatMap(\.files).map { BodyFile.path($0.path, stubFile: file.path) }
  }

  private func saved(_ paths: [String]) {
    var marks = FileMarks(bodies)
    let before = Set(bodies)
    // Another watcher, where it is needed, once and when all is told: two would tell the same.
    defer { if Set(bodies) != before { watch(since: marks) } }
    for file in files.files {
      let broken = state.withLock { $0.broken[file.path] }
      let isSaved = paths.contains(file.path)
      if isSaved || broken?.bodies.contains(where: paths.contains) == true {
        if reload(file, broken, isSaved: isSaved, &marks) { continue }
      }
      // An editor that saves all its files saves the stubs too, which may say what they said before.
      if Self.bodies(of: file).contains(where: { paths.contains($0) }) { handler(.bodiesChanged(path: file.path)) }
    }
  }

  /// Whether the file says something new now.
  private func reload(_ old: StubFile, _ broken: Broken?, isSaved: Bool, _ marks: inout FileMarks) -> Bool {
    var text: String?
    var named: [String] = []
    do throws(FilesError) {
      let read = try TextFile.text(old.path)
      guard read != old.text || broken != nil else { return false }
      text = read
      // What is saved once one has been looked at is told, be it between this look and the watch.
      let new = try StubFile.parse(read, path: old.path, checksBodies: true) { bodies in
        named = bodies
        marks = marks.adding(bodies)
      }
      var all = files.files
      guard let index = all.firstIndex(where: { $0.path == old.path }) else { return false }
      all[index] = new
      let together = try StubFiles(checking: all)
      state.withLock { state in
        state.files = all
        state.broken[old.path] = nil
      }
      handler(.loaded(new, warnings: together.warnings))
      return true
    } catch {
      state.withLock { $0.broken[old.path] = Broken(text: text, mistakes: error.mistakes, bodies: named) }
      if isSaved || broken?.mistakes != error.mistakes { handler(.broken(path: old.path, error.mistakes)) }
      return false
    }
  }
}
