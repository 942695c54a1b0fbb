import PatchbayWire

/// What an open exchange takes, in bytes.
struct OpenMemory: Sendable {
  /// Everything but its bodies.
  var facts = 0
  var bodies = 0
}

/// What the open exchanges of all links take, and what there was no room for. A link may send what it likes; what the
/// console keeps of it is bounded here, and what is left out is counted, so that it can be told.
struct OpenMemories: Sendable {
  private let limits: ServerLimits
  private(set) var inAll = OpenMemory()
  private var byLink: [LinkID: OpenMemory] = [:]
  private var cuts: [LinkID: Shed] = [:]
  private var ended = 0

  init(limits: ServerLimits) { self.limits = limits }

  /// An open exchange takes something else than before.
  mutating func change(of link: LinkID, from before: OpenMemory, to after: OpenMemory) {
    inAll.facts += after.facts - before.facts
    inAll.bodies += after.bodies - before.bodies
    byLink[link, default: OpenMemory()].facts += after.facts - before.facts
    byLink[link, default: OpenMemory()].bodies += after.bodies - before.bodies
  }

  /// It has ended, and waits to be told.
  mutating func ended(of link: LinkID, _ memory: OpenMemory) {
    change(of: link, from: memory, to: OpenMemory())
    ended += memory.facts + memory.bodies
  }

  mutating func forget(_ link: LinkID) { byLink[link] = nil }

  /// How many bytes more of bodies that link may have open. One alone does not take what the others need.
  func bodyRoom(for link: LinkID) -> Int {
    min(limits.openBodies - inAll.bodies, limits.openBodies / 4 * 3 - (byLink[link]?.bodies ?? 0))
  }

  /// The link that has to give exchanges up, where all of them together have too many facts.
  var overfull: LinkID? {
    guard inAll.facts > limits.openFacts else { return nil }
    return byLink.max { $0.value.facts < $1.value.facts }?.key
  }

  mutating func cut(of link: LinkID, _ shed: Shed) { cuts[link, default: Shed()] += shed }

  var hasCuts: Bool { !cuts.isEmpty }

  /// What was left out of what each link sent, since the last call.
  mutating func takeCuts() -> [LinkID: Shed] {
    defer { cuts = [:] }
    return cuts
  }

  /// How much of it belongs to exchanges that have ended since the last call.
  mutating func takeEnded() -> Int {
    defer { ended = 0 }
    return ended
  }
}

extension ExchangeUpdate {
  /// The update without what there is no room for, and how many bytes that is; nil where all of it fits. The next piece of
  /// the response's body is not looked at: its beginning is kept.
  func fitted(facts: Int, bodies: Int) -> (update: ExchangeUpdate, leftOut: Int)? {
    let asked = start?.request.body?.count ?? 0
    let edited = answer?.edited?.body?.count ?? 0
    let gone = sent?.body?.count ?? 0
    guard factBytes > facts || asked > bodies || edited > bodies || asked + gone > bodies else { return nil }
    var update = self
    var leftOut = update.trimFacts(to: facts)
    if asked > bodies {
      update.start?.request.body = nil
      update.start?.request.truncated = true
      leftOut += asked
    }
    if gone > 0, asked + gone > bodies {
      update.sent?.body = nil
      update.sent?.truncated = true
      leftOut += gone
    }
    if edited > bodies {
      update.answer?.edited?.body = nil
      update.answer?.edited?.truncated = true
      leftOut += edited
    }
    return (update, leftOut)
  }

  /// Whether it makes its exchange larger in more than the response's body.
  var addsFacts: Bool { start != nil || answer != nil || sent != nil || turn != nil || !hops.isEmpty || head != nil }
}
