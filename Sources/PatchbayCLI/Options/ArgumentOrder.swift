/// Puts filters that begin with `-` where the parser takes them as arguments: behind `--`.
enum ArgumentOrder {
  private static let commands: Set<String> = ["history", "export", "log"]
  private static let optionsWithValue: Set<String> = [
    "--filter", "--expect", "--forbid", "--socket", "--history", "--limit", "--since", "-o", "--output",
  ]

  /// A token of one dash and two or more characters is a filter (`-path:/health`), never an option: the only short
  /// options are `-h` and `-o`.
  static func filtersLast(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, commands.contains(command), !arguments.contains("--") else {
      return arguments
    }
    var rest: [String] = []
    var filters: [String] = []
    var isValue = false
    for argument in arguments {
      if !isValue, argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.count > 2 {
        filters.append(argument)
      } else {
        rest.append(argument)
      }
      isValue = !isValue && optionsWithValue.contains(argument)
    }
    return filters.isEmpty ? arguments : rest + ["--"] + filters
  }
}
