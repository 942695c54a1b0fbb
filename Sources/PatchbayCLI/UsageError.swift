import Foundation

/// The command line was not understood: what is wrong with it, and whose help says more.
struct UsageError: Error, CustomStringConvertible, LocalizedError {
  var description: String

  /// - Parameter command: such as `patchbay run`.
  init(_ problem: String, command: String) {
    let problem = Self.oneLine(problem)
    let end = problem.last.map { ".?!".contains($0) } == true ? "" : "."
    description = "\(problem)\(end) See `\(command) --help`."
  }

  var errorDescription: String? { description }

  /// The parser gives choices a line each, behind a sentence of their own.
  private static func oneLine(_ problem: String) -> String {
    let lines = problem.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let choices = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }.joined(separator: ", ")
    return lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
      .replacing(". Please provide one of the following:", with: ": choose one of \(choices)")
  }
}
