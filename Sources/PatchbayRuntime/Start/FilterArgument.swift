import PatchbayInspect

/// Filters as they come from the command line.
package enum FilterArgument {
  /// - Throws: a sentence with the filter and the column where it goes wrong.
  package static func parse(_ text: String?, option: String = "the filter") throws -> Filter {
    guard let text else { return .everything }
    do {
      return try Filter(parsing: text)
    } catch {
      let hint = error.suggestion.map { "; did you mean “\($0)”?" } ?? "."
      throw RuntimeError(
        "\(option) “\(text)” cannot be read at column \(error.range.lowerBound + 1): \(error.message)\(hint)")
    }
  }
}
