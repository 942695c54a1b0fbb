/// What the stubs say of one request. It carries the action as it was when the stub matched.
package struct Decision: Hashable, Sendable {
  package var step: Step
  /// The stub that also, or only, stops the response; nil lets it through. Keep it over the following decisions on the
  /// same request.
  package var responseHold: String?
  /// Sentences for the person, such as a regular expression that ran over its budget.
  package var notices: [String] = []

  package enum Step: Hashable, Sendable {
    /// This stub stops the request for the person; when they let it go on, decide again from `next` on the edited
    /// request.
    case hold(stub: String, next: Cursor)
    case answer(Match)
    /// No stub takes it. What then becomes of it is not the stubs' to say: see `StubSet.Unmatched`.
    case unmatched
  }

  /// Where in the list of stubs a decision goes on.
  package struct Cursor: Hashable, Sendable {
    let position: Int
    /// The request has been held once, so that further stubs which only hold it are passed over.
    let held: Bool

    package static let start = Cursor(position: 0, held: false)
  }

  /// A stub that answers.
  package struct Match: Hashable, Sendable {
    /// The stub's name.
    package var stub: String
    /// `respond`, `fail` (of a `URLError` code or an error of one's own), `pass` or `code`: sequences and the names of
    /// faults are resolved. Templates are not filled in.
    package var action: Action
    /// 1 for the first request that the stub takes; `{{count}}` in templates.
    package var hit: UInt64
    /// The step of a sequence that this is, from 0; nil without a sequence.
    package var step: Int?

    package init(stub: String, action: Action, hit: UInt64 = 1, step: Int? = nil) {
      self.stub = stub
      self.action = action
      self.hit = hit
      self.step = step
    }
  }

  package init(_ step: Step) { self.step = step }
}
