import PatchbayStubs

/// The lines of a stub file in YAML: what comes before the stubs, the lines of each stub with the comments that belong
/// to it, and what comes after.
struct YAMLSplice {
  /// The lines of one stub.
  private struct Chunk {
    /// Comments that stand by themselves before it, a blank line after them.
    var section: [String] = []
    /// Comments right above it.
    var lead: [String] = []
    /// Its lines in the file.
    var body: Range<Int>
    /// Blank lines between the one before and this one.
    var gap = 0
  }

  private let file: StubFile
  private let lines: [String]
  private let hasCarriageReturns: Bool
  private var header: [String] = []
  private var chunks: [Chunk] = []
  private var tail: [String] = []
  private var indent = 0

  /// nil when the file is laid out in a way that lines cannot be told apart.
  init?(_ file: StubFile) {
    self.file = file
    let raw = file.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    // A line break of both characters is one Character, so the split is by Unicode scalars.
    let scalars = file.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    hasCarriageReturns = scalars.count > 1 && scalars.dropLast().allSatisfy { $0.unicodeScalars.last == "\r" }
    lines = hasCarriageReturns ? scalars.map { Self.withoutReturn($0) } : raw.count == scalars.count ? raw : scalars
    guard let list = file.document["stubs"] else {
      header = lines
      while header.last?.isEmpty == true { header.removeLast() }
      header.append("stubs:")
      tail = [""]
      return
    }
    switch list.value {
    case .list(let items) where !items.isEmpty:
      guard takeChunks(list, items) else { return nil }
    case .list, .scalar: guard takeEmptyList() else { return nil }
    case .map: return nil
    }
  }

  private static func withoutReturn(_ line: String) -> String {
    guard line.unicodeScalars.last == "\r" else { return line }
    return String(String.UnicodeScalarView(line.unicodeScalars.dropLast()))
  }

  /// `stubs:` or `stubs: []`
  private mutating func takeEmptyList() -> Bool {
    guard case .map(let entries) = file.document.value,
      let place = entries.first(where: { $0.key == "stubs" })?.keyPosition, place.line <= lines.count
    else { return false }
    let comment = YAMLLine.comment(lines[place.line - 1], from: place.column + 5)
    guard lines[place.line - 1].hasPrefix("stubs:") else { return false }
    let rest = lines[place.line - 1].dropFirst(6).dropLast(comment.count)
    guard ["", "[]", "null", "~"].contains(String(rest.filter { $0 != " " })) else { return false }
    header = Array(lines[..<(place.line - 1)]) + ["stubs:" + comment]
    tail = Array(lines[place.line...])
    return true
  }

  private mutating func takeChunks(_ list: DocumentNode, _ items: [DocumentNode]) -> Bool {
    var starts: [Int] = []
    for item in items {
      guard let place = item.position, let start = YAMLLine.dash(lines, at: place) else { return false }
      if starts.isEmpty { indent = start.indent }
      guard start.indent == indent, start.line > starts.last ?? -1 else { return false }
      starts.append(start.line)
    }
    var previousEnd = 0
    for (index, start) in starts.enumerated() {
      let limit = index + 1 < starts.count ? starts[index + 1] : lines.count
      var end = start + 1
      for line in end..<max(limit, end) {
        if YAMLLine.isBlank(lines[line]) { continue }
        let depth = YAMLLine.indent(lines[line])
        if depth <= indent, !YAMLLine.isComment(lines[line]) { break }
        if depth > indent { end = line + 1 }
      }
      var chunk = Chunk(body: start..<end)
      var before = Array(lines[previousEnd..<start])
      while let last = before.last, YAMLLine.isComment(last) { chunk.lead.insert(before.removeLast(), at: 0) }
      if index == 0 {
        header = before
      } else if before.contains(where: { YAMLLine.isComment($0) }) {
        let first = before.firstIndex { YAMLLine.isComment($0) } ?? 0
        chunk.gap = first
        chunk.section = Array(before[first...])
      } else {
        chunk.gap = before.count
      }
      chunks.append(chunk)
      previousEnd = end
    }
    tail = Array(lines[previousEnd...])
    return true
  }

