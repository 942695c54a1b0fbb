import Dispatch
import Foundation
import Synchronization

/// Tells when files are saved, however an editor does it: written in place, replaced by another file of that name,
/// removed and made anew. It sleeps in between; nothing is polled.
///
/// The handler runs on the watcher's own queue, once for a burst of changes, with the paths as they were given.
public final class FileWatcher: Sendable {
  private let queue = DispatchQueue(label: "patchbay.files.watcher")
  private let debounce: DispatchTimeInterval
  private let handler: @Sendable ([String]) -> Void
  private let state: Mutex<State>

  private struct State {
    /// The files by their places: folder and name, for the path as given and for what it links to.
    var wanted: [String: [String]] = [:]
    var changed: Set<String> = []
    var isWaiting = false
    var isCancelled = false
    var folders: FolderEvents?
  }

  /// Watches these files; they need not be there yet, their folders must.
  public init(
    _ paths: [String], debounce: Duration = .milliseconds(50), handler: @escaping @Sendable ([String]) -> Void
  ) throws(FilesError) {
    self.debounce = .milliseconds(Int(debounce / .milliseconds(1)))
    self.handler = handler
    state = Mutex(State())
    var wanted: [String: [String]] = [:]
    for path in paths {
      for place in Self.places(of: path) { wanted[place, default: []].append(path) }
    }
    let folders = Set(wanted.keys.map { ($0 as NSString).deletingLastPathComponent })
    let events = try FolderEvents(folders.sorted(), queue: queue) { [weak self] folder, name in
      self?.changed(folder, name)
    }
    state.withLock {
      $0.wanted = wanted
      $0.folders = events
    }
    events.resume()
  }

  deinit { cancel() }

  /// No more calls of the handler begin after this.
  public func cancel() {
    let events = state.withLock { state -> FolderEvents? in
      state.isCancelled = true
      defer { state.folders = nil }
      return state.folders
    }
    events?.cancel()
  }

  /// The path itself and, where it is a link, what it links to, both absolute.
  private static func places(of path: String) -> Set<String> {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let plain = (absolute as NSString).standardizingPath
    let folder = (plain as NSString).deletingLastPathComponent
    let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let here = real + "/" + (plain as NSString).lastPathComponent
    return [here, URL(fileURLWithPath: plain).resolvingSymlinksInPath().path]
  }

  /// On the queue. A nil name means that anything in the folder may have changed.
  private func changed(_ folder: String, _ name: String?) {
    let mustWait = state.withLock { state -> Bool in
      for (place, paths) in state.wanted {
        let isThere = (place as NSString).deletingLastPathComponent == folder
        if isThere, name == nil || (place as NSString).lastPathComponent == name { state.changed.formUnion(paths) }
      }
      guard !state.changed.isEmpty, !state.isWaiting else { return false }
      state.isWaiting = true
      return true
    }
    guard mustWait else { return }
    queue.asyncAfter(deadline: .now() + debounce) { [weak self] in self?.tell() }
  }

  private func tell() {
    let paths = state.withLock { state -> [String] in
      defer {
        state.changed = []
        state.isWaiting = false
      }
      return state.isCancelled ? [] : state.changed.sorted()
    }
    if !paths.isEmpty { handler(paths) }
  }
}
