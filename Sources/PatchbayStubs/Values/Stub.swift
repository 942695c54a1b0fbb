/// An ordered rule: when a request fits the pattern, do the action. The first enabled stub that matches wins.
///
/// Stubs that need no more than a pattern and an answer are declared in one line (`Patchbay.stub(.get("*/users/*"),
/// respond: …)`); everything else that a stub file can say is said with a whole one:
///
/// ```swift
/// Patchbay.stub(
///   Stub(
///     name: "flaky search", when: .get("*/search*"),
///     then: .sequence([.respond(.status(500)), .fail(Fault(.named("timedOut")))], afterwards: .repeat),
///     chance: 0.5, seed: 1))
/// ```
public struct Stub: Hashable, Sendable, Identifiable {
  /// Unique among the stubs in force.
  public var name: String
  /// A stub that is switched off takes no request, and keeps its place in the order.
  public var enabled: Bool
  /// Which requests it takes.
  public var when: RequestPattern
  /// What is done with them.
  public var then: Action
  /// How many matching requests are let past before the stub takes any, counted per process.
  public var skip: Int
  /// The share of the requests that the stub takes, 0 to 1; nil takes all.
  public var chance: Double?
  /// Makes `chance` repeatable: the same seed takes the same requests.
  public var seed: UInt64?
  /// How many requests the stub takes before it no longer matches; nil is without end.
  public var times: Int?
  /// In which state of a scenario it takes requests, and where it moves that.
  public var scenario: Scenario?

  /// A place in a story that several stubs tell: a login changes what is answered afterwards. Every scenario begins in
  /// the state ``start``, and has its state in each process.
  public struct Scenario: Hashable, Sendable {
    /// The state in which every scenario begins.
    public static let start = "Started"

    /// What stubs of one story have in common.
    public var name: String
    /// The state in which the stub takes requests; nil is any.
    public var state: String?
    /// The state that follows when the stub answers; nil leaves it.
    public var next: String?

    /// - Parameters:
    ///   - name: What stubs of one story have in common.
    ///   - state: The state in which the stub takes requests; nil is any.
    ///   - next: The state that follows when the stub answers; nil leaves it.
    public init(_ name: String, in state: String? = nil, to next: String? = nil) {
      self.name = name
      self.state = state
      self.next = next
    }
  }

  /// The name.
  public var id: String { name }

  /// A stub; the order in which its limits are looked at is pattern, scenario, skip, chance, times.
  ///
  /// - Parameters:
  ///   - name: Unique among the stubs in force.
  ///   - enabled: Whether it is switched on.
  ///   - when: Which requests it takes; an empty pattern takes all.
  ///   - then: What is done with them.
  ///   - skip: How many matching requests are let past first.
  ///   - chance: The share of the requests that it takes, 0 to 1; nil takes all.
  ///   - seed: Makes `chance` repeatable.
  ///   - times: How many requests it takes in all; nil is without end.
  ///   - scenario: In which state of a scenario it takes requests, and where it moves that.
  public init(
    name: String, enabled: Bool = true, when: RequestPattern = RequestPattern(), then: Action, skip: Int = 0,
    chance: Double? = nil, seed: UInt64? = nil, times: Int? = nil, scenario: Scenario? = nil
  ) {
    self.name = name
    self.enabled = enabled
    self.when = when
    self.then = then
    self.skip = skip
    self.chance = chance
    self.seed = seed
    self.times = times
    self.scenario = scenario
  }
}

extension [Stub] {
  /// The scenarios that they tell, in their order, each with its states: the one in which it begins, then as they come.
  package var scenarios: [(name: String, states: [String])] {
    var found: [(name: String, states: [String])] = []
    for scenario in compactMap(\.scenario) {
      let place = found.firstIndex { $0.name == scenario.name } ?? found.endIndex
      if place == found.endIndex { found.append((scenario.name, [Stub.Scenario.start])) }
      for state in [scenario.state, scenario.next].compactMap({ $0 }) where !found[place].states.contains(state) {
        found[place].states.append(state)
      }
    }
    return found
  }
}

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
