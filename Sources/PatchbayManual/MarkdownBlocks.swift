/// The parts of a Markdown page, as far as the manual uses Markdown.
package enum MarkdownBlock: Hashable, Sendable {
  case heading(level: Int, String)
  case paragraph(String)
  /// A list item; what stands before it is its mark, `-` or `1.`.
  case item(mark: String, depth: Int, String)
  /// A code block with what stands behind its fence.
  case code(language: String, [String])
  case table(head: [String], rows: [[String]])

  /// Comments and pictures are left out.
  package static func blocks(of markdown: String) -> [MarkdownBlock] {
    var reader = Reader()
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) { reader.take(line) }
    reader.endBlock()
    return reader.blocks
  }

  private struct Reader {
    var blocks: [MarkdownBlock] = []
    /// A paragraph, item or table whose end has not come.
    private var open: [Substring] = []
    private var fence: (language: String, lines: [String])?
    private var isComment = false

    mutating func take(_ line: Substring) {
      if let code = fence {
        if line.hasPrefix("```") {
          blocks.append(.code(language: code.language, code.lines))
          fence = nil
        } else {
          fence?.lines.append(String(line))
        }
        return
      }
      if isComment || line.hasPrefix("<!--") {
        isComment = !line.contains("-->")
        return
      }
      if line.hasPrefix("```") {
        endBlock()
        fence = (line.dropFirst(3).trimmed, [])
      } else if line.allSatisfy(\.isWhitespace) || line.hasPrefix("![") {
        endBlock()
      } else if line.hasPrefix("#") {
        endBlock()
        let level = line.prefix { $0 == "#" }.count
        blocks.append(.heading(level: level, line.dropFirst(level).trimmed))
      } else {
        if MarkdownBlock.mark(line) != nil || line.hasPrefix("|") != (open.first?.hasPrefix("|") ?? false) {
          endBlock()
        }
        open.append(line)
      }
    }

    mutating func endBlock() {
      guard let first = open.first else { return }
      defer { open = [] }
      if first.hasPrefix("|") {
        let rows = open.map(MarkdownBlock.cells)
        blocks.append(.table(head: rows[0], rows: Array(rows.dropFirst(2))))
        return
      }
      let text = open.map(\.trimmed).joined(separator: " ")
      if let mark = MarkdownBlock.mark(first) {
        let indent = first.prefix { $0 == " " }.count
        blocks.append(.item(mark: mark, depth: indent / 2, String(text.dropFirst(mark.count + 1))))
      } else {
        blocks.append(.paragraph(text))
      }
    }
  }

  private static func mark(_ line: Substring) -> String? {
    let text = line.drop { $0 == " " }
    if text.hasPrefix("- ") { return "-" }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && text.dropFirst(digits.count).hasPrefix(". ") ? "\(digits)." : nil
  }

  /// `\|` is a bar in a cell.
  private static func cells(_ line: Substring) -> [String] {
    var cells = [""]
    var isEscaped = false
    for character in line.trimmed.dropFirst() {
      if character == "|", !isEscaped {
        cells.append("")
      } else if character == "|" {
        cells[cells.count - 1].removeLast()
        cells[cells.count - 1].append("|")
      } else {
        cells[cells.count - 1].append(character)
      }
      isEscaped = character == "\\"
    }
    return cells.dropLast().map { Substring($0).trimmed }
  }
}

extension Substring {
  /// Without spaces at both ends.
  fileprivate var trimmed: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
