import PatchbayStubs

/// Puts stubs into a JSON file. Those that did not change keep their bytes, and of the others whatever is the same.
enum JSONSplice {
  /// - Parameter whole: stubs that changed are written anew.
  static func text(
    _ file: StubFile, _ document: DocumentNode, _ slots: [StubFileWriter.Slot], whole: Bool
  ) -> String? {
    let bytes = Array(file.text.utf8)
    guard let list = document["stubs"], case .list(let items) = list.value, let range = list.bytes else {
      return adding(bytes, document, slots)
    }
    let isOneLine = !items.isEmpty && !bytes[range].contains(0x0A)
    let column = items.first?.position.map { $0.column - 1 } ?? lineIndent(bytes, range.lowerBound) + 2
    let indent = isOneLine ? nil : column
    let inPlace = JSONInPlace(bytes: bytes)
    let parts = slots.map { slot -> [UInt8] in
      if let source = slot.source, let range = items[source].bytes {
        if !slot.isChanged { return Array(bytes[range]) }
        if !whole, let text = inPlace.text(items[source], file.stubs[source].json, slot.stub.json) { return text }
      }
      return rendered(slot.stub.json, indent: indent)
    }
    let array = joined(parts, indent, close: lineIndent(bytes, range.lowerBound))
    return String(decoding: bytes[..<range.lowerBound] + array + bytes[range.upperBound...], as: UTF8.self)
  }

  private static func adding(
    _ bytes: [UInt8], _ document: DocumentNode, _ slots: [StubFileWriter.Slot]
  ) -> String? {
    guard case .map(let entries) = document.value, document["stubs"] == nil, let last = entries.last?.value.bytes else {
      return nil
    }
    let parts = slots.map { rendered($0.stub.json, indent: 4) }
    let member = Array(",\n  \"stubs\": ".utf8) + joined(parts, 4, close: 2)
    return String(decoding: bytes[..<last.upperBound] + member + bytes[last.upperBound...], as: UTF8.self)
  }

  /// - Parameter indent: how far the line on which it begins is indented; nil: it is to stand on one line.
  static func rendered(_ value: JSONValue, indent: Int?) -> [UInt8] {
    guard let indent else { return Array(value.compact.utf8) }
    let lines = value.indented().split(separator: "\n", omittingEmptySubsequences: false)
    return Array(lines.joined(separator: "\n" + String(repeating: " ", count: indent)).utf8)
  }

  private static func joined(_ parts: [[UInt8]], _ indent: Int?, close: Int) -> [UInt8] {
    if parts.isEmpty { return Array("[]".utf8) }
    guard let indent else { return Array("[".utf8) + parts.joined(separator: Array(", ".utf8)) + Array("]".utf8) }
    let gap = Array(("\n" + String(repeating: " ", count: indent)).utf8)
    let end = Array(("\n" + String(repeating: " ", count: close) + "]").utf8)
    return Array("[".utf8) + gap + parts.joined(separator: Array(",".utf8) + gap) + end
  }

  /// How far the line of that byte is indented.
  static func lineIndent(_ bytes: [UInt8], _ offset: Int) -> Int {
    let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return bytes[start...].prefix { $0 == 0x20 }.count
  }
}

/// Changes single members of an object where they stand: what is the same keeps its bytes.
private struct JSONInPlace {
  let bytes: [UInt8]

  private typealias Edit = SpliceEdit<UInt8>

  /// The bytes of a stub with the new one in its place; nil where they cannot be told apart.
  func text(_ node: DocumentNode, _ old: JSONValue, _ new: JSONValue) -> [UInt8]? {
    var new = new
    // A stub that is on does not say so; where it said that it is off, it says then that it is on.
    if old["enabled"] != nil, new["enabled"] == nil, case .object(let members) = new {
      new = .object(members + [.init("enabled", true)])
    }
    guard let range = node.bytes, let edits = edits(node, old, new, in: range) else { return nil }
    return bytes.spliced(edits, within: range)
  }

