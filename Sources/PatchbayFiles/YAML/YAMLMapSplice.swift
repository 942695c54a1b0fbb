import PatchbayStubs

/// Changes the lines of a map in block style, key by key: what is the same keeps its lines and comments.
struct YAMLMapSplice {
  let lines: [String]

  private struct Edit {
    var range: Range<Int>
    var lines: [String]
  }

  /// Each key with the lines that it covers.
  private struct Row {
    var entry: DocumentNode.Entry
    var place: SourcePosition
    var lines: Range<Int>
  }

  /// The lines of one list item with the new value in the place of the old; nil when they cannot be told apart.
  func body(_ range: Range<Int>, _ node: DocumentNode, _ old: JSONValue, _ new: JSONValue) -> [String]? {
    guard let edits = edits(node, old, new, within: range) else { return nil }
    var output: [String] = []
    var at = range.lowerBound
    // What is inserted before a line comes before what replaces it.
    let inOrder = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for edit in inOrder {
      guard edit.range.lowerBound >= at else { return nil }
      output += lines[at..<edit.range.lowerBound] + edit.lines
      at = edit.range.upperBound
    }
    return output + lines[at..<range.upperBound]
  }

  private func edits(_ node: DocumentNode, _ old: JSONValue, _ new: JSONValue, within range: Range<Int>) -> [Edit]? {
    guard let rows = rows(node, within: range), case .object(let members) = new else { return nil }
    var edits: [Edit] = []
    var insertions: [Int: [String]] = [:]
    var last = rows[0]
    for member in members {
      guard let row = rows.first(where: { $0.entry.key == member.name }) else {
        if old[member.name] == member.value { continue }
        insertions[last.lines.upperBound, default: []] += rendered(member, column: rows[0].place.column)
        continue
      }
      last = row
      if old[member.name] == member.value { continue }
      guard let edit = change(row, old[member.name], member) else { return nil }
      edits += edit
    }
    for row in rows where new[row.entry.key] == nil && old[row.entry.key] != nil {
      if row.entry.key == "enabled" {
        guard let edit = change(row, false, .init("enabled", true)) else { return nil }
        edits += edit
        continue
      }
      // The key beside the dash cannot go without it.
      guard YAMLLine.indent(lines[row.lines.lowerBound]) == row.place.column - 1 else { return nil }
      edits.append(Edit(range: row.lines, lines: []))
    }
    return edits + insertions.map { Edit(range: $0.key..<$0.key, lines: $0.value) }
  }

  /// nil when the map is not in block style, a key to a line.
  private func rows(_ node: DocumentNode, within range: Range<Int>) -> [Row]? {
    guard case .map(let entries) = node.value, let first = entries.first?.keyPosition else { return nil }
    var rows: [Row] = []
    for (index, entry) in entries.enumerated() {
      guard let place = entry.keyPosition, place.column == first.column, range.contains(place.line - 1) else {
        return nil
      }
      let next = index + 1 < entries.count ? entries[index + 1].keyPosition?.line ?? 0 : range.upperBound + 1
      guard next > place.line, next - 1 <= range.upperBound else { return nil }
      // Comments above the next key, and blank lines, are not this key's.
      var end = next - 1
      while end > place.line, YAMLLine.isBlank(lines[end - 1]) || isComment(end - 1, notDeeperThan: place.column - 1) {
        end -= 1
      }
      let prefix = lines[place.line - 1].unicodeScalars.prefix(place.column - 1)
      guard prefix.allSatisfy({ $0 == " " || (index == 0 && $0 == "-") }) else { return nil }
      rows.append(Row(entry: entry, place: place, lines: (place.line - 1)..<end))
    }
    return rows
  }

  private func isComment(_ line: Int, notDeeperThan column: Int) -> Bool {
    YAMLLine.isComment(lines[line]) && YAMLLine.indent(lines[line]) <= column
  }

  private func change(_ row: Row, _ old: JSONValue?, _ member: JSONValue.Member) -> [Edit]? {
    let start = row.lines.lowerBound
    if case .object = member.value, case .object(let before)? = old, !before.isEmpty,
      let inner = row.entry.value.position, inner.line > row.place.line, row.lines.contains(inner.line - 1),
      let edits = edits(row.entry.value, old ?? .null, member.value, within: (start + 1)..<row.lines.upperBound)
    {
      return edits
    }
    var lines = rendered(member, column: row.place.column)
    let prefix = String(self.lines[start].unicodeScalars.prefix(row.place.column - 1))
    lines[0] = prefix + lines[0].dropFirst(row.place.column - 1)
    if row.lines.count == 1, lines.count == 1 {
      lines[0] += YAMLLine.comment(self.lines[start], from: row.place.column)
    }
    return [Edit(range: row.lines, lines: lines)]
  }

  private func rendered(_ member: JSONValue.Member, column: Int) -> [String] {
    let space = String(repeating: " ", count: column - 1)
    return YAMLWriter.entry(member).map { $0.isEmpty ? $0 : space + $0 }
  }
}
