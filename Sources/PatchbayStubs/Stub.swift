/// An ordered rule: when a request fits the pattern, do the action. The first enabled stub that matches wins.
public struct Stub: Hashable, Sendable, Identifiable {
  /// Unique among the stubs in force.
  public var name: String
  public var enabled: Bool
  public var when: RequestPattern
  public var then: Action
  /// How many matching requests are let past before the stub takes any, counted per process.
  public var skip: Int
  /// The share of the requests that the stub takes, 0 to 1; nil takes all.
  public var chance: Double?
  /// Makes `chance` repeatable: the same seed takes the same requests.
  public var seed: UInt64?
  /// How many requests the stub takes before it no longer matches; nil is without end.
  public var times: Int?

  public var id: String { name }

  public init(
    name: String, enabled: Bool = true, when: RequestPattern = RequestPattern(), then: Action, skip: Int = 0,
    chance: Double? = nil, seed: UInt64? = nil, times: Int? = nil
  ) {
    self.name = name
    self.enabled = enabled
    self.when = when
    self.then = then
    self.skip = skip
    self.chance = chance
    self.seed = seed
    self.times = times
  }
}
