import PatchbayStubs
import PatchbayWire

/// Everything that a request is decided by, immutable, and a class so
/// that handing it to a request is one retain. Whoever steers the hook replaces it whole.
final class HookSnapshot: Sendable {
  /// False is dormant: no console and no stubs in code, so nothing is taken.
  let active: Bool
  let settings: HookSettings
  /// The hosts of the settings, made ready: `canInit` looks at them for every request.
  let hosts: [(glob: Glob, degree: HookSettings.Degree)]
  /// The stubs in force, compiled; nil is none.
  let rules: (any HookRules)?
  /// Names the state of the stubs; goes into each report.
  let revision: UInt64
  let unmatched: StubSet.Unmatched
  let holdAll: Action.HoldPoint?
  /// Where reports go; nil while nobody listens.
  let sink: (any ExchangeSink)?

  static let dormant = HookSnapshot(active: false)

  init(
    active: Bool, settings: HookSettings = HookSettings(), rules: (any HookRules)? = nil, revision: UInt64 = 0,
    unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil, sink: (any ExchangeSink)? = nil
  ) {
    self.active = active
    self.settings = settings
    hosts = settings.hosts.map { (Glob($0.host.lowercased().utf8), $0.degree) }
    self.rules = rules
    self.revision = revision
    self.unmatched = unmatched
    self.holdAll = holdAll
    self.sink = sink
  }
}
