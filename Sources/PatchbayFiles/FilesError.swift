import PatchbayStubs

/// A mistake in a file that a person wrote.
public struct FileMistake: Hashable, Sendable, CustomStringConvertible {
  /// As it was given.
  public var path: String
  public var position: SourcePosition?
  /// One sentence, without the place.
  public var message: String

  public init(path: String, position: SourcePosition? = nil, message: String) {
    self.path = path
    self.position = position
    self.message = message
  }

  /// `stubs.yaml:3:5: unknown key …`
  public var description: String {
    position.map { "\(path):\($0): \(message)" } ?? "\(path): \(message)"
  }
}

/// What is wrong with files that people write: all mistakes at once, in order.
public struct FilesError: Error, Hashable, Sendable, CustomStringConvertible {
  public var mistakes: [FileMistake]

  public init(_ mistakes: [FileMistake]) { self.mistakes = mistakes }

  public init(path: String, _ message: String) {
    mistakes = [FileMistake(path: path, message: message)]
  }

  init(path: String, _ errors: [StubError]) {
    mistakes = errors.map { FileMistake(path: path, position: $0.position, message: $0.message) }
  }

  /// A line for each mistake.
  public var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
