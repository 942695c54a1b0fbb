/// What is to be done with one request. It carries the stub as it was when it matched.
package struct Decision: Hashable, Sendable {
  /// The revision of the stubs that decided.
  package var revision: UInt64
  package var step: Step
  /// A hold that also, or only, stops the response; nil lets it through. Keep it over the following decisions on the
  /// same request.
  package var responseHold: Holder?
  /// Sentences for the person, such as a regular expression that ran over its budget.
  package var notices: [String]

  package enum Step: Hashable, Sendable {
    /// Stop the request for the person; when they let it go on, decide again from `next` on the edited request.
    case hold(Holder, next: Cursor)
    case answer(Match)
    /// No stub takes it: `.pass` or `.fail`, never `.hold`.
    case unmatched(StubSet.Unmatched)
  }

  /// Who holds: a stub, or nil for the switch that holds everything and for `--unmatched hold`.
  package struct Holder: Hashable, Sendable {
    package var stub: String?

    package init(stub: String?) { self.stub = stub }
  }

  /// Where in the list a decision goes on.
  package struct Cursor: Hashable, Sendable {
    let position: Int
    let held: Bool

    package static let start = Cursor(position: 0, held: false)

    init(position: Int, held: Bool) {
      self.position = position
      self.held = held
    }

    /// The cursor as a number, for whoever keeps it without knowing it; 0 is the start.
    package var token: Int { self == .start ? 0 : position + 1 }

    /// The cursor that gave this token: the start, or after a hold.
    package init(token: Int) {
      self.init(position: max(token - 1, 0), held: token > 0)
    }
  }

  /// A stub that answers.
  package struct Match: Hashable, Sendable {
    package var stub: Stub
    /// `respond`, `fail` (of a `URLError` code or an error of one's own) or `pass`: sequences and the names of faults
    /// are resolved.
    package var action: Action
    /// 1 for the first request that the stub takes; `{{count}}` in templates.
    package var hit: UInt64
    /// The step of a sequence that this is, from 0.
    package var step: Int?
  }

  init(revision: UInt64) {
    self.revision = revision
    step = .unmatched(.pass)
    notices = []
  }
}
