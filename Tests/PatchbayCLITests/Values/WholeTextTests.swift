import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayManual
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// Long texts as a whole: help, man pages, completions.
@Suite(.bounded) struct WholeTextTests {
  /// All commands that are listed, each behind the words that lead to it.
  private func commands(_ command: any ParsableCommand.Type = PatchbayCommand.self, _ path: [String] = []) -> [[String]]
  {
    [path]
      + command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap {
        commands($0, path + [$0.configuration.commandName ?? ""])
      }
  }

  @Test func helpOfEachCommand() throws {
    let texts = try commands().map { path in
      guard case .plain(let text)? = try HelpRequest.text(path + ["--help"], columns: 100) else {
        throw WaitedInVain(description: "\(path) has no help")
      }
      return "== \((["patchbay"] + path).joined(separator: " "))\n\(text)"
    }
    try expectRecorded(texts.joined(separator: "\n"), "Whole/Help.txt")
  }

  @Test func manPages() throws {
    let pages = try ManPages.all()
    try expectRecorded(pages.map { "== \($0.file)\n\($0.text)" }.joined(separator: "\n"), "Whole/ManPages.txt")
  }

  /// A line that begins with a dot or an apostrophe would be a request.
  @Test func whatRoffWouldTakeForRequestsIsPrinted() {
    #expect(ManPages.escaped(".TH\n'a\nb.-'\n\\") == "\\&.TH\n\\&'a\nb.\\-'\n\\e")
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func completions(_ shell: String) throws {
    let script = try #require(CompletionScript.asked(["--generate-completion-script", shell]))
    let kind = try #require(CompletionShell(rawValue: shell))
    let parsers = PatchbayCommand.completionScript(for: kind).split(separator: "\n")
    let lines = script.split(separator: "\n")
    // What we put in the place of the parser's lines, then the commands that are asked for names.
    let news = lines.difference(from: parsers).map { change in
      switch change {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }
    let asking = Set(lines.filter { $0.contains("2>/dev/null") && $0.contains("patchbay ") }.map { $0.trimmed })
    try expectRecorded((news + asking.sorted()).map { $0 + "\n" }.joined(), "Whole/Completions.\(shell).txt")
  }

  @Test(arguments: [
    [], ["--generate-completion-script"], ["--generate-completion-script", "tcsh"],
    ["--generate-completion-script", "bash", "x"], ["--generate", "bash"], ["bash", "--generate-completion-script"],
  ])
  func noCompletions(_ line: [String]) {
    #expect(CompletionScript.asked(line) == nil)
  }

  /// What a line asks for: the page or the command, or the sentence that it is none.
  private func asked(_ line: String) -> String {
    do {
      switch try HelpRequest.text(line.split(separator: " ").map(String.init), columns: 100) {
      case .page(let page, let usage): return "page \(page.topic)\(usage.map { ", and:\n\($0)" } ?? "")"
      case .plain(let text): return "command \(text.firstMatch(of: /USAGE: (.*)/)?.1 ?? "?")"
      case nil: return "no help"
      }
    } catch { return "\(error)" }
  }

  @Test func whatALineAsksFor() throws {
    let lines = [
      "", "help", "--help", "-h", "help filter", "help run", "help stubs", "help stubs list", "help stubs nosuch",
      "help nosuch", "help fitler", "help histroy", "help history", "help help", "help demo-harness", "help filter x",
      "help -x filter", "stubs --help", "stubs list --help", "stubs list x --help", "stubs nosuch --help",
      "run --help", "run -h", "run x --help", "run -- x --help", "run --for --help", "run --for 3s --help",
      "run --headless -h x", "run --headless x -h", "history -h", "history --filter -h", "nosuch --help",
      "--version --help", "run -- --help", "hold respond 1 --body --help", "hold respond 1 --body x --help",
    ]
    try expectRecorded(lines.map { "== \($0)\n\(asked($0))\n" }.joined(), "Whole/HelpRequests.txt")
  }
}

extension Substring {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
