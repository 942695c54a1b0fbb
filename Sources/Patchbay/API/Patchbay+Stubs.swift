import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Stubs for all sessions of the process. Each method does what the one of the same name in ``StubDeclaring`` does, where
/// order, names, `times` and mistakes are explained.
///
/// Nothing else has to be called: the first stub reaches `URLSession.shared`, every session that is alive and every later
/// one, as ``attach()`` does, and links to no console.
extension Patchbay {
  private static let everywhere = StubDeclaration(scope: nil)

  /// Answers requests that fit the pattern.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/users/*"), respond: .json(["name": "Ann"]))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - response: The answer, with its delay and pace.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, respond response: CannedResponse, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    everywhere.stub(pattern, respond: response, name: name, times: times)
  }

  /// Makes requests that fit the pattern fail with that code.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/feed"), fail: .timedOut, delay: .seconds(2))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - code: The program sees a `URLError` of this code, with the failing URL in it.
  ///   - delay: How long it takes to fail; nil is at once.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, fail code: URLError.Code, delay: Duration? = nil, name: String? = nil,
    times: Int? = nil
  ) -> StubToken {
    everywhere.stub(pattern, fail: code, delay: delay, name: name, times: times)
  }

  /// Makes requests that fit the pattern fail with any error, as the program's code sees it: its own type stays.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - error: The program gets this very value.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, fail error: any Error & Sendable, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    everywhere.stub(pattern, fail: error, name: name, times: times)
  }

  /// Answers by code requests that fit the pattern, or all of them. `stub(_:respond:)` with a closure is the same, and
  /// `handle(_:)` the same for all requests: take whichever reads best.
  ///
  /// ```swift
  /// Patchbay.stub(matching: .put("*/upload")) { request in
  ///   guard request.httpBody?.isEmpty == false else { throw URLError(.badURL) }
  ///   return try .json(encoding: Receipt(id: 7), status: 201)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; without one every request fits.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  ///   - handler: Gets the request as patterns see it, with its body and the session's header fields, and gives the
  ///     answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    matching pattern: RequestPattern = RequestPattern(), name: String? = nil, times: Int? = nil,
    _ handler: @escaping StubHandler
  ) -> StubToken {
    everywhere.stub(matching: pattern, name: name, times: times, handler)
  }

  /// Answers by code requests that fit the pattern: ``stub(matching:name:times:_:)`` with the pattern first.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/users/*")) { request in .text(request.url?.lastPathComponent ?? "") }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  ///   - handler: Gets the request as patterns see it, with its body and the session's header fields, and gives the
  ///     answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, name: String? = nil, times: Int? = nil, respond handler: @escaping StubHandler
  ) -> StubToken {
    everywhere.stub(pattern, name: name, times: times, respond: handler)
  }

  /// Answers by code requests that fit the pattern, with a `HTTPURLResponse` and its body.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/users/*")) { request in
  ///   (HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!, Data("{}".utf8))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  ///   - responder: Gets the request as patterns see it. The response's URL is not looked at.
  /// - Returns: What takes the stub away again.
  @discardableResult
  @_disfavoredOverload
  public static func stub(
    _ pattern: RequestPattern, name: String? = nil, times: Int? = nil, respond responder: @escaping StubResponder
  ) -> StubToken {
    everywhere.stub(pattern, name: name, times: times, respond: responder)
  }

  /// Lets code answer every request with a `HTTPURLResponse` and its body.
  ///
  /// - Parameter responder: Gets the request as patterns see it. The response's URL is not looked at.
  /// - Returns: What takes the stub away again.
  @discardableResult
  @_disfavoredOverload
  public static func handle(_ responder: @escaping StubResponder) -> StubToken { everywhere.handle(responder) }

  /// Lets requests that fit the pattern go to the network, changed on their way or with the answer changed.
  ///
  /// ```swift
  /// Patchbay.stub(.get("https://api.example.com/*"), pass: PassChanges(to: "http://127.0.0.1:8080"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - changes: Where it goes, what is sent instead, and what is changed of the answer.
  ///   - name: Shown in the console; unique, or a number is added. nil is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, pass changes: PassChanges, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    everywhere.stub(pattern, pass: changes, name: name, times: times)
  }

  /// Answers requests for which the predicate holds.
  ///
  /// - Parameters:
  ///   - predicate: Asked for each request, on the request's path; keep it quick.
  ///   - name: Shown in the console, where the answer counts as code; nil is `predicate`.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  ///   - response: The answer, with its delay and pace.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(
    where predicate: @escaping @Sendable (URLRequest) -> Bool, name: String? = nil, times: Int? = nil,
    respond response: CannedResponse
  ) -> StubToken {
    everywhere.stub(where: predicate, name: name, times: times, respond: response)
  }

  /// Lets code answer every request, as the `requestHandler` of a hand-written `URLProtocol` mock does. Named `handler`;
  /// a second one takes the place of the first, whose token then does nothing.
  ///
  /// - Parameter handler: Gets the request as patterns see it, with its body and the session's header fields, and gives
  ///   the answer or throws the error that the request fails with.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func handle(_ handler: @escaping StubHandler) -> StubToken { everywhere.handle(handler) }

  /// Adds a stub with everything a stub file can say: sequences, chance, skip, changes of the network's answer.
  ///
  /// ```swift
  /// Patchbay.stub(Stub(name: "flaky", when: .get("*/feed"), then: .fail(Fault(.named("timedOut"))), chance: 0.1))
  /// ```
  ///
  /// - Parameter stub: Its name is made unique by a number.
  /// - Returns: What takes the stub away again.
  @discardableResult
  public static func stub(_ stub: Stub) -> StubToken { everywhere.stub(stub) }
}
