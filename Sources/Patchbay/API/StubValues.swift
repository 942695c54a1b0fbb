import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Stubs as values, in one line: for lists of them.
extension Stub {
  /// Answers requests that fit the pattern.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - response: The answer, with its delay and pace.
  ///   - name: nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  public init(_ pattern: RequestPattern, respond response: CannedResponse, name: String? = nil, times: Int? = nil) {
    self.init(name: name ?? pattern.summary, when: pattern, then: .respond(response), times: times)
  }

  /// Makes requests that fit the pattern fail with that code.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - code: The program sees a `URLError` of this code.
  ///   - delay: How long it takes to fail; nil is at once.
  ///   - name: nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  public init(
    _ pattern: RequestPattern, fail code: URLError.Code, delay: Duration? = nil, name: String? = nil, times: Int? = nil
  ) {
    let failure = Fault.Failure.custom(domain: URLErrorCode.domain, code: code.rawValue, message: nil)
    let fault = Fault(failure, delay: delay.map { .fixed($0) })
    self.init(name: name ?? pattern.summary, when: pattern, then: .fail(fault), times: times)
  }

  /// Lets requests that fit the pattern go to the network, changed on their way or with the answer changed.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like; everything that is given must hold.
  ///   - changes: Where it goes, what is sent instead, and what is changed of the answer.
  ///   - name: nil is made of the pattern.
  ///   - times: How many requests it takes; nil is without end.
  public init(_ pattern: RequestPattern, pass changes: PassChanges, name: String? = nil, times: Int? = nil) {
    self.init(name: name ?? pattern.summary, when: pattern, then: .pass(changes), times: times)
  }
}
