import PatchbayGrid

/// A page as lines for a terminal or a pipe.
package struct ManualText: Sendable {
  /// Columns that lines are wrapped at. Code is never wrapped.
  package var width: Int
  /// Whether headings, code and stress are told by colours and bold letters.
  package var isStyled: Bool

  package init(width: Int, isStyled: Bool) {
    self.width = max(20, width)
    self.isStyled = isStyled
  }

  package func lines(_ markdown: String) -> [String] {
    var lines: [String] = []
    var previous: MarkdownBlock?
    for block in MarkdownBlock.blocks(of: markdown) {
      if previous.map({ !$0.isItem || !block.isItem }) == true { lines.append("") }
      lines += self.lines(of: block)
      previous = block
    }
    return lines
  }

  private func lines(of block: MarkdownBlock) -> [String] {
    switch block {
    case .heading(let level, let text):
      let plain = Self.plain(text)
      return [styled(level == 1 ? plain.uppercased() : plain, level < 3 ? .heading : .strong)]
    case .paragraph(let text): return wrap(text, first: "", rest: "")
    case .item(let mark, let depth, let text):
      let indent = String(repeating: "  ", count: depth)
      return wrap(text, first: indent + mark + " ", rest: indent + String(repeating: " ", count: mark.count + 1))
    case .code(_, let code): return code.map { $0.isEmpty ? "" : "    " + styled($0, .code) }
    case .table(let head, let rows): return table(head, rows)
    }
  }

  // MARK: Tables

  private func table(_ head: [String], _ rows: [[String]]) -> [String] {
    let all = ([head] + rows).map { row in head.indices.map { $0 < row.count ? row[$0] : "" } }
    var widths = head.indices.map { column in all.map { textWidth(Self.plain($0[column])) }.max() ?? 0 }
    let room = width - 2 * (head.count - 1)
    // The widest gives way first, down to what its longest word needs.
    let least = head.indices.map { column in
      all.map { Self.plain($0[column]).split(separator: " ").map { textWidth($0) }.max() ?? 0 }.max() ?? 0
    }
    while widths.reduce(0, +) > room,
      let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
    var lines: [String] = []
    for (number, row) in all.enumerated() {
      let cells = row.indices.map { Self.wrapped(row[$0], toWidth: max(widths[$0], 1)) }
      for line in 0..<(cells.map(\.count).max() ?? 0) {
        var text = ""
        for column in cells.indices {
          let cell = line < cells[column].count ? cells[column][line] : ""
          let shown = number == 0 ? styled(Self.plain(cell), .strong) : inline(cell)
          let gap = max(0, widths[column] - textWidth(Self.plain(cell))) + 2
          text += shown + (column == cells.count - 1 ? "" : String(repeating: " ", count: gap))
        }
        while text.last == " " { text.removeLast() }
        lines.append(text)
      }
    }
    return lines
  }

  // MARK: Text

  private func wrap(_ text: String, first: String, rest: String) -> [String] {
    Self.wrapped(text, toWidth: width - first.count).enumerated().map { ($0 == 0 ? first : rest) + inline($1) }
  }

  /// Pieces that fit. A word is never parted, and what stands in one pair of marks is one word only where it has no space;
  /// marks that stay open at an end are closed there and opened again.
  private static func wrapped(_ text: String, toWidth width: Int) -> [String] {
    var lines = [""]
    var open: String?
    for word in links(text).split(separator: " ") {
      let line = lines[lines.count - 1]
      if !line.isEmpty, textWidth(plain(line)) + 1 + textWidth(plain(String(word))) > width {
        lines[lines.count - 1] += open ?? ""
        lines.append((open ?? "") + word)
      } else {
        lines[lines.count - 1] += (line.isEmpty ? "" : " ") + word
      }
      open = Self.open(after: word, open)
    }
    return lines
  }

  private static func open(after word: Substring, _ before: String?) -> String? {
    var open = before
    var rest = word
    while let first = rest.first {
      if first == "`", open != "**" {
        open = open == nil ? "`" : nil
      } else if rest.hasPrefix("**"), open != "`" {
        open = open == nil ? "**" : nil
        rest.removeFirst()
      }
      rest.removeFirst()
    }
    return open
  }

  /// `[text](Page.md)` as the text alone, and as text and address where it leads into the web.
  private static func links(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let open = rest.firstIndex(of: "["), let middle = rest[open...].firstRange(of: "]("),
      let close = rest[middle.upperBound...].firstIndex(of: ")")
    {
      let address = rest[middle.upperBound..<close]
      result += rest[..<open] + rest[rest.index(after: open)..<middle.lowerBound]
      if address.hasPrefix("http") { result += " (\(address))" }
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// Without its marks.
  private static func plain(_ text: String) -> String {
    var result = ""
    var isCode = false
    var rest = Substring(links(text))
    while let first = rest.first {
      if first == "`" {
        isCode.toggle()
      } else if !isCode, rest.hasPrefix("**") {
        rest.removeFirst()
      } else {
        result.append(first)
      }
      rest.removeFirst()
    }
    return result
  }

  /// The marks as styles.
  private func inline(_ text: String) -> String {
    guard isStyled else { return Self.plain(text) }
    var result = ""
    var piece = ""
    var style = Style.plain
    var rest = Substring(text)
    func end(_ next: Style) {
      result += styled(piece, style)
      piece = ""
      style = next
    }
    while let first = rest.first {
      if first == "`" {
        end(style == .code ? .plain : .code)
      } else if style != .code, rest.hasPrefix("**") {
        end(style == .strong ? .plain : .strong)
        rest.removeFirst()
      } else {
        piece.append(first)
      }
      rest.removeFirst()
    }
    end(.plain)
    return result
  }

  private enum Style: String {
    case plain = ""
    case heading = "1;36"
    case strong = "1"
    case code = "33"
  }

  private func styled(_ text: String, _ style: Style) -> String {
    isStyled && style != .plain && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension MarkdownBlock {
  fileprivate var isItem: Bool {
    if case .item = self { true } else { false }
  }
}
