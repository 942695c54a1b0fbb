/// Why a filter cannot be read, and where.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause without column and suggestion, such as `unknown key "hots"`.
  public var message: String
  /// The characters that are wrong, counted from 0; empty at a place where something is missing.
  public var range: Range<Int>
  /// What could stand in the place of `range`.
  public var suggestion: String?

  public init(_ message: String, at range: Range<Int>, suggestion: String? = nil) {
    self.message = message
    self.range = range
    self.suggestion = suggestion
  }

  /// One sentence; columns are counted from 1.
  public var description: String {
    let hint = suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
    return "The filter cannot be read at column \(range.lowerBound + 1): \(message)\(hint)"
  }
}
