import ArgumentParser
import PatchbayStubs

/// Looks at the names of commands before the parser does, which would take a misspelt one for a stray argument.
enum CommandNames {
  /// - Throws: a sentence that suggests the near one.
  static func check(_ arguments: [String]) throws {
    var command: any ParsableCommand.Type = PatchbayCommand.self
    var path = "patchbay"
    for word in arguments {
      let shown = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      guard !shown.isEmpty, !word.hasPrefix("-") else { return }
      if let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) {
        command = next
        path += " \(word)"
        continue
      }
      if word == "help" { continue }
      let names = shown.compactMap { $0.configuration.commandName }
      let end = NearestName.hint(
        for: word, among: names + ["help"], otherwise: ": choose one of \(names.joined(separator: ", "))")
      throw UsageError("There is no command `\(path) \(word)`\(end)", command: path)
    }
  }
}

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
