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
