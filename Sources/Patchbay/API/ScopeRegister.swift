import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The scopes of this process, each with the class that marks its sessions, and who still has a use for it.
enum ScopeRegister {
  /// A configuration or a session that was made with a scope. Only looked at for being there.
  private struct User: @unchecked Sendable {
    weak var object: AnyObject?
  }

  private struct Entry: Sendable {
    let mark: SessionScope.Mark
    let number: Int
    /// The program has let go of the scope itself.
    var isLetGo = false
    var users: [User] = []
  }

  private struct State {
    /// By the classes.
    var entries: [ObjectIdentifier: Entry] = [:]
    var open: Set<SessionScope.Mark> = []
    /// The numbers of classes that no session has any more, the longest free first.
    var free: [Int] = []
    var count = 0
    var lastMark: UInt64 = 0
  }

  private static let state = Mutex(State())
  /// How many classes rest before one is used again: a copy of a configuration may have one without our knowing.
  private static let rest = 256

  static func open() -> (mark: SessionScope.Mark, type: PatchbayURLProtocol.Type) {
    clear()
    let (mark, number) = state.withLock { state in
      state.lastMark += 1
      let mark = SessionScope.Mark(number: state.lastMark)
      if state.free.count > rest { return (mark, state.free.removeFirst()) }
      state.count += 1
      return (mark, state.count)
    }
    let type = type(of: number)
    state.withLock { state in
      state.entries[ObjectIdentifier(type)] = Entry(mark: mark, number: number)
      state.open.insert(mark)
    }
    return (mark, type)
  }

  /// The scope that the class marks, open or closed; nil once no session has the class any more.
  static func mark(of type: AnyClass) -> SessionScope.Mark? {
    state.withLock { $0.entries[ObjectIdentifier(type)]?.mark }
  }

  static func isOpen(_ type: AnyClass) -> Bool {
    state.withLock { state in state.entries[ObjectIdentifier(type)].map { state.open.contains($0.mark) } ?? false }
  }

  static func isOpen(_ mark: SessionScope.Mark) -> Bool { state.withLock { $0.open.contains(mark) } }

  static var hasOpen: Bool { state.withLock { !$0.open.isEmpty } }

  /// The scope lives at least as long as the configuration or session does.
  static func note(_ user: AnyObject, of type: AnyClass) {
    let key = ObjectIdentifier(type)
    let users = state.withLock { state in
      state.entries[key]?.users.append(User(object: user))
      return state.entries[key]?.users ?? []
    }
    // Now and then those that are gone are forgotten.
    guard users.count >= 64, users.count.nonzeroBitCount == 1 else { return }
    let alive = users.filter { $0.object != nil }
    state.withLock { state in
      if state.entries[key]?.users.count == users.count { state.entries[key]?.users = alive }
    }
  }

  /// Notes a session by the class among its configuration's that marks a scope, if one does.
  static func note(_ session: URLSession) {
    for type in session.configuration.protocolClasses ?? []
    where (type as? PatchbayURLProtocol.Type)?.marksScope == true {
      note(session, of: type)
    }
  }

  /// How many are known, gone or not.
  static func countOfUsers(of type: AnyClass) -> Int {
    state.withLock { $0.entries[ObjectIdentifier(type)]?.users.count ?? 0 }
  }

  static func close(_ type: AnyClass) {
    let mark = state.withLock { state in state.entries[ObjectIdentifier(type)].flatMap { state.open.remove($0.mark) } }
    // The declaring of a stub looks whether the scope is open while it changes the stubs.
    if let mark { Hook.current.controller.changeCode { $0.remove(mark) } }
  }

  static func letGo(_ type: AnyClass) {
    state.withLock { $0.entries[ObjectIdentifier(type)]?.isLetGo = true }
    clear()
  }

  /// Closes what nobody has a use for any more, and frees the classes that no session has.
  private static func clear() {
    let unused = state.withLock { $0.entries.filter { $0.value.isLetGo } }
    // Looked at outside the lock: the program's code may run when a session ends.
    for (key, entry) in unused where !entry.users.contains(where: { $0.object != nil }) {
      let mark = state.withLock { state -> SessionScope.Mark? in
        guard let now = state.entries[key], now.mark == entry.mark, now.users.count == entry.users.count else {
          return nil
        }
        state.entries[key] = nil
        state.free.append(entry.number)
        return state.open.remove(now.mark)
      }
      if let mark { Hook.current.controller.changeCode { $0.remove(mark) } }
    }
  }

  // MARK: Classes

  private enum Zero<Rest> {}
  private enum One<Rest> {}

  /// The class whose type parameter spells the number in binary. The same number gives the same class.
  private static func type(of number: Int) -> PatchbayURLProtocol.Type {
    var spelled: any Any.Type = Void.self
    var rest = number
    while rest > 0 {
      func zero<Rest>(_: Rest.Type) -> any Any.Type { Zero<Rest>.self }
      func one<Rest>(_: Rest.Type) -> any Any.Type { One<Rest>.self }
      spelled = rest & 1 == 0 ? _openExistential(spelled, do: zero) : _openExistential(spelled, do: one)
      rest >>= 1
    }
    func scoped<Number>(_: Number.Type) -> PatchbayURLProtocol.Type { ScopedURLProtocol<Number>.self }
    return _openExistential(spelled, do: scoped)
  }
}

/// The hook once more, as a class that only one scope's sessions carry. Foundation tells a protocol class nothing of
/// the session, so the class itself is the mark; the type parameter makes as many classes as are needed.
private final class ScopedURLProtocol<Number>: PatchbayURLProtocol {
  override class var marksScope: Bool { true }
  override class var scope: SessionScope.Mark? { ScopeRegister.mark(of: self) }
  override class var snapshot: HookSnapshot { ScopeRegister.isOpen(self) ? super.snapshot : .ofClosedScope }
}

extension HookSnapshot {
  /// By which each request is refused.
  fileprivate static var ofClosedScope: HookSnapshot {
    HookSnapshot(active: true, stubs: refusing, sink: HookState.shared.snapshot.sink)
  }

  private static let refusing: StubDecider = {
    var code = CodeStubs()
    _ = code.add(
      CodeStub(
        stub: Stub(name: "closed scope", then: .code),
        answer: { request in
          throw PatchbayError.scopeClosed(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "")
        }))
    return StubDecider(StubPush(set: StubSet()), code: code, counters: SharedCounters()) { _ in }
  }()
}
