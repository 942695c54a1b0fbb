import Foundation

/// What went wrong on the command line, as one sentence that names the thing and the way out.
struct CLIError: Error, CustomStringConvertible, LocalizedError {
  var description: String

  init(_ description: String) { self.description = description }

  var errorDescription: String? { description }
}
