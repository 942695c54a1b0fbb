import ArgumentParser
import PatchbayManual

/// The shells' completion scripts: the parser's, which knows nothing of what `help` takes, with topics and commands there.
enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    let script = PatchbayCommand.completionScript(for: shell)
    let names =
      Manual.pages.map(\.topic)
      + CommandNames.shown.filter { name in
        !Manual.pages.contains { $0.topic == name }
      }
    let words = names.joined(separator: " ")
    switch shell {
    case .zsh: return script.replacing("'*:subcommands:'", with: "'*:topic or command:(\(words))'")
    case .bash:
      guard let help = script.firstRange(of: "\n_patchbay_help() {\n"),
        let end = script[help.upperBound...].firstRange(of: "\n}\n")
      else { return script }
      let offer = "\n    __patchbay_add_completions -W '\(names.joined(separator: "'$'\\n''"))'"
      return script[..<end.lowerBound] + offer + script[end.lowerBound...]
    case .fish:
      return script + "\ncomplete -c patchbay -n '__fish_seen_subcommand_from help' -fa '\(words)'\n"
    default: return script
    }
  }

  /// What `--generate-completion-script SHELL` asks for; nil where the arguments ask for something else, or the parser
  /// says what is wrong.
  static func asked(_ arguments: [String]) -> String? {
    guard arguments.count == 2, arguments[0] == "--generate-completion-script" else { return nil }
    return CompletionShell(rawValue: arguments[1]).map(text)
  }
}
