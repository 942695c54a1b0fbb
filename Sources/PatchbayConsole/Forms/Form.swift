import PatchbayGrid
import PatchbayStubs

/// Fields that a person fills in, one of which has the keys. A value; what the fields mean is its owner's business.
struct Form: Sendable, Equatable {
  struct Field: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
      case line(TextEditor)
      case choice([String], Int)
      case toggle(Bool)
      /// Several lines: header fields, a body.
      case text(TextEditor)
      /// A text above `TextEditor.limit`: its size is shown, and it is edited in the person's own editor.
      case large(String, isTouched: Bool)

      /// Several lines, or more than can be edited here.
      static func text(_ text: String, isTouched: Bool = false) -> Kind {
        text.utf8.count > TextEditor.limit
          ? .large(text, isTouched: isTouched) : .text(TextEditor(text, isTouched: isTouched))
      }
    }

    /// Unique in the form.
    var id: String
    var label: String
    var kind: Kind
    /// What it takes, shown when it has the keys.
    var help = ""
    /// Shown in an empty field.
    var example = ""
    var problem: String?
    var isHidden = false

    static func line(_ id: String, _ label: String, _ text: String, example: String = "", help: String = "") -> Field {
      Field(id: id, label: label, kind: .line(TextEditor(text, singleLine: true)), help: help, example: example)
    }

    static func choice(_ id: String, _ label: String, _ choices: [String], _ index: Int, help: String = "") -> Field {
      Field(id: id, label: label, kind: .choice(choices, index), help: help)
    }

    static func toggle(_ id: String, _ label: String, _ on: Bool, help: String = "") -> Field {
      Field(id: id, label: label, kind: .toggle(on), help: help)
    }

    static func text(_ id: String, _ label: String, _ text: String, help: String = "") -> Field {
      Field(id: id, label: label, kind: .text(text), help: help)
    }

    var isText: Bool {
      switch kind {
      case .text, .large: true
      case .line, .choice, .toggle: false
      }
    }
  }

  var title: String
  var fields: [Field]
  var focus = 0
  /// Where the body is no JSON.
  var mistake: SourcePosition?
  /// What is wrong in other texts, by their ids.
  var otherMistakes: [String: SourcePosition] = [:]

  init(_ title: String, _ fields: [Field]) {
    self.title = title
    self.fields = fields
  }

  subscript(_ id: String) -> Field? { fields.first { $0.id == id } }

  /// The first letter of a text that is no blank.
  func firstLetter(of id: String) -> Unicode.Scalar? {
    func first(in text: String) -> Unicode.Scalar? { text.unicodeScalars.first { !$0.properties.isWhitespace } }
    switch self[id]?.kind {
    case .text(let editor): return editor.lines.lazy.compactMap(first).first
    case .large(let text, _): return first(in: text)
    default: return nil
    }
  }

  func text(_ id: String) -> String {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor.text
    case .choice(let choices, let index): choices.indices.contains(index) ? choices[index] : ""
    case .toggle(let on): on ? "yes" : "no"
    case .large(let text, _): text
    case nil: ""
    }
  }

  /// Whether every field reads as in the other, which is the form as it was opened.
  func hasSameText(as initial: Form) -> Bool { fields.allSatisfy { hasSameText($0.id, as: initial) } }

  /// Whether a field reads as in the form as it was opened. A text that was not touched is not read.
  func hasSameText(_ id: String, as initial: Form) -> Bool {
    guard let field = self[id], let before = initial[id] else { return false }
    switch (field.kind, before.kind) {
    case (.text(let editor), .text(let old)): return !editor.isTouched || editor.lines == old.lines
    case (.large(let text, let isTouched), .large(let old, _)): return !isTouched || text.utf8.elementsEqual(old.utf8)
    default: return field.kind == before.kind || text(id) == initial.text(id)
    }
  }

  /// Whether the text of a field was ever changed, be it back and forth.
  func isTouched(_ id: String) -> Bool {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor.isTouched
    case .large(_, let isTouched): isTouched
    case .choice, .toggle, nil: false
    }
  }

  /// When a text is checked while one types.
  enum Checking {
    case atEachKey
    /// A moment after the last key.
    case afterPause
    case never
  }

  func checking(_ id: String) -> Checking {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor.isQuick ? .atEachKey : .afterPause
    case .large: .never
    case .choice, .toggle, nil: .atEachKey
    }
  }

  func isEmpty(_ id: String) -> Bool { if let editor = editor(of: id) { editor.isEmpty } else { text(id).isEmpty } }

  func isOn(_ id: String) -> Bool { text(id) == "yes" }

  var focused: Field? { fields.indices.contains(focus) ? fields[focus] : nil }

  /// The editor that has the keys, where it is one.
  var editor: TextEditor? {
    get {
      switch focused?.kind {
      case .line(let editor), .text(let editor): editor
      default: nil
      }
    }
    set {
      guard let newValue else { return }
      switch focused?.kind {
      case .line: fields[focus].kind = .line(newValue)
      case .text: fields[focus].kind = .text(newValue)
      default: break
      }
    }
  }

  /// The editor of a field.
  func editor(of id: String) -> TextEditor? {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor
    default: nil
    }
  }

  mutating func set(_ id: String, _ change: (inout Field) -> Void) {
    guard let place = fields.firstIndex(where: { $0.id == id }) else { return }
    change(&fields[place])
  }

  /// Puts a text into a field; in one of several lines as a change that can be undone.
  mutating func setText(_ id: String, _ text: String) {
    set(id) { field in
      switch field.kind {
      case .line: field.kind = .line(TextEditor(text, singleLine: true))
      case .text(var editor) where text.utf8.count <= TextEditor.limit:
        editor.replaceAll(with: EditedLines(text))
        field.kind = .text(editor)
      case .text, .large: field.kind = .text(text, isTouched: true)
      case .choice, .toggle: break
      }
    }
  }

  /// To the next field that can be seen, round and round.
  mutating func moveFocus(_ step: Int) {
    var next = focus
    repeat { next = (next + step + fields.count) % fields.count } while fields[next].isHidden && next != focus
    focus = next
  }

  /// What stands in the line that has the keys is selected: typing puts another in its place. A URL is not, for one
  /// changes a part of it.
  mutating func selectLine() {
    guard case .line(var editor)? = focused?.kind, !editor.isEmpty, focused?.id != "url" else { return }
    editor.selectAll()
    self.editor = editor
  }

  mutating func focus(_ id: String) {
    if let place = fields.firstIndex(where: { $0.id == id && !$0.isHidden }) { focus = place }
  }

  /// What a key does in the focused field. Returns false for keys that mean nothing there.
  mutating func handle(_ key: Key, pageHeight: Int) -> Bool {
    switch (focused?.kind, key.code) {
    case (.toggle(let on), .character(" ")), (.toggle(let on), .left), (.toggle(let on), .right):
      fields[focus].kind = .toggle(!on)
    case (.choice(let choices, let index), .left): choose(choices, index - 1)
    case (.choice(let choices, let index), .right), (.choice(let choices, let index), .character(" ")):
      choose(choices, index + 1)
    case (.text, _): return edit(key, pageHeight)
    case (_, .up), (_, .down), (_, .enter):
      moveFocus(key.code == .up ? -1 : 1)
      selectLine()
    case (.line, _): return edit(key, pageHeight)
    default: return false
    }
    return true
  }

  private mutating func edit(_ key: Key, _ pageHeight: Int) -> Bool {
    guard var editor else { return false }
    defer { self.editor = editor }
    return editor.handle(key, pageHeight: pageHeight)
  }

  private mutating func choose(_ choices: [String], _ index: Int) {
    guard !choices.isEmpty else { return }
    fields[focus].kind = .choice(choices, (index + choices.count) % choices.count)
  }

  /// A click: what it is on gets the keys.
  mutating func press(_ point: Point, in area: Rect) {
    let layout = FormLayout(self, in: area)
    if layout.fields.contains(point) {
      let row = layout.top + point.y - layout.fields.y
      guard layout.rows.indices.contains(row) else { return }
      focus = layout.rows[row]
      guard case .line(var editor)? = focused?.kind else { return }
      editor.move(to: editor.place(line: 0, column: max(0, point.x - layout.fields.x - layout.fieldStart(self))))
      self.editor = editor
    } else if let text = layout.texts.first(where: { $0.area.contains(point) || $0.head.contains(point) }) {
      let hadKeys = focus == text.index
      focus = text.index
      guard text.area.contains(point), case .text(var editor)? = focused?.kind else { return }
      let at = Point(x: point.x - text.area.x, y: point.y - text.area.y)
      editor.move(
        to: EditorView.place(at: at, in: editor, height: text.area.height, width: text.area.width, hadKeys: hadKeys))
      self.editor = editor
    }
  }

  /// Puts the cursor where something is wrong in a text, and gives it the keys.
  mutating func goTo(_ position: SourcePosition, in id: String) {
    guard let lines = editor(of: id)?.lines, lines.indices.contains(position.line - 1) else { return }
    focus(id)
    let offset = EditorView.offsets(of: position, in: lines[position.line - 1]).lowerBound
    editor?.move(to: TextEditor.Place(line: position.line - 1, offset: offset))
  }

  /// What the person's own editor left of the body. Editors end a file with a line feed: one that the body did not have
  /// is none of the person's.
  mutating func setEditedBody(_ text: String) {
    guard text.utf8.last == 0x0A, self.text("body").utf8.last != 0x0A else { return setText("body", text) }
    let isPair = text.utf8.dropLast().last == 0x0D
    setText("body", String(text.utf8.dropLast(isPair ? 2 : 1)) ?? text)
  }
}
