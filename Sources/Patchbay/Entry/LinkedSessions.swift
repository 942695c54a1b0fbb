import CHookSessions
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sessions of a program that links the hook, known weakly from when they are made, so that nothing comes too late
/// for one. Nothing is done to them before the program asks for it.
///
/// Where FoundationNetworking is linked into the program too (a static Swift runtime), and on other systems than Linux,
/// none is known but `URLSession.shared`.
enum LinkedSessions {
  private struct Noted: Sendable {
    weak var session: URLSession?
  }

  private struct State {
    /// The program has attached or declared a stub.
    var isHooking = false
    var noted: [Noted] = []
    /// How many are noted when those that are gone are looked for again.
    var limit = 64
  }

  private static let state = Mutex(State())

  /// Whether each session is known.
  static let areSeen = patchbay_sessions_are_seen() != 0

  /// Hears of each session from now on. Called when the image is loaded.
  static func listen() {
    patchbay_sessions_begin { session, isNew in
      guard let session else { return }
      LinkedSessions.note(Unmanaged<URLSession>.fromOpaque(session).takeUnretainedValue(), isNew: isNew != 0)
    }
  }

  /// Puts the hook into `URLSession.shared`, into every session that is alive and into every later one. May be called
  /// again: a program may have taken the hook out of a session.
  static func hookAll() {
    let alive = state.withLock { state in
      state.isHooking = true
      return state.noted.compactMap(\.session)
    }
    for session in alive { HookInsertion.insert(into: session, isNew: false) }
    guard !areSeen else { return }
    #if !os(Linux)
      _ = URLProtocol.registerClass(PatchbayURLProtocol.self)
    #endif
    HookInsertion.insert(into: .shared, isNew: false)
  }

  static var isHooking: Bool { state.withLock { $0.isHooking } }

  private static func note(_ session: URLSession, isNew: Bool) {
    if isNew, let scope = SessionScope.current, ScopeRegister.isOpen(scope.mark) {
      HookInsertion.insert(into: session, isNew: true, as: scope.protocolClass)
    }
    ScopeRegister.note(session)
    // What is found alive is let go of outside the lock: the program's code may run when a session ends.
    var alive: [URLSession] = []
    let isHooking = state.withLock { state in
      if state.noted.count >= state.limit {
        alive = state.noted.compactMap(\.session)
        state.noted = alive.map { Noted(session: $0) }
        state.limit = max(64, alive.count * 2)
      }
      state.noted.append(Noted(session: session))
      return state.isHooking
    }
    if isHooking { HookInsertion.insert(into: session, isNew: isNew) }
  }
}
