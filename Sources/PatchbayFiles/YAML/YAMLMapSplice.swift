import PatchbayStubs

/// Changes the lines of a map in block style, key by key, and of lists item by item: what is the same keeps its lines and
/// comments, and of what is written anew the comments stay.
struct YAMLMapSplice {
  let lines: [String]

  private typealias Edit = SpliceEdit<String>

  /// Each key with the lines that it covers.
  private struct Row {
    var entry: DocumentNode.Entry
    var place: SourcePosition
    var lines: Range<Int>
  }

  /// The lines of one list item with the new value in the place of the old; nil when they cannot be told apart.
  func body(_ range: Range<Int>, _ node: DocumentNode, _ old: JSONValue, _ new: JSONValue) -> [String]? {
    guard let edits = inPlace(node, old, new) ?? edits(node, old, new, within: range) else { return nil }
    return lines.spliced(edits, within: range)
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
      edits.append(Edit(range: row.lines, new: []))
    }
    return edits + insertions.map { Edit(range: $0.key..<$0.key, new: $0.value) }
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

  private func inPlace(_ node: DocumentNode, _ old: JSONValue, _ new: JSONValue) -> [Edit]? {
    YAMLInPlace(lines: lines).lines(node, old, new)?.map { Edit(range: $0.key..<($0.key + 1), new: [$0.value]) }
  }

  private func change(_ row: Row, _ old: JSONValue?, _ member: JSONValue.Member) -> [Edit]? {
    let start = row.lines.lowerBound
    if let old, let edits = inPlace(row.entry.value, old, member.value) { return edits }
    if case .array(let after) = member.value, case .array(let before)? = old,
      let edits = edits(row.entry.value, before, after, within: (start + 1)..<row.lines.upperBound)
    {
      return edits
    }
    if case .object = member.value, case .object(let before)? = old, !before.isEmpty,
      let inner = row.entry.value.position, inner.line > row.place.line, row.lines.contains(inner.line - 1),
      let edits = edits(row.entry.value, old ?? .null, member.value, within: (start + 1)..<row.lines.upperBound)
    {
      return edits
    }
    var lines = rendered(member, column: row.place.column)
    let prefix = String(self.lines[start].unicodeScalars.prefix(row.place.column - 1))
    lines[0] = prefix + lines[0].dropFirst(row.place.column - 1)
    let comments = comments(row.entry.value, row.lines, from: row.place.column)
    lines[0] += comments.first
    let space = String(repeating: " ", count: YAMLLine.indent(self.lines[start]))
    return [Edit(range: row.lines, new: comments.others.map { space + $0 } + lines)]
  }

  /// The comment at the end of the first line, and those of the other lines of a value that is written anew. Nothing
  /// where a text of several lines could look like one.
  private func comments(_ node: DocumentNode, _ range: Range<Int>, from column: Int) -> (
    first: String, others: [String]
  ) {
    if range.count > 1, !isOneLineEach(node, inFlow: false) { return ("", []) }
    let others = lines[range].dropFirst().map { line -> String in
      if YAMLLine.isComment(line) { return line }
      return YAMLLine.comment(line, from: YAMLLine.indent(line) + 1)
    }
    let texts = others.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    return (YAMLLine.comment(lines[range.lowerBound], from: column), texts)
  }

  /// Whether each single value in it stands on one line.
  private func isOneLineEach(_ node: DocumentNode, inFlow: Bool) -> Bool {
    switch node.value {
    case .map(let entries): entries.allSatisfy { isOneLineEach($0.value, inFlow: inFlow) }
    case .list(let items): items.allSatisfy { isOneLineEach($0, inFlow: inFlow) }
    case .scalar:
      [false, true].contains { YAMLInPlace(lines: lines).place(of: node, inFlow: $0) != nil } || node.isNull
    }
  }

  // MARK: - Lists

  /// nil when the list is not in block style, a dash to a line.
  private func edits(
    _ node: DocumentNode, _ old: [JSONValue], _ new: [JSONValue], within range: Range<Int>
  ) -> [Edit]? {
    guard case .list(let items) = node.value, items.count == old.count, let places = dashes(items, within: range) else {
      return nil
    }
    let front = zip(old, new).prefix { $0 == $1 }.count
    let back = min(zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, min(old.count, new.count) - front)
    let gone = front..<(old.count - back)
    let come = front..<(new.count - back)
    if gone.count == come.count {
      var edits: [Edit] = []
      for place in gone where old[place] != new[place] {
        let lines = places.lines[place]
        edits +=
          self.edits(items[place], old[place], new[place], within: lines)
          ?? [Edit(range: lines, new: rendered(new[place], items[place], lines, indent: places.indent))]
      }
      return edits
    }
    let at = gone.isEmpty ? (front == 0 ? places.lines[0].lowerBound : places.lines[front - 1].upperBound) : nil
    let lines =
      at.map { $0..<$0 } ?? places.lines[gone.lowerBound].lowerBound..<places.lines[gone.upperBound - 1].upperBound
    let space = String(repeating: " ", count: places.indent)
    return [Edit(range: lines, new: come.flatMap { YAMLWriter.item(new[$0]) }.map { $0.isEmpty ? $0 : space + $0 })]
  }

  /// The lines of each item, without the comments above the next one.
  private func dashes(_ items: [DocumentNode], within range: Range<Int>) -> (lines: [Range<Int>], indent: Int)? {
    var starts: [Int] = []
    var indent: Int?
    for item in items {
      guard let place = item.position, let dash = YAMLLine.dash(lines, at: place), range.contains(dash.line),
        dash.indent == indent ?? dash.indent, dash.line > starts.last ?? -1
      else { return nil }
      indent = dash.indent
      starts.append(dash.line)
    }
    guard let indent else { return nil }
    let found = starts.indices.map { index -> Range<Int> in
      var end = index + 1 < starts.count ? starts[index + 1] : range.upperBound
      while end > starts[index] + 1, YAMLLine.isBlank(lines[end - 1]) || isComment(end - 1, notDeeperThan: indent) {
        end -= 1
      }
      return starts[index]..<end
    }
    return (found, indent)
  }

  private func rendered(_ value: JSONValue, _ node: DocumentNode, _ range: Range<Int>, indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    var lines = YAMLWriter.item(value).map { $0.isEmpty ? $0 : space + $0 }
    let comments = comments(node, range, from: indent + 2)
    lines[0] += comments.first
    return comments.others.map { space + $0 } + lines
  }

  private func rendered(_ member: JSONValue.Member, column: Int) -> [String] {
    let space = String(repeating: " ", count: column - 1)
    return YAMLWriter.entry(member).map { $0.isEmpty ? $0 : space + $0 }
  }
}
