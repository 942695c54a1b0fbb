import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers one request by code.
///
/// Called on threads of the hook's own, several at once; it may wait and even block. What it throws is the error that the
/// request fails with; a `URLError` stays one.
public typealias StubHandler = @Sendable (URLRequest) async throws -> CannedResponse

/// Answers one request by code, with what a hand-written `URLProtocol` mock hands to its client. Where a closure fits both,
/// it is a ``StubHandler``.
public typealias StubResponder = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data)

/// A stub in code that can be taken away again. Letting go of the token leaves the stub. It is of this one stub: a later
/// one of the same name is another.
public struct StubToken: Hashable, Sendable {
  let id: UInt64

  /// The name that the stub has in the console and in ``Patchbay/exchanges``.
  public let name: String

  /// Removes the stub. Requests that it took already are answered by it. Later calls do nothing.
  public func remove() {
    let id = id
    Hook.current.controller.changeCode { $0.remove(id) }
  }
}

/// Where stubs are declared in code: ``SessionScope``, for the sessions of one test. For all sessions of the process
/// ``Patchbay`` has the same methods.
///
/// The first stub that matches wins, in the order of declaration; those of a scope come before those for all sessions,
/// and a console's after both (there each of them can be switched off or overridden). Each method names its stub by
/// `name`, which the console shows and which is made unique by a number; without one the name is made of the pattern.
/// `times` is how many requests it takes before it no longer matches; nil is without end.
///
/// None of them throws. A mistake (the name of a fault that there is not, an expression or a template that cannot be read)
/// traps in a debug build, with a sentence; in a release build the requests that the stub takes fail with that sentence,
/// ``PatchbayError/wrongStub(name:reason:)``.
public protocol StubDeclaring {
  /// Declares a stub, and with it code that no stub file can hold. The other methods are made of this one.
  ///
  /// - Parameters:
  ///   - stub: Everything else. Where `handler` answers, its action is `.code`.
  ///   - handler: Answers in the place of the stub's action; nil leaves that to the action.
  ///   - predicate: Asked for each request that the stub's pattern fits, with its body and the session's header fields;
  ///     keep it quick. nil is always true.
  /// - Returns: What takes the stub away again.
  @discardableResult
  func declare(
    _ stub: Stub, handler: StubHandler?, where predicate: (@Sendable (URLRequest) -> Bool)?
  ) -> StubToken

  /// Lets code answer every request, as the `requestHandler` of a hand-written `URLProtocol` mock does. Named `handler`;
  /// a second one takes the place of the first, whose token then does nothing.
  ///
  /// - Parameter handler: Gets the request as patterns see it, with its body and the session's header fields, and gives
  ///   the answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  func handle(_ handler: @escaping StubHandler) -> StubToken
}

