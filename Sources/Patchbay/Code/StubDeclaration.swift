import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers one request. What it throws is the error that the request fails with; a `URLError` stays one.
///
/// Called on a queue of the hook's own, several at once; it may take its time.
public typealias StubHandler = @Sendable (URLRequest) throws -> CannedResponse

/// What ``Patchbay`` and ``SessionScope`` declare stubs by: for all sessions or for those of one scope. The first stub that matches
/// wins, in the order of declaration; those of a scope come before those for all, and a console's before both.
struct StubDeclaration {
  var scope: SessionScope.Mark?

  func stub(
    _ pattern: RequestPattern, respond response: CannedResponse, name: String?, times: Int?
  ) -> StubToken {
    add(Stub(name: name ?? pattern.summary, when: pattern, then: .respond(response), times: times))
  }

  func stub(
    _ pattern: RequestPattern, fail code: URLError.Code, delay: Duration?, name: String?, times: Int?
  ) -> StubToken {
    let failure = Fault.Failure.custom(domain: URLErrorCode.domain, code: code.rawValue, message: nil)
    let fault = Fault(failure, delay: delay.map { .fixed($0) })
    return add(Stub(name: name ?? pattern.summary, when: pattern, then: .fail(fault), times: times))
  }

  func stub(
    matching pattern: RequestPattern, name: String?, times: Int?, _ handler: @escaping StubHandler
  ) -> StubToken {
    add(Stub(name: name ?? pattern.summary, when: pattern, then: .code, times: times), answer: handler)
  }

  func stub(
    where predicate: @escaping @Sendable (URLRequest) -> Bool, name: String?, times: Int?,
    respond response: CannedResponse
  ) -> StubToken {
    add(Stub(name: name ?? "predicate", then: .respond(response), times: times), accepts: predicate)
  }

  func add(
    _ stub: Stub, answer: StubHandler? = nil, accepts: (@Sendable (URLRequest) -> Bool)? = nil
  ) -> StubToken {
    var token = StubToken(id: 0, name: stub.name)
    Hook.current.director.changeCode { code in
      let added = code.add(CodeStub(id: 0, stub: stub, answer: answer, accepts: accepts, scope: scope))
      token = StubToken(id: added.id, name: added.stub.name)
    }
    return token
  }
}

extension RequestPattern {
  /// A name for a stub that was given none.
  var summary: String {
    let text: String? =
      switch url ?? path ?? host {
      case .glob(let glob): glob
      case .matches(let expression): "~\(expression)"
      case nil: nil
      }
    return (methods + [text ?? "*"]).joined(separator: " ")
  }
}
