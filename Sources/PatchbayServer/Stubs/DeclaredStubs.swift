import PatchbayStubs
import PatchbayWire

/// The stubs that linked processes declare in their code, and how they stand on the board: after all others, under
/// names that are unique there, gone when their process goes, and not there while a stub of the console has their name.
struct DeclaredStubs: Sendable {
  /// Those of one link.
  struct Own: Sendable {
    /// Name and pid, as `StubBoard.Origin.code` has it.
    var label: String
    var process: String
    /// With the names that they have on the board.
    var stubs: [(shown: String, declared: Stub)]
  }

  private var links: [LinkID: Own] = [:]
  /// What the person decided, by the process's and the stub's name, for the next process of that name.
  private var remembered: [String: [String: StubBoard.Entry]] = [:]

  subscript(_ link: LinkID) -> Own? { links[link] }

  mutating func declare(_ stubs: [Stub], link: LinkID, process: HarnessProcess) {
    let label = "\(process.name) \(process.pid)"
    var taken = Set(links.filter { $0.key != link }.values.flatMap { $0.stubs.map(\.shown) })
    let named = stubs.map { stub in
      let shown =
        taken.contains(stub.name) ? StubBoard.freeName("\(stub.name) (\(label))", taken: taken) : stub.name
      taken.insert(shown)
      return (shown, stub)
    }
    links[link] = Own(label: label, process: process.name, stubs: named)
  }

  /// Returns whether that link had declared any.
  mutating func withdraw(_ link: LinkID, board: StubBoard) -> Bool {
    guard let own = links.removeValue(forKey: link) else { return false }
    for (shown, declared) in own.stubs {
      let entry = board.entries.first { $0.origin == .code(own.label) && $0.baseline?.name == shown }
      guard let entry else { continue }
      remembered[own.process, default: [:]][declared.name] = entry.stub == entry.baseline ? nil : entry
    }
    return true
  }

  /// The entries with just those stubs in code that belong there now.
  func reconcile(_ entries: [StubBoard.Entry]) -> [StubBoard.Entry] {
    let others = entries.filter { !$0.origin.isCode }
    var taken = Set(others.map(\.stub.name))
    var result = others
    for (_, own) in links.sorted(by: { $0.key < $1.key }) {
      let origin = StubBoard.Origin.code(own.label)
      for (shown, declared) in own.stubs
      where !taken.contains(shown) && !others.contains(where: { $0.id == declared.name }) {
        let known = entries.first { $0.origin == origin && $0.baseline?.name == shown }
        let decided = known ?? remembered[own.process]?[declared.name]
        var entry = StubBoard.Entry(stub: declared, origin: origin)
        entry.stub.name = shown
        entry.baseline = entry.stub
        if let decided { entry.keepDecision(of: decided) }
        taken.insert(shown)
        result.append(entry)
      }
    }
    return result
  }
}

extension StubBoard.Entry {
  /// What a person did to the stub before it was declared anew stays.
  fileprivate mutating func keepDecision(of earlier: StubBoard.Entry) {
    let name = stub.name
    if earlier.isOverride {
      stub = earlier.stub
      stub.name = name
    } else if let before = earlier.baseline, before.enabled != earlier.stub.enabled {
      stub.enabled = earlier.stub.enabled
    }
    edited = stub != baseline
  }
}
