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
      Field(id: id, label: label, kind: .text(TextEditor(text)), help: help)
    }

    var isText: Bool { if case .text = kind { true } else { false } }
  }

  var title: String
  var fields: [Field]
  var focus = 0
  /// First rows in sight: of the short fields, and of each text.
  var top = 0
  var textTops: [String: Int] = [:]
  /// The large body that is being read somewhere: which question, and of which version of the text.
  var reading: BodyReading?
  /// Where the body is no JSON.
  var mistake: SourcePosition?
  /// What is wrong in other texts, by their ids.
  var otherMistakes: [String: SourcePosition] = [:]

  struct BodyReading: Sendable, Equatable {
    var token: Int
    var version: Int
  }

  init(_ title: String, _ fields: [Field]) {
    self.title = title
    self.fields = fields
  }

  subscript(_ id: String) -> Field? { fields.first { $0.id == id } }

  /// The first letter of a text that is no blank.
  func firstLetter(of id: String) -> Unicode.Scalar? {
    for line in editor(of: id)?.lines ?? EditedLines() {
      if let first = line.unicodeScalars.first(where: { !$0.properties.isWhitespace }) { return first }
    }
    return nil
  }

  func text(_ id: String) -> String {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor.text
    case .choice(let choices, let index): choices.indices.contains(index) ? choices[index] : ""
    case .toggle(let on): on ? "yes" : "no"
    case nil: ""
    }
  }

  /// Whether every field reads as in the other, and whether the other has it. Texts that were not touched are not read.
  func hasSameText(as other: Form) -> Bool {
    fields.allSatisfy { field in
      guard let before = other[field.id] else { return false }
      if case .text(let editor) = field.kind, case .text(let old) = before.kind {
        return editor.version == old.version || editor.lines == old.lines
      }
      return field.kind == before.kind || text(field.id) == other.text(field.id)
    }
  }

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

  /// Changes the editor that has the keys in its place, without a copy of its text.
  mutating func withEditor<Result>(_ change: (inout TextEditor) -> Result) -> Result? {
    guard fields.indices.contains(focus) else { return nil }
    var kind = Field.Kind.toggle(false)
    swap(&kind, &fields[focus].kind)
    switch consume kind {
    case .line(var editor):
      defer { fields[focus].kind = .line(editor) }
      return change(&editor)
    case .text(var editor):
      defer { fields[focus].kind = .text(editor) }
      return change(&editor)
    case let other:
      fields[focus].kind = other
      return nil
    }
  }

  /// Takes the text of several lines that has the keys out of its field; nil where none has them.
  mutating func takeText() -> TextEditor? {
    guard case .text(let editor)? = focused?.kind else { return nil }
    fields[focus].kind = .toggle(false)
    return editor
  }

  mutating func set(_ id: String, _ change: (inout Field) -> Void) {
    guard let place = fields.firstIndex(where: { $0.id == id }) else { return }
    change(&fields[place])
  }

  mutating func setText(_ id: String, _ text: String) { setText(id, EditedLines(text)) }

  mutating func setText(_ id: String, _ text: EditedLines) {
    set(id) { field in
      switch field.kind {
      case .line: field.kind = .line(TextEditor(text.text, singleLine: true))
      case .text(var editor):
        editor.replaceAll(with: text)
        field.kind = .text(editor)
      default: break
      }
    }
  }

  /// To the next field that can be seen, round and round.
  mutating func moveFocus(_ step: Int) {
    var next = focus
    repeat { next = (next + step + fields.count) % fields.count } while fields[next].isHidden && next != focus
    focus = next
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
    case (_, .up): moveFocus(-1)
    case (_, .down), (_, .enter): moveFocus(1)
    case (.line, _): return edit(key, pageHeight)
    default: return false
    }
    return true
  }

  private mutating func edit(_ key: Key, _ pageHeight: Int) -> Bool {
    withEditor { $0.handle(key, pageHeight: pageHeight) } ?? false
  }

  private mutating func choose(_ choices: [String], _ index: Int) {
    guard !choices.isEmpty else { return }
    fields[focus].kind = .choice(choices, (index + choices.count) % choices.count)
  }
}
