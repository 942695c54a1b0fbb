import ArgumentParser
import Foundation
import PatchbayManual
import PatchbayRuntime
import PatchbayStubs

/// `patchbay help …` and `--help`: pages of the manual, and what commands are called with.
///
/// The parser has a help of its own, which knows neither topics nor examples; this one stands before it.
enum HelpRequest {
  /// The text that the arguments ask for; nil where they ask for none.
  ///
  /// - Throws: a sentence that names the near topic or command.
  static func text(_ arguments: [String], columns: Int?) throws -> HelpText? {
    if arguments.first == "help" {
      return try topic(Array(arguments.dropFirst().filter { !$0.hasPrefix("-") }), columns)
    }
    guard let index = arguments.prefix(while: { $0 != "--" }).firstIndex(where: { $0 == "--help" || $0 == "-h" }),
      let path = CommandPath(arguments.prefix { !$0.hasPrefix("-") }),
      OptionWords.isOwn(behind: arguments[path.depth..<max(index, path.depth)], runs: path.name == "patchbay run")
    else { return nil }
    return .plain(message(path, columns))
  }

  private static func topic(_ words: [String], _ columns: Int?) throws -> HelpText {
    guard let first = words.first else { return .plain(message(CommandPath([])!, columns)) }
    if first == "help" { return words.count > 1 ? try topic(Array(words.dropFirst()), columns) : .plain(ofItself) }
    let command = CommandPath(words)
    if words.count == 1, let page = Manual.page(first) {
      return .page(page, usage: command.map { usage($0) })
    }
    if let command { return .plain(message(command, columns)) }
    if words.count > 1 { try CommandNames.check(words) }
    let topics = Manual.pages.map(\.topic)
    let hint = NearestName.hint(
      for: first, among: topics + CommandNames.shown, otherwise: ": the topics are \(topics.joined(separator: ", "))")
    throw UsageError("There is no topic or command `\(words.joined(separator: " "))`\(hint)", command: "patchbay")
  }

  /// What a command's `--help` says.
  static func message(_ path: CommandPath, _ columns: Int?) -> String {
    PatchbayCommand.helpMessage(for: path.command, columns: columns)
      .replacing("\n  See 'patchbay help <subcommand>' for detailed help.", with: "")
      .trimmingCharacters(in: .newlines) + "\n" + Examples.section(path.name) + end(path)
  }

  private static var ofItself: String {
    "OVERVIEW: Show a topic of the manual, or what a command is called with.\n\n"
      + "USAGE: patchbay help [<topic>]\n       patchbay help [<command> ...]\n" + topics
  }

  private static func usage(_ path: CommandPath) -> String {
    let usage = PatchbayCommand.usageString(for: path.command)
    let commands = path.command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let names = commands.map { "\(path.name) \($0.configuration.commandName ?? "")" }
    let list = zip(names, commands).map { name, command in
      "  \(aligned(name, among: names))  \(command.configuration.abstract)\n"
    }
    return
      "USAGE: \(usage)\n\(list.joined())\(Examples.section(path.name))\nSee `\(path.name) --help` for all options.\n"
  }

  private static func end(_ path: CommandPath) -> String {
    guard path.depth == 0 else {
      let word = path.name.split(separator: " ")[1]
      return Manual.page(String(word)) == nil ? "" : "\nMore: patchbay help \(word)\n"
    }
    return topics
  }

  private static var topics: String {
    let names = Manual.pages.map(\.topic)
    let topics = Manual.pages.map { "  \(aligned($0.topic, among: names))  \($0.title)\n" }
    return "\nTOPICS (patchbay help TOPIC):\n\(topics.joined())\nSee `patchbay help COMMAND` for a command.\n"
  }

  private static func aligned(_ name: String, among names: [String]) -> String {
    name.padded(to: names.map(\.count).max() ?? 0)
  }
}

/// What is to be shown as help.
enum HelpText {
  case plain(String)
  case page(ManualPage, usage: String?)

  /// On a terminal paged and in colour, else plain.
  func show() throws {
    switch self {
    case .plain(let text): print(text, terminator: "")
    case .page(let page, let usage):
      let columns = TerminalWidth.output
      let environment = ProcessInfo.processInfo.environment
      let all = Self.text(page, usage, columns: columns, environment: environment)
      if columns == nil { print(all, terminator: "") } else { Pager.show(all, environment: environment) }
    }
  }
}

extension HelpText {
  /// A page as it is shown: at most 100 columns wide, in colour on a terminal that has some.
  static func text(_ page: ManualPage, _ usage: String?, columns: Int?, environment: [String: String]) -> String {
    let isStyled = columns != nil && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    let text = ManualText(width: min(columns ?? 100, 100), isStyled: isStyled)
    let all = text.lines(page.markdown).joined(separator: "\n") + "\n"
    return usage.map { all + "\n" + $0 } ?? all
  }
}

/// A command of ours by the words that name it.
struct CommandPath {
  let command: any ParsableCommand.Type
  /// Such as `patchbay stubs list`.
  let name: String
  let depth: Int

  /// - Returns: nil where some word names none.
  init?(_ words: some Sequence<String>) {
    var command: any ParsableCommand.Type = PatchbayCommand.self
    var name = "patchbay"
    var depth = 0
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
        // Behind a command that has none below it come arguments.
        guard depth > 0, command.configuration.subcommands.isEmpty else { return nil }
        break
      }
      command = next
      name += " \(word)"
      depth += 1
    }
    self.command = command
    self.name = name
    self.depth = depth
  }
}
