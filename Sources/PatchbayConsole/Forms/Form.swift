import PatchbayGrid

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

  init(_ title: String, _ fields: [Field]) {
    self.title = title
    self.fields = fields
  }

  subscript(_ id: String) -> Field? { fields.first { $0.id == id } }

  func text(_ id: String) -> String {
    switch self[id]?.kind {
    case .line(let editor), .text(let editor): editor.text
    case .choice(let choices, let index): choices.indices.contains(index) ? choices[index] : ""
    case .toggle(let on): on ? "yes" : "no"
    case nil: ""
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

  mutating func set(_ id: String, _ change: (inout Field) -> Void) {
    guard let place = fields.firstIndex(where: { $0.id == id }) else { return }
    change(&fields[place])
  }

  mutating func setText(_ id: String, _ text: String) {
    set(id) { field in
      switch field.kind {
      case .line: field.kind = .line(TextEditor(text, singleLine: true))
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
    guard var editor else { return false }
    let handled = editor.handle(key, pageHeight: pageHeight)
    self.editor = editor
    return handled
  }

  private mutating func choose(_ choices: [String], _ index: Int) {
    guard !choices.isEmpty else { return }
    fields[focus].kind = .choice(choices, (index + choices.count) % choices.count)
  }
}
