import PatchbayStubs

/// Changes single values where they stand, in block style or between brackets: everything else on their lines stays.
struct YAMLInPlace {
  let lines: [String]

  /// One value on one line, by its scalars.
  private struct Replacement {
    var line: Int
    var range: Range<Int>
    var text: String
  }

  /// The lines that change, by their number from 0; nil where more than single values differ, or where one of them
  /// cannot be told from the rest of its line.
  func lines(_ node: DocumentNode, _ old: JSONValue, _ new: JSONValue) -> [Int: String]? {
    var found: [Replacement] = []
    guard collect(node, old, new, inFlow: false, &found) else { return nil }
    var changed: [Int: String] = [:]
    // From the right, so that the places of the others stay.
    for one in found.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      let scalars = Array((changed[one.line] ?? lines[one.line]).unicodeScalars)
      var line = String.UnicodeScalarView(scalars[..<one.range.lowerBound])
      line.append(contentsOf: one.text.unicodeScalars)
      line.append(contentsOf: scalars[one.range.upperBound...])
      changed[one.line] = String(line)
    }
    return changed
  }

  private func collect(
    _ node: DocumentNode, _ old: JSONValue, _ new: JSONValue, inFlow: Bool, _ found: inout [Replacement]
  ) -> Bool {
    if old == new { return true }
    let inFlow = inFlow || isFlow(node)
    switch (old, new, node.value) {
    case (.object(let before), .object(let after), .map(let entries)):
      guard before.map(\.name) == after.map(\.name) else { return false }
      return zip(before, after).allSatisfy { one, other in
        if one.value == other.value { return true }
        guard let entry = entries.first(where: { $0.key == one.name }) else { return false }
        return collect(entry.value, one.value, other.value, inFlow: inFlow, &found)
      }
    case (.array(let before), .array(let after), .list(let items)):
      guard before.count == after.count, before.count == items.count else { return false }
      return items.indices.allSatisfy { collect(items[$0], before[$0], after[$0], inFlow: inFlow, &found) }
    case (.object, _, _), (.array, _, _), (_, .object, _), (_, .array, _), (_, _, .map), (_, _, .list): return false
    case (_, _, .scalar):
      guard let place = place(of: node, inFlow: inFlow), let text = YAMLWriter.inline(new, inFlow: inFlow) else {
        return false
      }
      found.append(Replacement(line: place.line, range: place.range, text: text))
      return true
    }
  }

  private func isFlow(_ node: DocumentNode) -> Bool {
    guard let place = node.position, lines.indices.contains(place.line - 1) else { return false }
    switch node.value {
    case .scalar: return false
    case .list, .map: break
    }
    let scalar = lines[place.line - 1].unicodeScalars.dropFirst(place.column - 1).first
    return scalar == "{" || scalar == "["
  }

  /// The line and scalars of a value that stands on one line; nil where its end cannot be told.
  func place(of node: DocumentNode, inFlow: Bool) -> (line: Int, range: Range<Int>)? {
    guard let position = node.position, lines.indices.contains(position.line - 1) else { return nil }
    let scalars = Array(lines[position.line - 1].unicodeScalars)
    let start = position.column - 1
    guard start < scalars.count, let end = Self.end(scalars, from: start, inFlow: inFlow), end > start else {
      return nil
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<end])
    // What was cut out must be the value: an anchor, a tag or a text of several lines is not.
    guard let alone = try? YAMLReader.document(String(text)), alone.value == node.value else { return nil }
    return (position.line - 1, start..<end)
  }

  private static func end(_ scalars: [Unicode.Scalar], from start: Int, inFlow: Bool) -> Int? {
    let quote = scalars[start]
    if quote == "\"" || quote == "'" {
      var at = start + 1
      while at < scalars.count {
        if quote == "\"", scalars[at] == "\\" {
          at += 2
          continue
        }
        if scalars[at] == quote {
          guard quote == "'", at + 1 < scalars.count, scalars[at + 1] == "'" else { return at + 1 }
          at += 1
        }
        at += 1
      }
      return nil
    }
    var at = start
    while at < scalars.count {
      let isSpaced = at > start && scalars[at - 1] == " "
      if scalars[at] == "#", isSpaced { break }
      if inFlow, ",[]{}".unicodeScalars.contains(scalars[at]) { break }
      at += 1
    }
    while at > start, scalars[at - 1] == " " || scalars[at - 1] == "\t" { at -= 1 }
    return at
  }
}
