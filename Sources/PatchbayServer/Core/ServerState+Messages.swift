import NIOCore
import PatchbayStubs
import PatchbayWire

extension ServerState {
  mutating func receive(_ message: HookMessage, from id: LinkID, now: Timestamp) {
    guard let process = links[id]?.info.process else { return }
    switch message {
    case .hello:
      break
    case .applied(let revision):
      applied(revision, by: id)
    case .exchange(let update):
      // A hook that only looks on does not know what kind of task it sees.
      let isObserved = update.start?.task == .unknown && links[id]?.info.settings.observes == true
      let outcome = gatherer.receive(update, from: id, now: now, isObserved: isObserved)
      if outcome == .unexplained { links[id]?.info.unexplained += 1 }
    case .codeStubs(let stubs):
      links[id]?.info.codeStubs = stubs
      let before = keeper.board.revision
      for problem in keeper.declare(stubs, link: id, process: process) { pending.notice(problem, of: process) }
      if keeper.board.revision != before { pending.board(keeper.board, by: .process(process)) }
      pending.changed(id)
    case .progress(let list):
      pending.progress(list, of: process)
      for item in list { stubProgress[process, default: [:]][item.name] = item }
    case .shed(let shed):
      links[id]?.info.shed = shed
      pending.changed(id)
    case .notice(let text):
      pending.notice(text, of: process)
    }
  }

  /// The counters of these stubs begin at zero in every process, before the stubs that come next are in force.
  mutating func countAnew(_ names: Set<String>) {
    let stubs = Set(keeper.board.entries.map(\.stub.name))
    for process in stubProgress.keys {
      stubProgress[process] = stubProgress[process]?.filter { stubs.contains($0.key) && !names.contains($0.key) }
    }
    for id in links.keys {
      for name in names.sorted() { _ = links[id]?.enqueue(.resetCounts(name: name), limit: .max) }
    }
  }

  private mutating func applied(_ revision: UInt64, by id: LinkID) {
    guard var entry = links[id], revision > entry.info.revision else { return }
    entry.info.revision = revision
    if revision >= keeper.board.revision { entry.info.isStalled = false }
    links[id] = entry
    pending.changed(id)
    acknowledgements.answered(id, revision: revision)
  }

  /// Notes that every link is to get the newest stubs. Returns the channels to wake.
  mutating func pushToAll() -> [any Channel] {
    for id in links.keys { links[id]?.wantsStubs = true }
    return links.values.map(\.channel)
  }
}

extension HookSettings {
  /// Whether some requests are only looked at.
  fileprivate var observes: Bool { degree == .observe || hosts.contains { $0.degree == .observe } }
}
