import Foundation
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The line at the foot in which a person answers a question.
@Suite(.bounded) struct PromptTests {
  private static let purposes: [Prompt.Purpose] = [
    .search, .goToLine, .commandInput, .importFile, .openFile, .loadStubs, .filterStubs, .tags([7]), .tags([7, 8]),
    .note(7), .filterName, .searchOutput, .searchEditor, .replaceFind, .replaceWith(find: "日本"),
  ]
  private let context = Sample.driver(80, 24).state.context

  /// What comes of an event, without the prompt's own line.
  private func outcomes(_ prompt: inout Prompt, _ event: InputEvent) -> [String] {
    var out = Outcomes()
    prompt.update(.input(event), context, &out)
    return out.drain().map { outcome in
      switch outcome {
      case .close: "close"
      case .effect(.sendToCommand(let bytes)): "send \(Array(bytes))"
      case .effect(let effect): "\(effect)"
      case .answer(let purpose, let text, let isFinal): "\(isFinal ? "answer" : "typed") \(purpose) “\(text)”"
      default: "another"
      }
    }
  }

  private func row(_ prompt: Prompt, _ width: Int) -> String {
    var grid = Grid(Size(width: width, height: 1))
    prompt.draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), context)
    return grid.lines[0]
  }

  @Test func whatEachAsksForAsAWhole() throws {
    var lines: [String] = []
    for purpose in Self.purposes {
      var prompt = Prompt(purpose)
      #expect(prompt.place == .line && prompt.takesText && prompt.hints(context).isEmpty)
      lines.append(row(prompt, 90))
      prompt.editor.insert("typed")
      prompt.note = "3 of 7 そして more"
      lines += [row(prompt, 60), row(prompt, 24)]
    }
    try expectRecorded(lines.joined(separator: "\n") + "\n", "Walks/prompts.txt")
  }

  @Test(arguments: purposes) func enterAnswersAndClosesAndEscOnlyCloses(_ purpose: Prompt.Purpose) {
    var prompt = Prompt(purpose, proposing: " '/a b'\" ")
    let expected: String? =
      switch purpose {
      case .importFile: "importFile(\"/a b\")"
      case .openFile: "openFile(\"/a b\")"
      case .loadStubs: "loadStubFile(\"/a b\", isAgain: false)"
      case .commandInput: "send \(Array(" '/a b'\" \n".utf8))"
      default: "answer \(purpose) “ '/a b'\" ”"
      }
    #expect(outcomes(&prompt, .key(.enter)) == ["close"] + [expected].compactMap(\.self))
    #expect(outcomes(&prompt, .key(.escape)) == ["close"])
    #expect(outcomes(&prompt, .key(.control("c"))) == ["close"])
    // An empty path is no answer.
    let asksForPath = [.importFile, .openFile, .loadStubs].contains(purpose)
    var empty = Prompt(purpose)
    #expect(outcomes(&empty, .key(.enter)).count == (asksForPath ? 1 : 2))
    // What is proposed is selected: what is typed stands in its place.
    #expect(outcomes(&prompt, .key(Key("x"))) == ["typed \(purpose) “x”"])
    #expect(outcomes(&prompt, .paste("y\nz")) == ["typed \(purpose) “xy z”"])
    #expect(outcomes(&prompt, .key(.control("q"))) == [], "a key that means nothing")
    // The command's own keys go to the command, and only where nothing is typed.
    let isInput = purpose == .commandInput
    #expect(
      outcomes(&empty, .key(.control("d"))).contains("send [4]") == isInput
        && outcomes(&empty, .key(.control("\\"))).contains("send [28]") == isInput)
    #expect(!outcomes(&prompt, .key(.control("d"))).contains("send [4]"))
    #expect(outcomes(&prompt, .key(.control("\\"))).contains("send [28]") == isInput)
    #expect(
      outcomes(&prompt, .key(Key(.tab))).contains { $0.hasPrefix("completePath(") } == asksForPath)
    var stubs = Prompt(purpose, proposing: "a")
    if asksForPath {
      #expect(
        outcomes(&stubs, .key(Key(.tab)))
          == ["completePath(\"a\", isStubFile: \(purpose == .loadStubs))"])
    }
  }

  @Test(
    arguments: [
      (["/tmp/ab.har"], "/tmp/ab.har", ""), (["/tmp/abc.har", "/tmp/abd.har"], "/tmp/ab", "abc.har  abd.har"),
      (["/tmp/a/", "/tmp/b.har"], "/tmp/a", "a/  b.har"), ([], "/tmp/a", "no such file"),
      (["/tmp/a日本/", "/tmp/a日曜/"], "/tmp/a日", "a日本/  a日曜/"),
    ] as [([String], String, String)])
  func aPathGoesOnAsFarAsAllAgree(_ found: [String], _ text: String, _ note: String) {
    for purpose in [Prompt.Purpose.importFile, .openFile, .loadStubs] {
      var prompt = Prompt(purpose, proposing: "/tmp/a")
      var out = Outcomes()
      prompt.update(.pathCompletions(of: "/tmp/a", found), context, &out)
      #expect(prompt.editor.text == text && prompt.note == note && out.isEmpty)
      // What belongs to another text, or comes for another question, changes nothing.
      prompt.update(.pathCompletions(of: "/tmp/", ["/tmp/zzzzzzzzz"]), context, &out)
      #expect(prompt.editor.text == text && prompt.note == note)
      #expect(outcomes(&prompt, .key(Key("x"))).count == 1)
      #expect(prompt.note == "", "what was said goes with the next letter")
    }
    var search = Prompt(.search, proposing: "/tmp/a")
    search.note = "1 of 2"
    var out = Outcomes()
    search.update(.pathCompletions(of: "/tmp/a", found), context, &out)
    #expect(search.editor.text == "/tmp/a" && search.note == "1 of 2")
    _ = outcomes(&search, .key(Key("x")))
    #expect(search.note == "1 of 2", "it is for who searches to say")
  }
}
