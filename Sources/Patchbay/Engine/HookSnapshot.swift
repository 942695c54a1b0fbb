import PatchbayStubs
import PatchbayWire

/// Everything that a request is decided by, as one immutable value. Whoever steers the hook replaces it whole.
struct HookSnapshot: Sendable {
  /// False is dormant: no console and no stubs in code, so nothing is taken.
  var active: Bool
  var settings: HookSettings
  /// The stubs in force, compiled; nil is none.
  var rules: (any HookRules)?
  /// Names the state of the stubs; goes into each report.
  var revision: UInt64
  var unmatched: StubSet.Unmatched
  var holdAll: Action.HoldPoint?
  /// Where reports go; nil while nobody listens.
  var sink: (any ExchangeSink)?

  static let dormant = HookSnapshot(active: false)

  init(
    active: Bool, settings: HookSettings = HookSettings(), rules: (any HookRules)? = nil, revision: UInt64 = 0,
    unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil, sink: (any ExchangeSink)? = nil
  ) {
    self.active = active
    self.settings = settings
    self.rules = rules
    self.revision = revision
    self.unmatched = unmatched
    self.holdAll = holdAll
    self.sink = sink
  }
}
