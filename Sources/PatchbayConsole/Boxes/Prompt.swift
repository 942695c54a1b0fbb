import Foundation
import PatchbayGrid

/// A question with a line to answer in, at the foot of the screen.
struct Prompt: Box {
  enum Purpose: Sendable, Equatable {
    case search
    case goToLine
    case commandInput
    case importFile
    case openFile
    case loadStubs
    case filterStubs
    case tags([Int64])
    case note(Int64)
    case filterName
    case searchOutput
    case searchEditor
    case replaceFind
    case replaceWith(find: String)
  }

  var purpose: Purpose
  var editor = TextEditor("", singleLine: true)
  /// What stands beside the answer: how many were found, what is wrong.
  var note = ""

  init(_ purpose: Purpose, proposing text: String = "") {
    self.purpose = purpose
    editor = TextEditor(text, singleLine: true)
    editor.selectAll()
  }

  /// What is shown while nothing is typed.
  var placeholder: String {
    switch purpose {
    case .importFile: "the path of a .har file; tab completes it"
    case .openFile: "the path of a history, HAR or JSON Lines file; tab completes it"
    case .loadStubs: "the path of a stub file, .yaml or .json; tab completes it"
    case .filterStubs: "words of name, pattern, answer or file; is:on is:off"
    case .tags: "words with spaces between them; tag:WORD finds them"
    case .note: "what you want to remember; note:TEXT finds it"
    case .commandInput: "a line for the command; ctrl-d ends its input"
    default: ""
    }
  }

  var label: String {
    switch purpose {
    case .search, .searchOutput, .searchEditor: "search"
    case .goToLine: "line"
    case .commandInput: "input"
    case .importFile: "import"
    case .openFile: "open"
    case .loadStubs: "load stubs"
    case .filterStubs: "list"
    case .tags(let ids): ids.count == 1 ? "tags" : "add tags to \(Wording.count(ids.count))"
    case .note: "note"
    case .filterName: "save as"
    case .replaceFind: "replace"
    case .replaceWith(let find): "replace “\(find)” with"
    }
  }
}

extension Prompt {
  var place: BoxPlace { .line }
  var takesText: Bool { true }
  func hints(_ context: ConsoleContext) -> [FooterHint] { [] }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(.key(let key)): handle(key, &out)
    case .input(.paste(let text)):
      editor.insert(text)
      changed(&out)
    case .pathCompletions(let text, let found): completed(text, found)
    default: break
    }
  }

  private mutating func handle(_ key: Key, _ out: inout Outcomes) {
    switch key {
    case .escape, .control("c"): out.close()
    case .enter:
      out.close()
      answer(&out)
    case .control("d") where purpose == .commandInput && editor.isEmpty: send(0x04, &out)
    case .control("\\") where purpose == .commandInput: send(0x1C, &out)
    case .tab where asksForPath: out.perform(.completePath(editor.text, isStubFile: purpose == .loadStubs))
    default: if editor.handle(key) { changed(&out) }
    }
  }

  /// A key that the command's terminal takes by itself: the end of its input, or SIGQUIT.
  private func send(_ byte: UInt8, _ out: inout Outcomes) {
    out.close()
    out.perform(.sendToCommand(Data([byte])))
  }

  private var asksForPath: Bool { [.importFile, .openFile, .loadStubs].contains(purpose) }

  /// The answer as a path, without what stands around it where it was pasted.
  private var path: String? {
    let path = editor.text.trimmingCharacters(in: CharacterSet(charactersIn: " '\""))
    return path.isEmpty ? nil : path
  }

  private mutating func changed(_ out: inout Outcomes) {
    if asksForPath { note = "" }
    out.add(.answer(purpose, editor.text, isFinal: false))
  }

  private func answer(_ out: inout Outcomes) {
    switch purpose {
    case .importFile: if let path { out.perform(.importFile(path)) }
    case .openFile: if let path { out.perform(.openFile(path)) }
    case .loadStubs: if let path { out.perform(.loadStubFile(path)) }
    case .commandInput: out.perform(.sendToCommand(Data((editor.text + "\n").utf8)))
    default: out.add(.answer(purpose, editor.text, isFinal: true))
    }
  }

  /// The path goes on as far as all that it may mean agree; what they are is said beside it.
  private mutating func completed(_ text: String, _ found: [String]) {
    guard asksForPath, editor.text == text else { return }
    let common = found.dropFirst().reduce(found.first ?? text) { $0.commonPrefix(with: $1) }
    if common.count > text.count { editor = TextEditor(common, singleLine: true) }
    let names = found.map { path in
      path.split(separator: "/").last.map { $0 + (path.hasSuffix("/") ? "/" : "") } ?? ""
    }
    note = found.isEmpty ? "no such file" : found.count == 1 ? "" : names.joined(separator: "  ")
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let theme = context.theme
    grid.within(area) { grid in
      grid.fill(style: theme[.input])
      let x = 1 + grid.put("\(label) ", at: Point(x: 1, y: 0), style: theme[.key, on: .input].bold)
      let said = truncated(shown(note), toWidth: max(0, (grid.width - x) / 2))
      let width = textWidth(said)
      let field = Rect(x: x, y: 0, width: max(1, grid.width - x - width - 2), height: 1)
      grid.drawField(editor, in: field, theme, ground: .input)
      if editor.isEmpty {
        grid.put(placeholder, at: field.origin, style: theme[.placeholder], maxWidth: field.width)
      }
      grid.put(said, at: Point(x: grid.width - width - 1, y: 0), style: theme[.dim, on: .input])
    }
  }
}
