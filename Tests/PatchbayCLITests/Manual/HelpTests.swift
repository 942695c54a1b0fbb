import ArgumentParser
import Foundation
import PatchbayManual
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

@Suite("Help as values", .bounded)
struct HelpValueTests {
  @Test("options that take a value are known where a line is read before the parser")
  func optionWords() throws {
    var withValue: Set<String> = []
    var flags: Set<String> = []
    func collect(_ json: Any?) {
      guard let command = json as? [String: Any] else { return }
      for argument in command["arguments"] as? [[String: Any]] ?? [] {
        let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { name -> String? in
          (name["name"] as? String).map { (name["kind"] as? String == "long" ? "--" : "-") + $0 }
        }
        if argument["kind"] as? String == "option" { withValue.formUnion(names) } else { flags.formUnion(names) }
      }
      for child in command["subcommands"] as? [Any] ?? [] { collect(child) }
    }
    let dump = try JSONSerialization.jsonObject(with: Data(PatchbayCommand._dumpHelp().utf8)) as? [String: Any]
    collect(dump?["command"])
    #expect(OptionWords.withValue == withValue)
    #expect(flags.isDisjoint(with: withValue))
  }

  @Test(
    "run's options end at the first word that is none",
    arguments: [
      ("run ./app", "run -- ./app"),
      ("run --headless --stubs a.yaml ./app --help", "run --headless --stubs a.yaml -- ./app --help"),
      ("run --stubs=a.yaml ./app -- x", "run --stubs=a.yaml -- ./app -- x"), ("run -- ./app", "run -- ./app"),
      ("run --expect status:200 -- ./app", "run --expect status:200 -- ./app"), ("run --headless", "run --headless"),
      ("run --expect -path:/x ./app", "run --expect -path:/x -- ./app"), ("listen --stubs a", "listen --stubs a"),
      ("history -path:/x --limit 3", "history --limit 3 -- -path:/x"),
    ])
  func command(line: String, arranged: String) {
    #expect(ArgumentOrder.arranged(line.split(separator: " ").map(String.init)).joined(separator: " ") == arranged)
  }

  @Test("what is asked for as help is answered; the words of a program that is run are its own")
  func requests() throws {
    func text(_ line: String) throws -> String? {
      switch try HelpRequest.text(line.split(separator: " ").map(String.init), columns: 80) {
      case .plain(let text)?: text
      case .page(let page, let usage)?: "\(page.topic)\n\(usage ?? "")"
      case nil: nil
      }
    }
    #expect(try text("run ./app --help") == nil)
    #expect(try text("run -- ./app --help") == nil)
    #expect(try text("run --filter -h ./app") == nil)
    #expect(try text("hold respond 3 --body --help") == nil)
    #expect(try text("run --headless --help")?.contains("USAGE: patchbay run") == true)
    #expect(try text("stubs list -h")?.contains("patchbay stubs list --json") == true)
    #expect(try text("history x --help")?.contains("USAGE: patchbay history") == true)
    #expect(try text("help")?.contains("TOPICS") == true)
    #expect(try text("--help") == text("help"))
    // A topic wins over a command of its name, and ends with what that is called with.
    let stubs = try #require(try text("help stubs"))
    #expect(
      stubs.hasPrefix("stubs\n") && stubs.contains("USAGE: patchbay stubs") && stubs.contains("patchbay stubs check"))
    #expect(try text("help filter") == "filter\n")
    #expect(try text("help stubs check")?.contains("OVERVIEW") == true)
    for (line, word) in [
      ("help fliter", "`filter`"), ("help hald", "`hold`"), ("help stubs lst", "`list`"), ("help qqqqqq", "topics are"),
    ] {
      let error = #expect(throws: UsageError.self) { try text(line) }
      #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }
  }

