import PatchbayStubs

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
