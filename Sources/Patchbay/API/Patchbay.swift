import Foundation
@_exported import PatchbayStubs
@_exported import PatchbayWire

/// Patchbay inside a program: the link to a console, and stubs in code that work without one.
///
/// All members may be used from any thread.
public enum Patchbay {
  /// Attaches the program to a console and puts the hook into `URLSession.shared`, into every session that is alive and
  /// into every later one. It is never too late: tasks that have begun are left alone, and a session's next task is seen.
  /// (On other systems than Linux, and where the Swift runtime is linked statically: into `URLSession.shared` and the
  /// sessions whose configuration is `patched()`.)
  ///
  /// The console is found by `PATCHBAY_SOCKET`, else at the default socket. If one takes the connection this waits for
  /// its stubs, at most 250 ms; if none is there it returns at once and the link is made when one appears. Later calls
  /// return at once.
  ///
  /// - Returns: How it stands. Nothing is ever printed, except under `PATCHBAY_DEBUG`.
  @discardableResult
  public static func attach() -> AttachState {
    LinkedSessions.hookAll()
    Hook.current.link.begin(.attach)
    return state
  }

  /// How the link stands now.
  public static var state: AttachState {
    let link = Hook.current.link
    let stand: AttachState.Link =
      switch link.phase {
      case .new: .notAttached
      case .waiting: .waiting
      case .connecting: .connecting
      case .linked: .linked
      case .refused(let reason): .refused(reason)
      }
    return AttachState(link: stand, socket: link.address.path)
  }

  /// What was asked, in order, with what came of it. At most the last 10,000 are kept, and of bodies 256 MiB: those of
  /// the oldest go first, which then are `truncated`.
  ///
  /// Recorded from the first stub in code, or from the first look at this property; a program that uses neither pays
  /// nothing. Works without a console.
  ///
  /// Requests are seen of every session that ``attach()`` would see.
  public static var exchanges: [Exchange] {
    LinkedSessions.hookAll()
    return Hook.current.controller.log.exchanges()
  }

  /// Whether a request that no stub takes fails with ``PatchbayError/unstubbed(method:url:)``: of every session that
  /// ``attach()`` would see.
  public static var isStrict: Bool {
    get { Hook.current.controller.code.strictness.everywhere }
    set {
      if newValue { LinkedSessions.hookAll() }
      Hook.current.controller.changeCode { $0.strictness.everywhere = newValue }
    }
  }

  /// Stubs for the sessions of one test alone; see ``SessionScope``.
  ///
  /// - Returns: A scope that is open until it is closed, or until it and the sessions made with it are let go of.
  public static func scope() -> SessionScope { SessionScope() }

  /// Removes the stubs in code that are for all sessions, forgets ``exchanges`` and sets strict mode back. Scopes keep
  /// their stubs, their strictness and their exchanges, and the console's stubs stay: a test may call it while others run.
  public static func reset() { Hook.current.controller.resetCode() }
}

/// What the library itself makes a request fail with.
public enum PatchbayError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// In strict mode: no stub takes the request.
  case unstubbed(method: String, url: String)
  /// The request's session was made with a scope that is closed.
  case scopeClosed(method: String, url: String)
  /// The stub that takes the request was declared with a mistake: an unknown fault, an expression or a template that
  /// cannot be read. In a debug build the declaration traps instead.
  case wrongStub(name: String, reason: String)
  /// Not as many requests were made as ``Patchbay/verify(_:count:)-(_,Int?)`` asks for: how many, and which came nearest.
  case unverified(String)

  /// A sentence that names the request and the way out.
  public var description: String {
    switch self {
    case .unstubbed(let method, let url):
      "No stub takes \(method) \(url), and strict mode lets nothing through: add a stub, or set Patchbay.isStrict to false."
    case .scopeClosed(let method, let url):
      "The scope of the session that asks for \(method) \(url) is closed: close it after the last request, or make a new session."
    case .wrongStub(let name, let reason):
      "The stub `\(name)` in the program's code is wrong: \(reason)\(reason.hasSuffix("?") ? "" : ".")"
    case .unverified(let sentence): sentence
    }
  }

  /// What `localizedDescription` says: the ``description``.
  public var errorDescription: String? { description }
}