  @Test("help says what help is, and stands for nothing before a topic or a command")
  func ofItself() throws {
    func text(_ line: String) throws -> String? {
      switch try HelpRequest.text(line.split(separator: " ").map(String.init), columns: 80) {
      case .plain(let text)?: text
      case .page(let page, let usage)?: "\(page.topic)\n\(usage ?? "")"
      case nil: nil
      }
    }
    let all = try #require(try text("help"))
    let itself = try #require(try text("help help"))
    #expect(
      itself.hasPrefix(
        "OVERVIEW: Show a topic of the manual, or what a command is called with.\n\n"
          + "USAGE: patchbay help [<topic>]\n       patchbay help [<command> ...]\n\nTOPICS"))
    let topics = try #require(all.firstRange(of: "\nTOPICS")).lowerBound
    #expect(itself.hasSuffix(all[topics...]))
    #expect(try text("help help help") == itself && text("help help --json") == itself)
    #expect(try text("help help run") == text("help run") && text("help help filter") == "filter\n")
    let error = #expect(throws: UsageError.self) { try text("help help fliter") }
    let said = error?.description ?? ""
    #expect(said.contains("command `fliter`; did you mean `filter`"), "\(said)")
  }

  @Test(
    "what pages: our own variable, else everybody's, else less; nothing where that is blank",
    arguments: [
      ([:], "less"), (["PAGER": "more"], "more"), (["PATCHBAY_PAGER": "most -s", "PAGER": "more"], "most -s"),
      (["PAGER": ""], nil), (["PAGER": " \t"], nil), (["PATCHBAY_PAGER": "", "PAGER": "more"], nil),
      (["LESS": "F"], "less"), (["PATCHBAY_PAGER": "a"], "a"),
    ] as [([String: String], String?)])
  func pager(_ environment: [String: String], _ command: String?) {
    #expect(Pager.command(environment) == command)
  }

  @Test("a page is styled on a terminal with colours only, and never wider than 100 columns")
  func pageOnATerminal() throws {
    let page = try #require(Manual.page("filter"))
    func text(_ columns: Int?, _ environment: [String: String] = [:], usage: String? = nil) -> String {
      HelpText.text(page, usage, columns: columns, environment: environment)
    }
    let plain = text(nil)
    #expect(!plain.contains("\u{1B}") && plain.hasSuffix("\n") && !plain.hasSuffix("\n\n"))
    #expect(plain == ManualText(width: 100, isStyled: false).lines(page.markdown).joined(separator: "\n") + "\n")
    let styled = ManualText(width: 100, isStyled: true).lines(page.markdown).joined(separator: "\n") + "\n"
    #expect(text(100) == styled && text(101) == styled && text(100, ["NO_COLOR": "", "TERM": "xterm"]) == styled)
    #expect(text(99) == ManualText(width: 99, isStyled: true).lines(page.markdown).joined(separator: "\n") + "\n")
    #expect(text(100, ["NO_COLOR": "1"]) == plain && text(100, ["TERM": "dumb"]) == plain)
    #expect(text(nil, usage: "USAGE: x\n") == plain + "\nUSAGE: x\n")
  }

  @Test("each command that is shown has examples in its help, and a man page")
  func examples() throws {
    var paths = ["patchbay"]
    func collect(_ command: any ParsableCommand.Type, _ path: String) {
      for child in command.configuration.subcommands where child.configuration.shouldDisplay {
        let name = "\(path) \(child.configuration.commandName ?? "")"
        paths.append(name)
        collect(child, name)
      }
    }
    collect(PatchbayCommand.self, "patchbay")
    let pages = try ManPages.all()
    for path in paths {
      let examples = Examples.of(path)
      #expect(!examples.isEmpty, "\(path)")
      #expect(examples.allSatisfy { $0.line.hasPrefix(path) || path == "patchbay" }, "\(path)")
      let page = pages.first { $0.file == path.replacing(" ", with: "-") + ".1" }?.text ?? ""
      #expect(page.contains(".SH SYNOPSIS") && page.contains(".SH EXAMPLES"), "\(path)")
    }
    #expect(pages.count == paths.count)
    let run = try #require(pages.first { $0.file == "patchbay-run.1" }?.text)
    #expect(run.contains(#".B \-\-stubs <file>"#) && run.contains(#"[\-\-headless]"#))
  }
}

@Suite("patchbay help", .crowd, .bounded)
struct HelpTests {
  @Test("off a terminal a page is plain and whole; on one it is in colour, and goes through the pager")
  func paging() async throws {
    let desk = try Desk()
    let plain = try await desk.run("help", "filter", environment: ["PAGER": "false"])
    #expect(plain.exitStatus == 0 && !plain.output.contains("\u{1B}"), "\(plain.said)")
    #expect(plain.output.contains("FILTERS") && plain.output.contains("is:bad"))
    let paged = try desk.console("help", "filter", environment: ["PATCHBAY_PAGER": "sed s/FILTERS/PAGED/ | head -1"])
    let screen = try await paged.waitFor("the page") { $0.contains("PAGED") }
    #expect(screen.cell(column: 0, row: 0)?.style.bold == true)
    // A pager that is not there, and none at all.
    for pager in ["/nowhere/at/all", ""] {
      let console = try desk.console("help", "templates", rows: 60, environment: ["PATCHBAY_PAGER": pager])
      try await console.waitFor(text: "request.query.NAME")
    }
  }
}
