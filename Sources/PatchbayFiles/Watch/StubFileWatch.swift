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

  private struct State {
    var files: [StubFile]
    /// Files whose last save was told as broken.
    var broken: Set<String> = []
    var watcher: FileWatcher?
    var isStopped = false
  }

  private let state: Mutex<State>
  private let handler: @Sendable (Reload) -> Void

  /// Watches the files that were read. The handler runs on the watcher's queue.
  package init(_ files: StubFiles, handler: @escaping @Sendable (Reload) -> Void) {
    state = Mutex(State(files: files.files))
    self.handler = handler
    watch()
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

  private func watch() {
    let files = files.files
    let bodies = files.flatMap { file in Self.bodies(of: file) }
    // What came through a pipe has been read once for all.
    let paths = files.map(\.path).filter { Path.status($0, following: true)?.isFile != false }
    let next = FileWatcher(paths + bodies) { [weak self] paths in self?.saved(paths) }
    let previous = state.withLock { state -> FileWatcher? in
      guard !state.isStopped else { return next }
      defer { state.watcher = next }
      return state.watcher
    }
    previous?.cancel()
  }

  private static func bodies(of file: StubFile) -> [String] {
    file.located.flatMap(\.files).map { BodyFile.path($0.path, stubFile: file.path) }
  }

  private func saved(_ paths: [String]) {
    let known = files.files
    for file in known {
      if paths.contains(file.path), reload(file) { continue }
      // An editor that saves all its files saves the stubs too, which may say what they said before.
      if Self.bodies(of: file).contains(where: { paths.contains($0) }) { handler(.bodiesChanged(path: file.path)) }
    }
  }

  /// Whether the file says something new now.
  private func reload(_ old: StubFile) -> Bool {
    do throws(FilesError) {
      let new = try StubFile.read(old.path)
      let wasBroken = state.withLock { $0.broken.contains(old.path) }
      guard new.text != old.text || wasBroken else { return false }
      var all = files.files
      guard let index = all.firstIndex(where: { $0.path == old.path }) else { return false }
      all[index] = new
      let together = try StubFiles(checking: all)
      state.withLock { state in
        state.files = all
        state.broken.remove(old.path)
      }
      if Self.bodies(of: new) != Self.bodies(of: old) { watch() }
      handler(.loaded(new, warnings: together.warnings))
      return true
    } catch {
      state.withLock { state in _ = state.broken.insert(old.path) }
      handler(.broken(path: old.path, error.mistakes))
      return false
    }
  }
}
