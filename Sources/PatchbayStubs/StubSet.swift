/// The stubs in force, in order, with the revision that names this state of them.
package struct StubSet: Hashable, Sendable {
  /// Rises by one with each change on the console; 0 is "none received yet".
  package var revision: UInt64
  package var stubs: [Stub]
  /// What happens to a request that no stub takes.
  package var unmatched: Unmatched
  /// The switch that holds everything.
  package var holdAll: Action.HoldPoint?

  package enum Unmatched: String, Hashable, Sendable, CaseIterable {
    case pass
    case fail
    case hold
  }

  package init(
    revision: UInt64 = 0, stubs: [Stub] = [], unmatched: Unmatched = .pass, holdAll: Action.HoldPoint? = nil
  ) {
    self.revision = revision
    self.stubs = stubs
    self.unmatched = unmatched
    self.holdAll = holdAll
  }
}
