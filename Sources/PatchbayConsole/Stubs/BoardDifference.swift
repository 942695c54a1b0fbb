import PatchbayStubs

/// What somebody else changed about the stubs, in a few words.
enum BoardDifference {
  /// Such as `“orders down” is on, “old” is gone`; empty where nothing of that can be seen.
  static func text(from old: StubBoard, to new: StubBoard) -> String {
    let before = Dictionary(old.entries.map { ($0.stub.name, $0.stub) }) { first, _ in first }
    let names = Set(new.entries.map(\.stub.name))
    var parts: [String] = []
    for stub in new.entries.map(\.stub) {
      guard let known = before[stub.name] else {
        parts.append("“\(stub.name)” is new")
        continue
      }
      guard known != stub else { continue }
      var toggled = known
      toggled.enabled = stub.enabled
      parts.append("“\(stub.name)” is \(toggled == stub ? stub.enabled ? "on" : "off" : "changed")")
    }
    parts += old.entries.map(\.stub.name).filter { !names.contains($0) }.map { "“\($0)” is gone" }
    let more = parts.count > 2 ? " and \(parts.count - 2) more" : ""
    return parts.prefix(2).joined(separator: ", ") + more
  }
}
