/// The state that a scenario is in, in one process.
package struct ScenarioState: Hashable, Sendable {
  package var name: String
  package var state: String

  package init(name: String, state: String) {
    self.name = name
    self.state = state
  }
}

/// How often each stub was met, by name, in one process. A value; whoever shares it guards it.
///
/// A stub keeps its counters when other stubs change, and when it changes itself unless one of the fields that count
/// (skip, chance, seed, times, the number of steps) does.
package struct StubCounters: Hashable, Sendable {
  private var counters: [String: Counter] = [:]
  private var changed: Set<String> = []
  /// The states of scenarios that are not in the first one.
  private var states: [String: String] = [:]
  private var moved: Set<String> = []
  /// Where stubs without a seed get theirs.
  private let salt: UInt64

  /// One stub's counters, to show.
  package struct Row: Hashable, Sendable {
    package var name: String
    /// Requests that it took.
    package var hits: UInt64
    /// The step of a sequence that comes next, from 0; nil without a sequence.
    package var nextStep: Int?
  }

  /// The fields of a stub that decide how it counts.
  struct Fields: Hashable, Sendable {
    var skip: Int
    var chance: Double?
    var seed: UInt64?
    var times: Int?
    var steps: Int?
    var afterwards: Action.Afterwards?

    init(_ stub: Stub, steps: Int?) {
      skip = stub.skip
      chance = stub.chance
      seed = stub.seed
      times = stub.times
      self.steps = steps
      if case .sequence(_, let afterwards) = stub.then { self.afterwards = afterwards }
    }
  }

  private struct Counter: Hashable, Sendable {
    var fields: Fields
    /// Requests that fitted the pattern.
    var seen: UInt64 = 0
    var hits: UInt64 = 0
    var draws: UInt64 = 0
    var nextStep = 0
  }

  enum Outcome: Hashable, Sendable {
    case taken(hit: UInt64, step: Int?)
    /// Still so many to let past, this one included.
    case skipped(left: UInt64)
    case unlucky
    case usedUp
    /// Its scenario is in that other state.
    case otherState(String)
  }

  /// `salt` makes the chance of stubs without a seed repeatable too, for tests.
  package init(salt: UInt64? = nil) { self.salt = salt ?? UInt64.random(in: .min ... .max) }

  /// Forgets stubs that are no longer there. Call it when the set changes.
  package mutating func adopt(_ matcher: StubMatcher) {
    let known = Set(matcher.compiled.map(\.stub.name))
    counters = counters.filter { known.contains($0.key) }
    changed.formIntersection(known)
    let scenarios = Set(matcher.compiled.compactMap(\.stub.scenario?.name))
    moved.formUnion(states.keys.filter { !scenarios.contains($0) })
    states = states.filter { scenarios.contains($0.key) }
  }

  /// The state that the scenario is in.
  package func state(of scenario: String) -> String { states[scenario] ?? Stub.Scenario.start }

  /// Moves a scenario, which need not be one of any stub.
  package mutating func setState(of scenario: String, to state: String) {
    states[scenario] = state == Stub.Scenario.start ? nil : state
    moved.insert(scenario)
  }

  /// Every scenario back to its first state.
  package mutating func resetScenarios() {
    moved.formUnion(states.keys)
    states = [:]
  }

  /// The scenarios that moved since this was last called, by name.
  package mutating func takeMoves() -> [ScenarioState] {
    defer { moved.removeAll(keepingCapacity: true) }
    return moved.sorted().map { ScenarioState(name: $0, state: state(of: $0)) }
  }

  /// Back to zero: one stub, of which it is said in any case, or all.
  package mutating func reset(_ name: String? = nil) {
    changed.formUnion(name.map { [$0] } ?? Array(counters.keys))
    if let name {
      counters[name] = nil
    } else {
      counters = [:]
      resetScenarios()
    }
  }

  package subscript(_ name: String) -> Row? {
    counters[name].map { Row(name: name, hits: $0.hits, nextStep: $0.fields.steps == nil ? nil : $0.nextStep) }
  }

  /// All that have counted, by name.
  package var rows: [Row] { counters.keys.sorted().compactMap { self[$0] } }

  /// The rows that changed since this was last called, by name; a stub that was reset has no hits.
  package mutating func takeChanges() -> [Row] {
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted().map { self[$0] ?? Row(name: $0, hits: 0, nextStep: nil) }
  }

  /// All that have counted are told anew.
  package mutating func announce() {
    changed.formUnion(counters.keys)
    moved.formUnion(states.keys)
  }

  package var hasChanges: Bool { !changed.isEmpty }
  package var hasMoves: Bool { !moved.isEmpty }

  /// Counts one request that fits the stub's pattern: scenario, then skip, then chance, then times. A stub that answers
  /// moves its scenario in the same step, so that of many requests at once one alone moves it.
  mutating func count(_ entry: CompiledStub) -> Outcome {
    let name = entry.stub.name
    if let other = otherState(entry) { return .otherState(other) }
    var counter = current(entry)
    let outcome = advance(&counter, name)
    counters[name] = counter
    guard case .taken(_, let step) = outcome else { return outcome }
    changed.insert(name)
    if let scenario = entry.stub.scenario, let next = scenario.next, next != state(of: scenario.name) {
      // A hold does not answer.
      if case .hold = entry.action(step: step) { return outcome }
      setState(of: scenario.name, to: next)
    }
    return outcome
  }

  private func otherState(_ entry: CompiledStub) -> String? {
    guard let scenario = entry.stub.scenario, let wanted = scenario.state else { return nil }
    let state = state(of: scenario.name)
    return state == wanted ? nil : state
  }

  /// What `count` would say, with nothing counted.
  func peek(_ entry: CompiledStub) -> Outcome {
    if let other = otherState(entry) { return .otherState(other) }
    var counter = current(entry)
    return advance(&counter, entry.stub.name)
  }

  private func current(_ entry: CompiledStub) -> Counter {
    guard let counter = counters[entry.stub.name], counter.fields == entry.counting else {
      return Counter(fields: entry.counting)
    }
    return counter
  }

  private func advance(_ counter: inout Counter, _ name: String) -> Outcome {
    let fields = counter.fields
    counter.seen += 1
    let skip = UInt64(max(fields.skip, 0))
    if counter.seen <= skip { return .skipped(left: skip - counter.seen + 1) }
    if let chance = fields.chance {
      counter.draws += 1
      let seed = fields.seed ?? (salt ^ Self.mix(name.utf8.reduce(5381) { $0 &* 33 &+ UInt64($1) }))
      guard Self.draw(seed, counter.draws) < chance else { return .unlucky }
    }
    if let times = fields.times, counter.hits >= UInt64(max(times, 0)) { return .usedUp }
    counter.hits += 1
    guard let steps = fields.steps else { return .taken(hit: counter.hits, step: nil) }
    let step = counter.nextStep
    counter.nextStep = min(step + 1, steps)
    if counter.nextStep == steps, fields.afterwards == .repeat { counter.nextStep = 0 }
    return .taken(hit: counter.hits, step: step)
  }

  /// The draw of that number from the seed, 0 up to 1 (SplitMix64).
  private static func draw(_ seed: UInt64, _ number: UInt64) -> Double {
    Double(mix(seed &+ number &* 0x9E37_79B9_7F4A_7C15) >> 11) / Double(1 << 53 as UInt64)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
