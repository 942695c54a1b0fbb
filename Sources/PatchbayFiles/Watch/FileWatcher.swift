import Dispatch
import Foundation
import Synchronization

/// Tells when files are saved, however that is done: written in place, replaced by another file of that name, removed
/// and made anew, behind links that are moved, in folders that come and go. It sleeps in between; nothing is polled but
/// where the system gives no events: Linux has a number of them for all programs of a user (inotify(7): 128 instances),
/// and a console that starts when others have taken them is to start all the same. Then it looks once a second.
///
/// The handler runs on the watcher's own queue, once for a burst of changes, with the paths as they were given.
package final class FileWatcher: Sendable {
  private let queue = DispatchQueue(label: "patchbay.files.watcher")
  private let debounce: DispatchTimeInterval
  private let handler: @Sendable ([String]) -> Void
  private let paths: [String]
  private let everyWrite: Bool
  private let hasEvents: @Sendable () -> Bool
  private let state: Mutex<State>

  private struct State {
    var places: WatchedPlaces
    var changed: Set<String> = []
    /// A folder went away or was moved: what is watched must be looked up anew, even at the same places.
    var isStale = false
    var isWaiting = false
    var isCancelled = false
    var events: FolderEvents?
    /// There are no events, so that it looks by itself.
    var isLooking = false
  }

  /// Watches these files; neither they nor their folders need be there yet.
  ///
  /// - Parameter everyWrite: tells also of what is written to a file, or cut off it, by who keeps it open.
  package convenience init(
    _ paths: [String], debounce: Duration = .milliseconds(50), everyWrite: Bool = false,
    handler: @escaping @Sendable ([String]) -> Void
  ) {
    self.init(paths, debounce: debounce, everyWrite: everyWrite, hasEvents: { true }, handler: handler)
  }

  /// - Parameter hasEvents: whether the system is asked for events; without them as where it has none.
  init(
    _ paths: [String], debounce: Duration = .milliseconds(50), everyWrite: Bool = false,
    hasEvents: @escaping @Sendable () -> Bool, handler: @escaping @Sendable ([String]) -> Void
  ) {
    self.debounce = .milliseconds(Int(debounce / .milliseconds(1)))
    self.handler = handler
    self.paths = paths
    self.everyWrite = everyWrite
    self.hasEvents = hasEvents
    let places = WatchedPlaces(paths)
    state = Mutex(State(places: places))
    if let events = listen(places) { use(events, at: places) } else { beginLooking() }
  }

  deinit { cancel() }

  /// Whether it looks by itself for want of events.
  var isLooking: Bool { state.withLock { $0.isLooking } }

  /// No more calls of the handler begin after this.
  package func cancel() {
    let events = state.withLock { state -> FolderEvents? in
      state.isCancelled = true
      defer { state.events = nil }
      return state.events
    }
    events?.cancel()
  }

  /// nil where the system has no more events to give, or a folder has just gone.
  private func listen(_ places: WatchedPlaces) -> FolderEvents? {
    guard hasEvents() else { return nil }
    let listened = places.listened
    return FolderEvents(
      listened.sorted(), selves: Set(places.folders.keys).union(listened).sorted(), everyWrite: everyWrite,
      queue: queue
    ) { [weak self] folder, name in
      self?.changed(folder, name)
    }
  }

  /// On the queue. A nil name means that anything in the folder may have changed, or the folder is another.
  private func changed(_ folder: String, _ name: String?) {
    note(isStale: name == nil) { $0.touched(folder, name) }
  }

  /// - Parameter touched: the paths that are told when nothing more has come for a while.
  private func note(isStale: Bool = false, _ touched: (WatchedPlaces) -> Set<String>) {
    let mustWait = state.withLock { state -> Bool in
      let touched = touched(state.places)
      guard !touched.isEmpty else { return false }
      state.changed.formUnion(touched)
      if isStale { state.isStale = true }
      guard !state.isWaiting else { return false }
      state.isWaiting = true
      return true
    }
    guard mustWait else { return }
    queue.asyncAfter(deadline: .now() + debounce) { [weak self] in self?.tell() }
  }

  /// Looks where the paths lead now, listens there, and only then tells: what was saved meanwhile is told too.
  private func tell() {
    let known = state.withLock { state in
      state.isCancelled ? nil : (state.places, state.isStale)
    }
    guard let (places, isStale) = known else { return }
    let next = WatchedPlaces(paths)
    if next != places || isStale {
      if let events = listen(next) {
        use(events, at: next)
        // A folder may have come, or gone, while its neighbours were looked at.
        if WatchedPlaces(paths) != next { again() }
      } else {
        beginLooking()
      }
    }
    let paths = state.withLock { state -> [String] in
      defer {
        state.changed = []
        state.isWaiting = false
      }
      return state.isCancelled ? [] : state.changed.sorted()
    }
    if !paths.isEmpty { handler(paths) }
  }

  private func use(_ events: FolderEvents, at places: WatchedPlaces) {
    let old = state.withLock { state -> FolderEvents? in
      guard !state.isCancelled else { return events }
      defer {
        state.places = places
        state.events = events
        state.isStale = false
      }
      return state.events
    }
    events.resume()
    old?.cancel()
  }

  private func beginLooking() {
    let begins = state.withLock { state in
      defer { state.isLooking = true }
      return !state.isLooking
    }
    if begins { look(since: FileMark.all(of: paths)) }
  }

  /// Compares the files with what they were, a second from now and so on until there are events.
  private func look(since before: [String: FileMark]) {
    queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self, !state.withLock({ $0.isCancelled }) else { return }
      let places = WatchedPlaces(paths)
      let events = listen(places)
      if let events {
        state.withLock { $0.isLooking = false }
        use(events, at: places)
      }
      let now = FileMark.all(of: paths)
      let changed = Set(paths).filter { now[$0] != before[$0] }
      guard !state.withLock({ $0.isCancelled }) else { return }
      if !changed.isEmpty { handler(changed.sorted()) }
      if events == nil { look(since: now) }
    }
  }

  /// Calls the handler with these paths as if they had been saved now.
  func tell(_ paths: [String]) { note { _ in Set(paths) } }

  private func again() {
    queue.async { [weak self] in
      guard let self else { return }
      state.withLock { state in
        state.changed.formUnion(paths)
        state.isStale = true
      }
      tell()
    }
  }
}
