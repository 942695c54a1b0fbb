import PatchbayWire

extension ExchangeGatherer {
  mutating func noteHold(of key: Key, _ entry: OpenExchange) {
    if entry.heldSince == nil { heldKeys.remove(key) } else { heldKeys.insert(key) }
  }

  /// What waits for a verdict, by rising id.
  public var held: [HeldExchange] {
    heldKeys.compactMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }.sorted { $0.id < $1.id }
  }

  /// The exchange with that id where it waits for a verdict.
  public func held(_ id: Int64) -> HeldExchange? {
    keys[id].flatMap { key in open[key].flatMap { heldExchange($0, link: key.link) } }
  }

  private func heldExchange(_ entry: OpenExchange, link: LinkID) -> HeldExchange? {
    guard let since = entry.heldSince, !entry.isDecided else { return nil }
    var entry = entry
    entry.takeSnapshot(now: since)
    return HeldExchange(
      exchange: entry.exchange, stage: entry.exchange.phase == .heldResponse ? .response : .request, link: link,
      since: since)
  }

  /// Notes that a verdict is on its way. Returns the link and its key for the exchange; nil where it is not held.
  public mutating func decide(_ id: Int64) -> (link: LinkID, key: UInt64)? {
    guard let key = keys[id], let entry = open[key], entry.heldSince != nil, !entry.isDecided else { return nil }
    open[key]?.isDecided = true
    return (key.link, key.key)
  }
}
