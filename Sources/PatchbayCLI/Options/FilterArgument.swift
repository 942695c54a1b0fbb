import PatchbayInspect

/// Filters as they come from the command line.
enum FilterArgument {
  /// - Throws: a sentence with the filter and a mark under the column where it goes wrong.
  static func parse(_ text: String?, option: String = "the filter") throws -> Filter {
    guard let text else { return .everything }
    do {
      return try Filter(parsing: text)
    } catch {
      throw CLIError("\(option) cannot be read: \(error)")
    }
  }
}
