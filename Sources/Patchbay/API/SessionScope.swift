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
/// of it: the mark is a class of the scope's own in the configuration's `protocolClasses`.
///
/// A scope lives until it is closed, or until it is let go of and no session or configuration made with it is left. (Where
/// the program's sessions are not known, see ``Patchbay/attach()``, only those made by ``session(_:)`` and configurations
/// count.) The requests of a closed scope's sessions fail with ``PatchbayError/scopeClosed(method:url:)``, so that none gets
/// to the network.
public final class SessionScope: StubDeclaring, Sendable {
  /// Tells one scope from all others that there ever are.
  struct Mark: Hashable, Sendable {
    let number: UInt64
  }

  @TaskLocal private static var entered: SessionScope?

  let mark: Mark
  let protocolClass: PatchbayURLProtocol.Type

  init() {
    (mark, protocolClass) = ScopeRegister.open()
    // What is asked is known from now on, also where there is no stub. A console is looked for as by the first request.
    Hook.knock()
    _ = Hook.current.controller.log
  }

  deinit { ScopeRegister.letGo(protocolClass) }

  /// The configuration with this scope's hook in front.
  ///
  /// - Parameter configuration: Is not changed.
  /// - Returns: A copy, for sessions that are to see the scope's stubs.
  public func configuration(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
    let own = configuration.patched(by: protocolClass)
    ScopeRegister.note(own, of: protocolClass)
    return own
  }

  /// A session made from ``configuration(_:)``.
  ///
  /// - Parameter configuration: Is not changed.
  public func session(_ configuration: URLSessionConfiguration = .ephemeral) -> URLSession {
    let own = self.configuration(configuration)
    defer { withExtendedLifetime(own) {} }
    let session = URLSession(configuration: own)
    if !LinkedSessions.areSeen { ScopeRegister.note(session, of: protocolClass) }
    return session
  }

  /// Whether a request of these sessions fails, with ``PatchbayError/unstubbed(method:url:)``, where no stub takes it.
  public var isStrict: Bool {
    get { Hook.current.controller.code.strictness.scopes.contains(mark) }
    set {
      Hook.current.controller.changeCode { code in
        guard newValue, ScopeRegister.isOpen(mark) else {
          code.strictness.scopes.remove(mark)
          return
        }
        code.strictness.scopes.insert(mark)
      }
    }
  }

  /// What these sessions have asked for, in order; see ``Patchbay/exchanges``.
  public var exchanges: [Exchange] { Hook.current.controller.log.exchanges(of: mark) }

  /// Declares a stub as ``StubDeclaring`` says. On a closed scope it does nothing.
  @discardableResult
  public func declare(
    _ stub: Stub, handler: StubHandler?, where predicate: (@Sendable (URLRequest) -> Bool)?
  ) -> StubToken {
    StubDeclaration(scope: mark).declare(stub, handler: handler, where: predicate)
  }

  /// Lets code answer every request, as ``StubDeclaring`` says. On a closed scope it does nothing.
  @discardableResult
  public func handle(_ handler: @escaping StubHandler) -> StubToken {
    StubDeclaration(scope: mark).handle(handler)
  }

  /// The scope in which the current task runs; nil where it runs in none. See ``run(_:)-(()->Result)``.
  public static var current: SessionScope? { entered }

  /// Runs code in the scope: every session that is made by it, and by tasks that it starts, has the scope's stubs,
  /// without being made from ``configuration(_:)``. (Where the program's sessions are not known, see
  /// ``Patchbay/attach()``, only those made from it do.) `URLSession.shared` belongs to no scope.
  ///
  /// - Parameter body: May throw, which is passed on.
  /// - Returns: What the code returns.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$entered.withValue(self) { try body() }
  }

  /// Runs code in the scope, as the other one does.
  ///
  /// - Parameters:
  ///   - isolation: Where the code runs.
  ///   - body: May throw, which is passed on.
  /// - Returns: What the code returns.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$entered.withValue(self, operation: body, isolation: isolation)
  }

  /// Removes the scope's stubs. Later requests of its sessions fail, with ``PatchbayError/scopeClosed(method:url:)``; those
  /// under way get their answers. ``exchanges`` stay.
  public func close() { ScopeRegister.close(protocolClass) }
}
