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
      /// Shows or hides the fields of its group that are folded away while nothing stands in them.
      case fold(isOpen: Bool)
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
    /// It means nothing as the form stands.
    var isHidden = false
    /// Under which heading it stands; nil is above the first.
    var group: Group?
    /// It is folded away while nothing stands in it.
    var isRare = false
    private(set) var isFolded = false
    /// Something stood in it since its group was folded: it does not go from under a person's fingers.
    private var wasSet = false

    enum Group: String, Sendable, Equatable {
      case when = "When"
      case then = "Then"
      case often = "How often"
    }

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

    static func fold(_ group: Group, _ label: String) -> Field {
      var field = Field(id: "fold \(group.rawValue)", label: label, kind: .fold(isOpen: false))
      field.group = group
      field.help = "space or enter shows them, and folds them again"
      return field
    }

    func inGroup(_ group: Group?, rare: Bool = false) -> Field {
      var field = self
      field.group = group
      field.isRare = rare
      return field
    }

    var isText: Bool {
      switch kind {
      case .text, .large: true
      case .line, .choice, .toggle, .fold: false
      }
    }

    var isShown: Bool { !isHidden && !isFolded }

    private var isSet: Bool {
      switch kind {
      case .line(let editor), .text(let editor): !editor.isEmpty
      case .choice(_, let index): index != 0
      case .toggle(let on): on
      case .fold: false
      case .large: true
      }
    }

    fileprivate mutating func fold(isOpen: Bool, forgets: Bool) {
      wasSet = isSet || wasSet && !forgets
      isFolded = isRare && !isOpen && !wasSet && problem == nil
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
    case .toggle(let on), .fold(let on): on ? "yes" : "no"
    case .large(let text, _): text
    case nil: ""
    }
  }

  /// Whether every field reads as in the other, which is the form as it was opened.
  func hasSameText(as initial: Form) -> Bool {
    fields.allSatisfy { field in
      if case .fold = field.kind { true } else { hasSameText(field.id, as: initial) }
    }
  }

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
    case .choice, .toggle, .fold, nil: false
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
    case .choice, .toggle, .fold, nil: .atEachKey
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
      case .choice, .toggle, .fold: break
      }
    }
  }

  /// To the next field that can be seen, round and round.
  mutating func moveFocus(_ step: Int) {
    var next = focus
    repeat { next = (next + step + fields.count) % fields.count } while !fields[next].isShown && next != focus
    focus = next
  }

  /// What stands in the line that has the keys is selected: typing puts another in its place. A URL is not, for one
  /// changes a part of it.
  mutating func selectLine() {
    guard case .line(var editor)? = focused?.kind, !editor.isEmpty, focused?.id != "url" else { return }
    editor.selectAll()
    self.editor = editor
  }

  /// Gives a field the keys, and shows it where it is folded away.
  mutating func focus(_ id: String) {
    guard let place = fields.firstIndex(where: { $0.id == id && !$0.isHidden }) else { return }
    if fields[place].isFolded, let group = fields[place].group { setFold(group, isOpen: true) }
    focus = place
  }

  /// To the first field of the next group, or of the one before.
  mutating func moveGroup(_ step: Int) {
    let heads = fields.indices.filter { place in
      fields[place].isShown && !fields[place].isText
        && fields.firstIndex { $0.group == fields[place].group && $0.isShown && !$0.isText } == place
    }
    let next = step > 0 ? heads.first { $0 > focus } : heads.last { $0 < focus }
    if let next { focus = next }
  }

  // MARK: Folding

  /// What of each group is folded away, after anything was changed: what is rare and has nothing in it. A row that would
  /// fold nothing is not there.
  mutating func foldFields(forgetting group: Field.Group? = nil) {
    for place in fields.indices {
      guard case .fold(let isOpen) = fields[place].kind, let own = fields[place].group else { continue }
      let members = fields.indices.filter { fields[$0].group == own && fields[$0].isRare }
      for member in members { fields[member].fold(isOpen: isOpen, forgets: own == group) }
      fields[place].isHidden = !members.contains { !fields[$0].isHidden && (isOpen || fields[$0].isFolded) }
    }
  }

  private mutating func setFold(_ group: Field.Group, isOpen: Bool) {
    set("fold \(group.rawValue)") { $0.kind = .fold(isOpen: isOpen) }
    foldFields(forgetting: isOpen ? nil : group)
  }

  /// The labels of what a row would show.
  func folded(by field: Field) -> [String] {
    fields.filter { $0.group == field.group && $0.isFolded && !$0.isHidden }.map { $0.label.lowercased() }
  }

  /// Opens or closes the group of the row that has the keys; what came in sight gets them.
  private mutating func toggleFold() {
    guard case .fold(let isOpen)? = focused?.kind, let group = focused?.group else { return }
    let first = fields.firstIndex { $0.group == group && $0.isFolded && !$0.isHidden }
    setFold(group, isOpen: !isOpen)
    if !isOpen, let first {
      focus = first
    } else if focused?.isShown != true {
      moveFocus(-1)
    }
  }

  /// What a key does in the focused field. Returns false for keys that mean nothing there.
  mutating func handle(_ key: Key, pageHeight: Int) -> Bool {
    switch (focused?.kind, key.code) {
    case (.fold, .character(" ")), (.fold, .enter), (.fold, .left), (.fold, .right): toggleFold()
    case (.toggle(let on), .character(" ")), (.toggle(let on), .left), (.toggle(let on), .right):
      fields[focus].kind = .toggle(!on)
    case (.choice(let choices, let index), .left): choose(choices, index - 1)
    case (.choice(let choices, let index), .right), (.choice(let choices, let index), .character(" ")):
      choose(choices, index + 1)
    case (.text, _): return edit(key, pageHeight)
    case (_, .pageDown), (_, .pageUp):
      moveGroup(key.code == .pageDown ? 1 : -1)
      selectLine()
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

  /// A click: what it is on gets the keys, with the cursor where it was; two quick ones select a word.
  mutating func press(_ point: Point, isDouble: Bool = false, in area: Rect) {
    let layout = FormLayout(self, in: area)
    if layout.fields.contains(point) {
      let row = layout.top + point.y - layout.fields.y
      guard layout.rows.indices.contains(row), case .field(let place) = layout.rows[row] else { return }
      focus = place
      let column = max(0, point.x - layout.fields.x - layout.fieldStart(self))
      switch focused?.kind {
      case .fold: toggleFold()
      case .toggle(let on): if column < 4 { fields[place].kind = .toggle(!on) }
      case .line(var editor):
        editor.move(to: editor.place(line: 0, column: column))
        if isDouble { editor.selectWord() }
        self.editor = editor
      default: break
      }
    } else if let text = layout.texts.first(where: { $0.area.contains(point) || $0.head.contains(point) }) {
      let hadKeys = focus == text.index
      focus = text.index
      guard text.area.contains(point), case .text(var editor)? = focused?.kind else { return }
      let at = Point(x: point.x - text.area.x, y: point.y - text.area.y)
      editor.move(
        to: EditorView.place(at: at, in: editor, height: text.area.height, width: text.area.width, hadKeys: hadKeys))
      if isDouble { editor.selectWord() }
      self.editor = editor
    }
  }

  /// To the body, or to the last text where there is none; from there back to where the keys were.
  ///
  /// - Returns: Where they were.
  mutating func toBody(from before: String?) -> String? {
    guard let body = fields.lastIndex(where: { $0.isText && $0.isShown }) else { return nil }
    if focus == body {
      focus(before ?? fields.first?.id ?? "")
      return nil
    }
    let now = focused?.id
    focus = body
    return now
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
