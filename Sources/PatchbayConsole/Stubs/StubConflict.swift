import PatchbayStubs

/// A stub that the person edited while somebody else changed the same of it.
struct StubConflict: Sendable, Equatable {
  /// The stub as it was when the person began.
  var base: Stub
  var mine: Stub
  /// What both changed.
  var parts: [String]
}
