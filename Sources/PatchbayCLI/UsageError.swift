import Foundation

/// The command line was not understood: what is wrong with it, and whose help says more.
struct UsageError: Error, CustomStringConvertible, LocalizedError {
  var description: String

  /// - Parameter command: such as `patchbay run`.
  init(_ problem: String, command: String) {
    let problem = problem.split(separator: "\n").joined(separator: " ")
    let end = problem.last.map { ".?!".contains($0) } == true ? "" : "."
    description = "\(problem)\(end) See `\(command) --help`."
  }

  var errorDescription: String? { description }
}
