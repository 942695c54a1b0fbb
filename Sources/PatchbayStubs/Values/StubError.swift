/// What went wrong with a stub, a pattern or a document: one sentence that says what, where and what to do.
package struct StubError: Error, Hashable, Sendable, CustomStringConvertible {
  package var message: String
  /// Where in the text, if it came from one.
  package var position: SourcePosition?

  package init(_ message: String, at position: SourcePosition? = nil) {
    self.message = message
    self.position = position
  }

  package var description: String {
    guard let position else { return message }
    return "\(position): \(message)"
  }
}

/// A place in a text: both count from 1, columns in Unicode scalars.
package struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Of that place in a text.
  package init(of place: String.Index, in text: String) {
    let before = text.unicodeScalars[..<place]
    let start = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
    self.init(line: before.count { $0 == "\n" } + 1, column: before[start...].count + 1)
  }

  package var description: String { "\(line):\(column)" }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
