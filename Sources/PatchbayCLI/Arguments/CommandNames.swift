import ArgumentParser
import PatchbayStubs

/// Looks at the names of commands before the parser does, which would take a misspelt one for a stray argument.
enum CommandNames {
  /// The commands that `help` lists.
  static var shown: [String] {
    PatchbayCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
  }

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

/// Puts what the parser would take for options where it takes it as arguments, behind `--`, and the default command in
/// front where none is named.
enum ArgumentOrder {
  private static let filtering: Set<String> = ["history", "export", "log"]

  static func arranged(_ arguments: [String]) -> [String] { filtersLast(commandLast(commandFirst(arguments))) }

  private static func commandFirst(_ arguments: [String]) -> [String] {
    let configuration = PatchbayCommand.configuration
    guard let standard = configuration.defaultSubcommand?.configuration.commandName else { return arguments }
    let isNamed = configuration.subcommands.contains { $0.configuration.commandName == arguments.first }
    return isNamed || asksTheParser(arguments) ? arguments : [standard] + arguments
  }

  /// Whether the parser answers it for the root itself.
  static func asksTheParser(_ arguments: [String]) -> Bool {
    ["--version", "--generate-completion-script", "--experimental-dump-help", "---completion"]
      .contains(arguments.first)
  }

  /// A token of one dash and two or more characters is a filter (`-path:/health`), never an option: the only short
  /// options are `-h` and `-o`.
  private static func filtersLast(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, filtering.contains(command), !arguments.contains("--") else {
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
      isValue = !isValue && OptionWords.withValue.contains(argument)
    }
    return filters.isEmpty ? arguments : rest + ["--"] + filters
  }

  /// `run ./app --verbose` is `run -- ./app --verbose`: as of `env`, our options end at the first word that is none.
  private static func commandLast(_ arguments: [String]) -> [String] {
    guard arguments.first == "run", let index = OptionWords.firstOther(in: arguments[1...]) else { return arguments }
    return Array(arguments[..<index]) + ["--"] + arguments[index...]
  }
}

/// Which words of a line belong to options of ours. The parser is not asked, since what it tells of itself takes as long
/// as a first frame may.
enum OptionWords {
  /// The options that take a value, of all commands. A test compares them with what the commands declare.
  static let withValue: Set<String> = [
    "--body", "--body-file", "--body-limit", "--completing", "--expect", "--filter", "--for", "--forbid", "--header",
    "--history", "--limit", "--log", "--method", "--output", "--port", "--prefix", "--process", "--program", "--record",
    "--report",
    "--since",
    "--socket", "--status", "--stubs", "--theme", "--unmatched", "--until-idle", "--url", "-o",
  ]

  /// Where the first word is that is neither an option nor the value of one; nil where `--` comes before it.
  static func firstOther(in words: ArraySlice<String>) -> Int? {
    var isValue = false
    for (index, word) in zip(words.indices, words) {
      if isValue {
        isValue = false
      } else if word == "--" {
        return nil
      } else if !word.hasPrefix("-") || word == "-" {
        return index
      } else {
        isValue = withValue.contains(word)
      }
    }
    return nil
  }

  /// Whether an option that stands behind these words is one of ours, and not the value of the option before it.
  static func isOwn(behind words: ArraySlice<String>, runs: Bool) -> Bool {
    if runs, firstOther(in: words) != nil { return false }
    var isValue = false
    for word in words { isValue = !isValue && withValue.contains(word) }
    return !isValue
  }
}