extension StubDeclaring {
  /// Answers requests that fit the pattern.
  ///
  /// ```swift
  /// scope.stub(.get("*/users/*"), respond: .json(["name": "Ann"]))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - response: The answer, with its delay and pace.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    _ pattern: RequestPattern, respond response: CannedResponse, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    stub(Stub(pattern, respond: response, name: name, times: times))
  }

  /// Makes requests that fit the pattern fail with that code.
  ///
  /// ```swift
  /// scope.stub(.get("*/feed"), fail: .timedOut, delay: .seconds(2))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - code: The program sees a `URLError` of this code, with the failing URL in it.
  ///   - delay: How long it takes to fail; nil is at once.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    _ pattern: RequestPattern, fail code: URLError.Code, delay: Duration? = nil, name: String? = nil,
    times: Int? = nil
  ) -> StubToken {
    stub(Stub(pattern, fail: code, delay: delay, name: name, times: times))
  }

  /// Makes requests that fit the pattern fail with any error, as the program's code sees it: its own type stays.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - error: The program gets this very value.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    _ pattern: RequestPattern, fail error: any Error & Sendable, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    stub(matching: pattern, name: name, times: times) { _ in throw error }
  }

  /// Answers by code requests that fit the pattern, or all of them. `stub(_:respond:)` with a closure is the same, and
  /// `handle(_:)` the same for all requests: take whichever reads best.
  ///
  /// ```swift
  /// scope.stub(matching: .put("*/upload")) { request in
  ///   guard request.httpBody?.isEmpty == false else { throw URLError(.badURL) }
  ///   return try .json(encoding: Receipt(id: 7), status: 201)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; without one every request fits.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  ///   - handler: Gets the request as patterns see it, with its body and the session's header fields, and gives the
  ///     answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    matching pattern: RequestPattern = RequestPattern(), name: String? = nil, times: Int? = nil,
    _ handler: @escaping StubHandler
  ) -> StubToken {
    declare(
      Stub(name: name ?? pattern.summary, when: pattern, then: .code, times: times), handler: handler, where: nil)
  }

  /// Answers by code requests that fit the pattern: ``stub(matching:name:times:_:)`` with the pattern first.
  ///
  /// ```swift
  /// scope.stub(.get("*/users/*")) { request in .text(request.url?.lastPathComponent ?? "") }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  ///   - handler: Gets the request as patterns see it, with its body and the session's header fields, and gives the
  ///     answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    _ pattern: RequestPattern, name: String? = nil, times: Int? = nil, respond handler: @escaping StubHandler
  ) -> StubToken {
    stub(matching: pattern, name: name, times: times, handler)
  }

  /// Answers by code requests that fit the pattern, with a `HTTPURLResponse` and its body.
  ///
  /// ```swift
  /// scope.stub(.get("*/users/*")) { request in
  ///   (HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!, Data("{}".utf8))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  ///   - responder: Gets the request as patterns see it. The response's URL is not looked at.
  /// - Returns: What takes the stub away again.
  @discardableResult
  @_disfavoredOverload
  public func stub(
    _ pattern: RequestPattern, name: String? = nil, times: Int? = nil, respond responder: @escaping StubResponder
  ) -> StubToken {
    stub(matching: pattern, name: name, times: times) { try await CannedResponse(responder($0)) }
  }

  /// Lets code answer every request with a `HTTPURLResponse` and its body; see ``handle(_:)-(StubHandler)``.
  ///
  /// - Parameter responder: Gets the request as patterns see it. The response's URL is not looked at.
  /// - Returns: What takes the stub away again.
  @discardableResult
  @_disfavoredOverload
  public func handle(_ responder: @escaping StubResponder) -> StubToken {
    let handler: StubHandler = { try await CannedResponse(responder($0)) }
    return handle(handler)
  }

  /// Lets requests that fit the pattern go to the network, changed on their way or with the answer changed.
  ///
  /// ```swift
  /// scope.stub(.get("https://api.example.com/*"), pass: PassChanges(to: "http://127.0.0.1:8080"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - changes: Where it goes, what is sent instead, and what is changed of the answer.
  ///   - name: Shown in the console; nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    _ pattern: RequestPattern, pass changes: PassChanges, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    stub(Stub(pattern, pass: changes, name: name, times: times))
  }

  /// Answers requests for which the predicate holds.
  ///
  /// - Parameters:
  ///   - predicate: Asked for each request, on the request's path; keep it quick.
  ///   - name: Shown in the console, where the answer counts as code; nil is `predicate`.
  ///   - times: How many requests it takes; nil is without end.
  ///   - response: The answer, with its delay and pace.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(
    where predicate: @escaping @Sendable (URLRequest) -> Bool, name: String? = nil, times: Int? = nil,
    respond response: CannedResponse
  ) -> StubToken {
    declare(
      Stub(name: name ?? "predicate", then: .respond(response), times: times), handler: nil, where: predicate)
  }

  /// Adds a stub with everything a stub file can say: sequences, chance, skip, changes of the network's answer.
  ///
  /// ```swift
  /// scope.stub(Stub(name: "flaky", when: .get("*/feed"), then: .fail(Fault(.named("timedOut"))), chance: 0.1))
  /// ```
  ///
  /// - Parameter stub: Its name is made unique by a number.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public func stub(_ stub: Stub) -> StubToken { declare(stub, handler: nil, where: nil) }
}

/// Declares stubs for all sessions of the process, or for those of one scope.
struct StubDeclaration: StubDeclaring {
  var scope: SessionScope.Mark?
  /// A stub with a mistake ends a debug build.
  var traps = true

  @discardableResult
  func declare(
    _ stub: Stub, handler: StubHandler?, where predicate: (@Sendable (URLRequest) -> Bool)?
  ) -> StubToken {
    declare(CodeStub(stub: stub, answer: handler, accepts: predicate, scope: scope))
  }

  @discardableResult
  func handle(_ handler: @escaping StubHandler) -> StubToken {
    declare(CodeStub(stub: Stub(name: "handler", then: .code), answer: handler, scope: scope, isHandler: true))
  }

  private func declare(_ stub: CodeStub) -> StubToken {
    if scope == nil { LinkedSessions.hookAll() }
    let added = Hook.current.controller.declare(checked(stub))
    return StubToken(id: added.id, name: added.stub.name)
  }

  /// The stub; where it has a mistake, one that makes all it may have meant fail with the sentence.
  private func checked(_ stub: CodeStub) -> CodeStub {
    let mistakes = stub.stub.mistakes
    guard !mistakes.isEmpty else { return stub }
    let error = PatchbayError.wrongStub(name: stub.stub.name, reason: mistakes.joined(separator: ", and "))
    if traps { assertionFailure(error.description) }
    Hook.current.controller.say(error.description)
    var failing = stub
    failing.stub.when = stub.stub.when.withoutMistakes
    failing.stub.then = .code
    failing.answer = { _ in throw error }
    return failing
  }
}

extension RequestPattern {
  /// A name for a stub that was given none.
  var summary: String {
    let text: String? =
      switch (url ?? path ?? host)?.leaves.first {
      case .glob(let glob)?: glob
      case .matches(let expression)?: "~\(expression)"
      default: nil
      }
    return (methods + [text ?? "*"]).joined(separator: " ")
  }
}
