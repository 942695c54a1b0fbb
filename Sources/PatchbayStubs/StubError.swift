/// What went wrong with a stub, a pattern or a document: one sentence that says what, where and what to do.
public struct StubError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String
  /// Where in the text, if it came from one.
  public var position: SourcePosition?

  public init(_ message: String, at position: SourcePosition? = nil) {
    self.message = message
    self.position = position
  }

  public var description: String {
    guard let position else { return message }
    return "\(position): \(message)"
  }
}

/// A place in a text: both count from 1, columns in Unicode scalars.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Of that place in a text.
  package init(of place: String.Index, in text: String) {
    let before = text.unicodeScalars[..<place]
    let start = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
    self.init(line: before.count { $0 == "\n" } + 1, column: before[start...].count + 1)
  }

  public var description: String { "\(line):\(column)" }

  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
