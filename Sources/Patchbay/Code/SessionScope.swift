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
public final class SessionScope: Sendable {
  /// Tells the sessions of one scope from all others.
  struct Mark: Hashable, Sendable {
    let type: ObjectIdentifier
  }

  let mark: Mark
  private let protocolClass: PatchbayURLProtocol.Type
  private let number: Int
  private let isClosed = Mutex(false)

  init() {
    (number, protocolClass) = ScopeClasses.take()
    mark = Mark(type: ObjectIdentifier(protocolClass))
  }

  deinit { close() }

  /// The configuration with this scope's hook in front.
  public func configuration(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
    configuration.patched(by: protocolClass)
  }

  /// A session made from ``configuration(_:)``.
  public func session(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSession {
    URLSession(configuration: self.configuration(configuration))
  }

  /// Whether a request of these sessions fails where no stub takes it.
  public var isStrict: Bool {
    get { Hook.current.director.code.strictness.scopes.contains(mark) }
    set {
      Hook.current.director.changeCode { code in
        if newValue { code.strictness.scopes.insert(mark) } else { code.strictness.scopes.remove(mark) }
      }
    }
  }

  /// What these sessions have asked for, in order; see ``Patchbay/exchanges``.
  public var exchanges: [Exchange] { Hook.current.director.log.exchanges(of: mark) }

  /// Removes the scope's stubs. Its sessions go on as if they had none.
  public func close() {
    let wasOpen = isClosed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    guard wasOpen else { return }
    Hook.current.director.changeCode { $0.remove(mark) }
    Hook.current.director.log.forget(mark)
    ScopeClasses.giveBack(number)
  }
}
