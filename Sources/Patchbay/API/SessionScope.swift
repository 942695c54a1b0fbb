import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Stubs for the sessions of one test alone, so that tests can run in parallel.
///
/// ```swift
/// let scope = Patchbay.scope()
/// defer { scope.close() }
/// scope.stub(.get("*/users/7"), respond: .json(["name": "Ann"]))
/// let session = URLSession(configuration: scope.configuration(.ephemeral))
/// ```
///
/// Only sessions made from ``configuration(_:)`` see these stubs, before those for all sessions. The server sees nothing
/// of it: the mark is a class of the scope's own in the configuration's `protocolClasses`. A scope that is not closed
/// closes itself when it is let go.
public final class SessionScope: StubDeclaring, Sendable {
  /// Tells the sessions of one scope from all others.
  struct Mark: Hashable, Sendable {
    let type: ObjectIdentifier
  }

  let mark: Mark
  private let protocolClass: PatchbayURLProtocol.Type
  private let number: Int
  private let isClosed = Mutex(false)

  init() {
    (number, protocolClass) = ScopeClasses.open()
    mark = Mark(type: ObjectIdentifier(protocolClass))
  }

  deinit { close() }

  /// The configuration with this scope's hook in front.
  ///
  /// - Parameter configuration: Is not changed.
  /// - Returns: A copy, for sessions that are to see the scope's stubs.
  public func configuration(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
    configuration.patched(by: protocolClass)
  }

  /// A session made from ``configuration(_:)``.
  ///
  /// - Parameter configuration: Is not changed.
  public func session(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSession {
    URLSession(configuration: self.configuration(configuration))
  }

  /// Whether a request of these sessions fails, with ``PatchbayError/unstubbed(method:url:)``, where no stub takes it.
  public var isStrict: Bool {
    get { Hook.current.controller.code.strictness.scopes.contains(mark) }
    set {
      Hook.current.controller.changeCode { code in
        if newValue { code.strictness.scopes.insert(mark) } else { code.strictness.scopes.remove(mark) }
      }
    }
  }

  /// What these sessions have asked for, in order; see ``Patchbay/exchanges``.
  public var exchanges: [Exchange] { Hook.current.controller.log.exchanges(of: mark) }

  public func declare(
    _ stub: Stub, handler: StubHandler?, where predicate: (@Sendable (URLRequest) -> Bool)?
  ) -> StubToken {
    StubDeclaration(scope: mark).declare(stub, handler: handler, where: predicate)
  }

  /// Removes the scope's stubs. Its sessions go on as if they had none.
  public func close() {
    let wasOpen = isClosed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    guard wasOpen else { return }
    Hook.current.controller.changeCode { $0.remove(mark) }
    Hook.current.controller.log.forget(mark)
    ScopeClasses.close(number)
  }
}

/// The hook once more, as a class that only one scope's sessions carry. Foundation tells a protocol class nothing of
/// the session, so the class itself is the mark; the type parameter makes as many classes as are needed.
private final class ScopedURLProtocol<Number>: PatchbayURLProtocol {
  override class var scope: SessionScope.Mark? { SessionScope.Mark(type: ObjectIdentifier(self)) }
}

/// Gives a class to each scope that is open. Those of closed scopes are used again, the longest closed first and
/// not soon, for a closed scope's sessions may still be at work.
private enum ScopeClasses {
  private struct State {
    var free: [Int] = []
    var count = 0
  }

  private static let state = Mutex(State())
  /// How many classes rest before one is used again.
  private static let rest = 256

  static func open() -> (number: Int, type: PatchbayURLProtocol.Type) {
    let number = state.withLock { state in
      if state.free.count > rest { return state.free.removeFirst() }
      state.count += 1
      return state.count
    }
    return (number, type(of: number))
  }

  static func close(_ number: Int) {
    state.withLock { $0.free.append(number) }
  }

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
