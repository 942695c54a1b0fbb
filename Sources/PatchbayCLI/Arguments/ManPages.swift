import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayManual
import PatchbayRuntime

/// The man pages, made of what the parser tells of the commands: `patchbay(1)`, and `patchbay-run(1)` for each command.
enum ManPages {
  /// File names and texts.
  static func all() throws -> [(file: String, text: String)] {
    let root = try JSONDecoder().decode(CommandTree.self, from: Data(PatchbayCommand._dumpHelp().utf8)).command
    var pages = [(file: "patchbay.1", text: page(root, path: ["patchbay"]))]
    add(root, ["patchbay"], to: &pages)
    return pages
  }

  private static func add(
    _ command: CommandTree.Command, _ path: [String], to pages: inout [(file: String, text: String)]
  ) {
    for child in command.shownCommands {
      let path = path + [child.commandName]
      pages.append(("\(path.joined(separator: "-")).1", page(child, path: path)))
      add(child, path, to: &pages)
    }
  }

  private static func page(_ command: CommandTree.Command, path: [String]) -> String {
    let name = path.joined(separator: " ")
    let arguments = (command.arguments ?? []).filter { $0.shouldDisplay && $0.preferredName?.name != "help" }
    var text =
      #".TH "\#(path.joined(separator: "-").uppercased())" 1 "" "patchbay \#(PatchbayVersion.text)" "Patchbay""# + "\n"
    text += ".nh\n.ad l\n.SH NAME\n\(path.joined(separator: "\\-")) \\- \(escaped(command.abstract ?? ""))\n"
    text += ".SH SYNOPSIS\n.B \(escaped(name))\n"
    if !arguments.isEmpty || command.shownCommands.isEmpty {
      text += arguments.map { escaped($0.synopsis) }.joined(separator: "\n") + "\n"
    } else {
      text += ".I command\n"
    }
    if let discussion = command.discussion, !discussion.isEmpty {
      // Tables in it keep their lines.
      let lines = wrapped(discussion, toWidth: 72).joined(separator: "\n")
      text += ".SH DESCRIPTION\n.nf\n\(escaped(lines))\n.fi\n"
    }
    if !arguments.isEmpty {
      text += ".SH OPTIONS\n" + arguments.map { ".TP\n.B \(escaped($0.names))\n\(escaped($0.meaning))\n" }.joined()
    }
    if !command.shownCommands.isEmpty {
      text += ".SH COMMANDS\n"
      text += command.shownCommands.map { ".TP\n.B \(escaped($0.commandName))\n\(escaped($0.abstract ?? ""))\n" }
        .joined()
    }
    if path.count == 1 {
      text += ".SH TOPICS\n"
      text += Manual.pages.map { ".TP\n.B patchbay help \(escaped($0.topic))\n\(escaped($0.title))\n" }.joined()
    }
    let examples = Examples.of(name)
    if !examples.isEmpty {
      text += ".SH EXAMPLES\n" + examples.map { ".TP\n.B \(escaped($0.line))\n\(escaped($0.meaning))\n" }.joined()
    }
    let others = path.count == 1 ? command.shownCommands.map { "patchbay\\-\($0.commandName)(1)" } : ["patchbay(1)"]
    return text + ".SH SEE ALSO\n\(others.joined(separator: ", "))\n"
  }

  /// Text that roff prints as it is.
  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
  }
}

/// What the parser tells of itself, as far as a page needs it.
private struct CommandTree: Decodable {
  var command: Command

  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var subcommands: [Command]?
    var arguments: [Argument]?

    var shownCommands: [Command] {
      (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }
  }

  struct Argument: Decodable {
    var kind: String
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: String {
      (allNames ?? []).isEmpty ? place : (allNames ?? []).map(\.text).joined(separator: ", ") + value
    }
    var allNames: [Name]?
    var preferredName: Name?
    var valueName: String?
    var defaultValue: String?
    var abstract: String?

    enum CodingKeys: String, CodingKey {
      case kind, shouldDisplay, isOptional, isRepeating, preferredName, valueName, defaultValue, abstract
      case allNames = "names"
    }

    private var place: String { valueName ?? "argument" }
    private var value: String { kind == "option" ? " <\(place)>" : "" }

    var meaning: String {
      [abstract, defaultValue.map { "(default: \($0))" }].compactMap { $0 }.joined(separator: " ")
    }

    var synopsis: String {
      let text = kind == "positional" ? "<\(place)>" : (preferredName?.text ?? "") + value
      return (isOptional ? "[\(text)]" : text) + (isRepeating ? " ..." : "")
    }
  }

  struct Name: Decodable {
    var kind: String
    var name: String
    var text: String { (kind == "long" ? "--" : "-") + name }
  }
}
