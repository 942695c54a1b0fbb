import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Patchbay {
  /// Answers requests that fit the pattern.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/users/*"), respond: .json(["name": "Ann"]))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - response: The answer, with its delay and pace.
  ///   - name: Shown in the console; unique, or a number is added. Without one it is made of the pattern.
  ///   - times: How many requests it takes before it no longer matches; nil is without end.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, respond response: CannedResponse, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    StubDeclaration(scope: nil).stub(pattern, respond: response, name: name, times: times)
  }

  /// Makes requests that fit the pattern fail with that code, such as `.timedOut`.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, fail code: URLError.Code, delay: Duration? = nil, name: String? = nil,
    times: Int? = nil
  ) -> StubToken {
    StubDeclaration(scope: nil).stub(pattern, fail: code, delay: delay, name: name, times: times)
  }

  /// Makes requests that fit the pattern fail with any error.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, fail error: any Error & Sendable, name: String? = nil, times: Int? = nil
  ) -> StubToken {
    stub(matching: pattern, name: name, times: times) { _ in throw error }
  }

  /// Answers by code: the closure gets the request, with its body, and gives the answer or throws the error that the
  /// request is to fail with.
  @discardableResult
  public static func stub(
    matching pattern: RequestPattern = RequestPattern(), name: String? = nil, times: Int? = nil,
    _ handler: @escaping StubHandler
  ) -> StubToken {
    StubDeclaration(scope: nil).stub(matching: pattern, name: name, times: times, handler)
  }

  /// The same, with the pattern first: `stub(.get("*/users/*")) { request in … }`.
  @discardableResult
  public static func stub(
    _ pattern: RequestPattern, name: String? = nil, times: Int? = nil, respond handler: @escaping StubHandler
  ) -> StubToken {
    stub(matching: pattern, name: name, times: times, handler)
  }

  /// Answers requests for which the predicate holds.
  ///
  /// - Parameter predicate: Called for each request; keep it quick.
  @discardableResult
  public static func stub(
    where predicate: @escaping @Sendable (URLRequest) -> Bool, name: String? = nil, times: Int? = nil,
    respond response: CannedResponse
  ) -> StubToken {
    StubDeclaration(scope: nil).stub(where: predicate, name: name, times: times, respond: response)
  }

  /// Lets code answer every request, as the `requestHandler` of a hand-written `URLProtocol` mock does.
  @discardableResult
  public static func handle(_ handler: @escaping StubHandler) -> StubToken {
    stub(name: "handler", handler)
  }

  /// Adds a stub with everything a stub file can say: sequences, chance, skip, changes of the network's answer.
  @discardableResult
  public static func stub(_ stub: Stub) -> StubToken {
    StubDeclaration(scope: nil).add(stub)
  }
}
