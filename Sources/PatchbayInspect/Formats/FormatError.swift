/// Why something cannot be read or written in a format of other tools.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence.
  public var description: String

  public init(_ description: String) { self.description = description }
}
