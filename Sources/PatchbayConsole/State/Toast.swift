import PatchbayWire

/// A sentence that is shown for a while at the foot.
struct Toast: Sendable, Equatable {
  var notice: Notice
  /// Whether `u` takes back what it tells.
  var undoable: Bool
  var expires: Timestamp
  /// It goes when nothing is held any more.
  var isAboutHeld = false
}
