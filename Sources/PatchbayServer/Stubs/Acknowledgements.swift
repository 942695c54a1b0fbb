import PatchbayWire

/// Who waits for which links to have put a revision in force.
struct Acknowledgements: Sendable {
  private struct Waiter {
    var revision: UInt64
    var links: Set<LinkID>
    var done: CheckedContinuation<[LinkID], Never>
  }

  private var waiters: [UInt64: Waiter] = [:]
  private var nextID: UInt64 = 0

  /// Keeps the continuation until all links have answered or `give(up:)` comes. Returns what names it there.
  mutating func wait(
    for revision: UInt64, links: Set<LinkID>, _ done: CheckedContinuation<[LinkID], Never>
  ) -> UInt64 {
    nextID += 1
    waiters[nextID] = Waiter(revision: revision, links: links, done: done)
    return nextID
  }

  /// The link has that revision in force, or is gone (nil).
  mutating func answered(_ link: LinkID, revision: UInt64?) {
    for (id, waiter) in waiters where waiter.links.contains(link) && waiter.revision <= revision ?? .max {
      waiters[id]?.links.remove(link)
      guard waiters[id]?.links.isEmpty == true else { continue }
      waiters.removeValue(forKey: id)?.done.resume(returning: [])
    }
  }

  /// Answers with the links that have not.
  mutating func give(up id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    waiter.done.resume(returning: waiter.links.sorted())
  }

  mutating func giveUpAll() {
    for id in waiters.keys.sorted() { give(up: id) }
  }
}
