import PatchbayStubs

/// A mistake in a file that a person wrote.
package struct FileMistake: Hashable, Sendable, CustomStringConvertible {
  /// As it was given.
  package var path: String
  package var position: SourcePosition?
  /// One sentence, without the place.
  package var message: String

  package init(path: String, position: SourcePosition? = nil, message: String) {
    self.path = path
    self.position = position
    self.message = message
  }

  /// `stubs.yaml:3:5: unknown key …`, in one line whatever file and key are called.
  package var description: String {
    let name = path == "-" ? "standard input" : path
    return (position.map { "\(name):\($0): \(message)" } ?? "\(name): \(message)").replacing("\n", with: "␊")
  }
}

/// What is wrong with files that people write: all mistakes at once, in order.
package struct FilesError: Error, Hashable, Sendable, CustomStringConvertible {
  package var mistakes: [FileMistake]

  package init(_ mistakes: [FileMistake]) { self.mistakes = mistakes }

  package init(path: String, _ message: String) {
    mistakes = [FileMistake(path: path, message: message)]
  }

  init(path: String, _ errors: [StubError]) {
    mistakes = errors.map { FileMistake(path: path, position: $0.position, message: $0.message) }
  }

  /// A line for each mistake.
  package var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