  private func edits(_ node: DocumentNode, _ old: JSONValue?, _ new: JSONValue, in parent: Range<Int>) -> [Edit]? {
    if old == new { return [] }
    switch (old, new, node.value) {
    case (.object(let before), .object(let after), .map(let entries)) where !entries.isEmpty:
      return node.bytes.flatMap { edits($0, entries, before, after) }
    case (.array(let before), .array(let after), .list(let items))
    where before.count == after.count && items.count == after.count:
      var edits: [Edit] = []
      for (place, item) in items.enumerated() {
        guard let some = self.edits(item, before[place], after[place], in: node.bytes ?? parent) else { return nil }
        edits += some
      }
      return edits
    default:
      guard let range = node.bytes else { return nil }
      // On one line where what stands there is on one, or a value among others on one.
      let indent = hasLines(node.isContainer ? range : parent) ? indent(of: range) : nil
      return [Edit(range: range, new: JSONSplice.rendered(new, indent: indent))]
    }
  }

  private func edits(
    _ whole: Range<Int>, _ entries: [DocumentNode.Entry], _ before: [JSONValue.Member], _ after: [JSONValue.Member]
  ) -> [Edit]? {
    let (old, new) = (JSONValue.object(before), JSONValue.object(after))
    let kept = entries.indices.filter { new[entries[$0].key] != nil || old[entries[$0].key] == nil }
    guard let first = kept.first else {
      return [Edit(range: whole, new: JSONSplice.rendered(new, indent: hasLines(whole) ? indent(of: whole) : nil))]
    }
    guard var edits = removals(from: entries, but: kept) else { return nil }
    var last = entries[first]
    for member in after {
      if let entry = entries.first(where: { $0.key == member.name }) {
        guard let some = self.edits(entry.value, old[member.name], member.value, in: whole) else { return nil }
        edits += some
        last = entry
      } else if old[member.name] != member.value {
        guard let edit = insertion(of: member, behind: last, in: whole) else { return nil }
        edits.append(edit)
      }
    }
    return edits
  }

  /// Each with the comma behind it; of the last ones the comma before them goes.
  private func removals(from entries: [DocumentNode.Entry], but kept: [Int]) -> [Edit]? {
    var edits: [Edit] = []
    for place in entries.indices where !kept.contains(place) {
      let (from, to) =
        place < kept[kept.count - 1]
        ? (entries[place].keyBytes?.lowerBound, entries[place + 1].keyBytes?.lowerBound)
        : (entries[place - 1].value.bytes?.upperBound, entries[place].value.bytes?.upperBound)
      guard let from, let to else { return nil }
      edits.append(Edit(range: from..<to, new: []))
    }
    return edits
  }

  /// On a line of its own where the object's members have theirs, with the space behind the colon that its neighbour has.
  private func insertion(
    of member: JSONValue.Member, behind entry: DocumentNode.Entry, in whole: Range<Int>
  ) -> Edit? {
    guard let key = entry.keyBytes, let value = entry.value.bytes else { return nil }
    let colon = Array(bytes[key.upperBound..<value.lowerBound])
    let indent = hasLines(whole) ? indent(of: key) : nil
    let gap = indent.map { "\n" + String(repeating: " ", count: $0) } ?? (colon.last == 0x20 ? " " : "")
    let name = Array(",\(gap)\(JSONValue.string(member.name).compact)".utf8)
    let text = name + colon + JSONSplice.rendered(member.value, indent: indent)
    return Edit(range: value.upperBound..<value.upperBound, new: text)
  }

  private func hasLines(_ range: Range<Int>) -> Bool { bytes[range].contains(0x0A) }

  private func indent(of range: Range<Int>) -> Int { JSONSplice.lineIndent(bytes, range.lowerBound) }
}

extension DocumentNode {
  fileprivate var isContainer: Bool {
    if case .scalar = value { return false }
    return true
  }
}
