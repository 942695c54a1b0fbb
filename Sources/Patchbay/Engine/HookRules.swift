import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stubs in force as the engine sees them: asked once for each request (and for each redirect), on the request's path.
protocol HookRules: Sendable {
  /// Whether a condition looks at bodies; if not, the body of an upload is not read for deciding.
  var looksAtBodies: Bool { get }

  /// Whether the answer to this request, of which all but the body is known, could depend on its body.
  func needsBody(_ facts: RequestFacts) -> Bool

  /// The first stub from `position` on that takes the request. Counts the hit. Holding everything, and what
  /// becomes of a request that no stub takes, is the snapshot's to say.
  func decide(_ query: RuleQuery, from position: Int) -> RuleMatch?

  /// The same from the start of the list on, where URL and method tell everything. Most requests need no more.
  func decideByURL(_ url: String, method: String) -> RuleShortcut
}

/// What URL and method alone tell of a request.
enum RuleShortcut: Sendable {
  /// Ask for it with all facts.
  case unknown
  /// No stub takes it.
  case unmatched
  /// The hit is counted.
  case matched(RuleMatch)
}

extension HookRules {
  func needsBody(_ facts: RequestFacts) -> Bool { looksAtBodies }

  func decideByURL(_ url: String, method: String) -> RuleShortcut { .unknown }
}

/// One request, as the rules look at it.
struct RuleQuery: Sendable {
  var facts: RequestFacts
  /// The request as the program made it, for closures in code.
  var request: URLRequest
  /// The session that it was made in, for stubs that belong to one session.
  var session: URLSession?
  var scope: SessionScope.Mark?
}

/// A stub that took a request.
struct RuleMatch: Sendable {
  var name: String
  /// `.stub`, or `.code` for one that the harness's code declares.
  var by: Exchange.Answerer
  var what: What
  /// Where to go on in the list after a hold.
  var next: Int
  /// A stub further up holds the response.
  var holdsResponse = false

  enum What: Sendable {
    /// One step; a sequence has been resolved to the step that is due.
    case action(Action)
    /// Code of the harness answers. A thrown error is what the request fails with.
    case closure(@Sendable (URLRequest) throws -> CannedResponse)
  }
}