  /// The file's text with these stubs.
  ///
  /// - Parameter whole: write stubs that changed anew as a whole, rather than only their changed lines.
  func text(_ slots: [StubFileWriter.Slot], whole: Bool) -> String? {
    let kept = Set(slots.compactMap(\.source))
    let usualGap = chunks.count > 1 && chunks.dropFirst().filter({ $0.gap > 0 }).count * 2 < chunks.count - 1 ? 0 : 1
    var output = header
    var orphans: [Int: [String]] = [:]
    for (index, chunk) in chunks.enumerated() where !kept.contains(index) {
      let comments = (orphans.removeValue(forKey: index) ?? []) + chunk.section
      if !comments.isEmpty { orphans[index + 1] = comments }
    }
    var previous: Int?
    for (index, slot) in slots.enumerated() {
      if index > 0 {
        let follows = slot.source.map { $0 > 0 && previous == $0 - 1 } ?? false
        let gap = follows ? chunks[slot.source ?? 0].gap : usualGap
        output += [String](repeating: "", count: gap)
      }
      if let source = slot.source {
        let chunk = chunks[source]
        output += (orphans.removeValue(forKey: source) ?? []) + chunk.section + chunk.lead
        output += body(slot, source, whole: whole)
      } else {
        output += rendered(slot.stub)
      }
      previous = slot.source
    }
    output += orphans.sorted { $0.key < $1.key }.filter { $0.key >= chunks.count }.flatMap(\.value)
    output += tail
    if output.last?.isEmpty == false { output.append("") }
    return output.joined(separator: hasCarriageReturns ? "\r\n" : "\n")
  }

  private func rendered(_ stub: Stub) -> [String] {
    let space = String(repeating: " ", count: indent)
    return YAMLWriter.item(stub.json).map { $0.isEmpty ? $0 : space + $0 }
  }

  private func body(_ slot: StubFileWriter.Slot, _ source: Int, whole: Bool) -> [String] {
    let range = chunks[source].body
    guard slot.isChanged else { return Array(lines[range]) }
    let located = file.located[source]
    if !whole, let edited = YAMLMapSplice(lines: lines).body(range, located.node, located.stub.json, slot.stub.json) {
      return edited
    }
    return rendered(slot.stub)
  }
}

/// What can be told of one line of YAML.
enum YAMLLine {
  static func isBlank(_ line: String) -> Bool { line.allSatisfy { $0 == " " || $0 == "\t" } }

  static func isComment(_ line: String) -> Bool { line.first { $0 != " " && $0 != "\t" } == "#" }

  static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The line (from 0) and column (from 0) of the dash of the list item whose content begins there.
  static func dash(_ lines: [String], at place: SourcePosition) -> (line: Int, indent: Int)? {
    var line = place.line - 1
    guard lines.indices.contains(line) else { return nil }
    var before = String(String.UnicodeScalarView(lines[line].unicodeScalars.prefix(place.column - 1)))
    while isBlank(before) || isComment(before) {
      line -= 1
      guard line >= 0 else { return nil }
      before = lines[line]
      let comment = comment(before, from: 1)
      before = String(before.dropLast(comment.count))
    }
    while before.last == " " { before.removeLast() }
    guard before.last == "-", isBlank(String(before.dropLast())) else { return nil }
    return (line, before.count - 1)
  }

  /// The comment at the line's end with the space before it; empty where there is none. Quotes are minded.
  static func comment(_ line: String, from column: Int) -> String {
    var quote: Character?
    var previous: Character = " "
    var space: String.Index?
    var index = line.index(line.startIndex, offsetBy: max(column - 1, 0), limitedBy: line.endIndex) ?? line.endIndex
    while index < line.endIndex {
      let character = line[index]
      if let open = quote {
        if open == "\"", character == "\\" {
          index = line.index(after: index)
          if index == line.endIndex { break }
        } else if character == open {
          quote = nil
        }
        space = nil
      } else if character == "#", previous == " " {
        return String(line[(space ?? index)...])
      } else if character == " " {
        if space == nil { space = index }
      } else {
        if character == "\"" || character == "'", !previous.isLetter, !previous.isNumber { quote = character }
        space = nil
      }
      previous = character
      index = line.index(after: index)
    }
    return ""
  }
}
