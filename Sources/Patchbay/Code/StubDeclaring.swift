import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers one request. What it throws is the error that the request fails with; a `URLError` stays one.
///
/// Called on a queue of the hook's own, several at once; it may take its time.
public typealias StubHandler = @Sendable (URLRequest) throws -> CannedResponse

/// Declares stubs: for all sessions (``Patchbay``) or for those of one ``SessionScope``. The first stub that matches
/// wins, in the order of declaration; those of a scope come before those for all, and a console's before both.
struct StubDeclaration {
  var scope: SessionScope.Mark?

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
