import Foundation

/// Cuts XML and HTML into indented lines. Elements that hold only text stay on one line.
struct MarkupScanner {
  private static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "!doctype",
  ]

  private let text: Substring.UTF8View
  private var lines: [BodyLine] = []
  private var indent = 0

  private enum Piece {
    case open(String, [BodyLine.Run])
    case close(String, [BodyLine.Run])
    case alone([BodyLine.Run])
    case text(String)
  }

  static func lines(of text: String) -> [BodyLine] {
    var scanner = MarkupScanner(text: Substring(text).utf8)
    scanner.run()
    return scanner.lines
  }

  private init(text: Substring.UTF8View) {
    self.text = text
  }

  private mutating func run() {
    let pieces = Self.pieces(of: Substring(text))
    var index = 0
    while index < pieces.count {
      switch pieces[index] {
      case .open(let name, let runs):
        if index + 2 < pieces.count, case .text(let inner) = pieces[index + 1],
          case .close(name, let closing) = pieces[index + 2], !inner.contains("\n"), inner.utf8.count <= 400
        {
          lines.append(BodyLine(indent: indent, runs: runs + [BodyLine.Run(.text, inner)] + closing))
          index += 3
          continue
        }
        if index + 1 < pieces.count, case .close(name, let closing) = pieces[index + 1] {
          lines.append(BodyLine(indent: indent, runs: runs + closing))
          index += 2
          continue
        }
        lines.append(BodyLine(indent: indent, runs: runs, opens: true))
        indent += 1
      case .close(_, let runs):
        indent = max(0, indent - 1)
        lines.append(BodyLine(indent: indent, runs: runs))
      case .alone(let runs):
        lines.append(BodyLine(indent: indent, runs: runs))
      case .text(let inner):
        for line in inner.split(whereSeparator: \.isNewline) {
          let trimmed = line.drop { $0.isWhitespace }
          if !trimmed.isEmpty { lines.append(BodyLine(indent: indent, runs: [BodyLine.Run(.text, String(trimmed))])) }
        }
      }
      index += 1
    }
  }

  private static func pieces(of text: Substring) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text
    while let start = rest.firstIndex(of: "<") {
      let before = rest[..<start]
      if before.contains(where: { !$0.isWhitespace }) { pieces.append(.text(trimmed(before))) }
      rest = rest[start...]
      if rest.hasPrefix("<!--") {
        let end = rest.range(of: "-->")?.upperBound ?? rest.endIndex
        pieces.append(.alone([BodyLine.Run(.comment, String(rest[..<end]))]))
        rest = rest[end...]
        continue
      }
      let end = tagEnd(rest)
      let tag = rest[..<end]
      rest = rest[end...]
      pieces.append(piece(of: tag))
      if case .open(let name, _) = pieces[pieces.count - 1], name == "script" || name == "style",
        let close = rest.range(of: "</\(name)", options: .caseInsensitive)
      {
        let inner = rest[..<close.lowerBound]
        if inner.contains(where: { !$0.isWhitespace }) { pieces.append(.text(String(inner))) }
        rest = rest[close.lowerBound...]
      }
    }
    if rest.contains(where: { !$0.isWhitespace }) { pieces.append(.text(trimmed(rest))) }
    return pieces
  }

  /// Behind the `>` that ends the tag; one inside quotes does not.
  private static func tagEnd(_ text: Substring) -> Substring.Index {
    var quote: Character?
    var at = text.startIndex
    while at < text.endIndex {
      let character = text[at]
      at = text.index(after: at)
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ">" {
        return at
      }
    }
    return at
  }

  private static func piece(of tag: Substring) -> Piece {
    let name = tag.drop { $0 == "<" || $0 == "/" }.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }.lowercased()
    var runs: [BodyLine.Run] = []
    let head = tag.prefix { !$0.isWhitespace && $0 != ">" }
    runs.append(BodyLine.Run(.tag, String(head)))
    let attributes = tag[head.endIndex...]
    if attributes.hasSuffix(">") {
      let inner = attributes.dropLast()
      if !inner.isEmpty { runs.append(BodyLine.Run(.attribute, String(inner))) }
      runs.append(BodyLine.Run(.tag, ">"))
    } else {
      runs.append(BodyLine.Run(.attribute, String(attributes)))
    }
    if tag.hasPrefix("</") { return .close(name, runs) }
    let alone = tag.hasSuffix("/>") || tag.hasPrefix("<?") || tag.hasPrefix("<!") || void.contains(name)
    return alone ? .alone(runs) : .open(name, runs)
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}
