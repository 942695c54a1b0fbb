import PatchbayStubs
import PatchbayWire

/// The stubs that linked processes declare in their code, and how they stand on the board: before all others, under
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

  /// By which the processes know them.
  var names: Set<String> { Set(links.values.lazy.flatMap { $0.stubs.lazy.map(\.declared.name) }) }

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
    let known = Self.code(board.entries)[.code(own.label)] ?? [:]
    for (shown, declared) in own.stubs {
      guard let entry = known[shown] else { continue }
      remembered[own.process, default: [:]][declared.name] = entry.stub == entry.baseline ? nil : entry
    }
    return true
  }

  /// The stubs in code of a board, by process and by the name under which they were declared there. A process may declare
  /// ten thousand, again and again.
  private static func code(_ entries: [StubBoard.Entry]) -> [StubBoard.Origin: [String: StubBoard.Entry]] {
    var result: [StubBoard.Origin: [String: StubBoard.Entry]] = [:]
    for entry in entries where entry.origin.isCode {
      guard let name = entry.baseline?.name, result[entry.origin]?[name] == nil else { continue }
      result[entry.origin, default: [:]][name] = entry
    }
    return result
  }

  /// The entries with just those stubs in code that belong there now.
  func reconcile(_ entries: [StubBoard.Entry]) -> [StubBoard.Entry] {
    let others = entries.filter { !$0.origin.isCode }
    let otherNames = Set(others.map(\.stub.name))
    let before = Self.code(entries)
    var taken = otherNames
    var result: [StubBoard.Entry] = []
    for (_, own) in links.sorted(by: { $0.key < $1.key }) {
      let origin = StubBoard.Origin.code(own.label)
      let known = before[origin] ?? [:]
      for (shown, declared) in own.stubs where !taken.contains(shown) && !otherNames.contains(declared.name) {
        let decided = known[shown] ?? remembered[own.process]?[declared.name]
        var entry = StubBoard.Entry(stub: declared, origin: origin)
        entry.stub.name = shown
        entry.baseline = entry.stub
        if let decided { entry.keepDecision(of: decided) }
        taken.insert(shown)
        result.append(entry)
      }
    }
    return result + others
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
