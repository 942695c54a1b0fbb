import PatchbayStubs

/// What a person made of a stub, put together with what became of it meanwhile.
struct StubMerge: Sendable, Equatable {
  /// Both changes; where both changed the same, the person's.
  var merged: Stub
  /// What both changed, and not to the same: `switch`, `pattern`, `action`, ….
  var conflicts: [String]

  /// - Parameters:
  ///   - base: the stub as it was when the person began.
  ///   - mine: what the person made of it.
  ///   - theirs: the stub as it is now.
  init(base: Stub, mine: Stub, theirs: Stub) {
    merged = theirs
    conflicts = []
    take("name", \.name, base, mine)
    take("switch", \.enabled, base, mine)
    take("pattern", \.when, base, mine)
    take("action", \.then, base, mine)
    take("skip", \.skip, base, mine)
    take("chance", \.chance, base, mine)
    take("seed", \.seed, base, mine)
    take("times", \.times, base, mine)
  }

  private mutating func take<Value: Equatable>(
    _ name: String, _ part: WritableKeyPath<Stub, Value>, _ base: Stub, _ mine: Stub
  ) {
    guard mine[keyPath: part] != base[keyPath: part] else { return }
    let theirs = merged[keyPath: part]
    if theirs != base[keyPath: part], theirs != mine[keyPath: part] { conflicts.append(name) }
    merged[keyPath: part] = mine[keyPath: part]
  }
}
