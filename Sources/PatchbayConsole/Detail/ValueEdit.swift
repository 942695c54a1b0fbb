import PatchbayGrid
import PatchbayStubs

/// A value in the JSON of an answer, edited where it stands.
struct ValueEdit: Sendable {
  let steps: [JSONStep]
  let before: JSONValue
  private(set) var editor: TextEditor
  /// What is typed is a text, whatever it looks like; else it is JSON, and a text where it is none.
  private(set) var isText: Bool
  /// Not for the whole endpoint, but for the id that was asked for.
  private(set) var isThisIDOnly = false
  /// It had escapes, so what is typed may have some.
  private let escapes: Bool

  /// A value whose JSON is larger is not edited in one line.
  static let limit = 4_096

  /// nil where it is too large for a line.
  init?(_ value: JSONValue, at steps: [JSONStep], isThisIDOnly: Bool = false) {
    let json = value.compact
    guard json.utf8.count <= ValueEdit.limit else { return nil }
    self.steps = steps
    self.isThisIDOnly = isThisIDOnly
    before = value
    if let text = value.text {
      let inside = String(json.dropFirst().dropLast())
      isText = true
      escapes = inside != text
      editor = TextEditor(inside, singleLine: true)
    } else {
      isText = false
      escapes = false
      editor = TextEditor(json, singleLine: true)
    }
    editor.selectAll()
  }

  /// What stands there now; nil for a list or an object that cannot be read.
  var value: JSONValue? {
    let text = editor.text
    if isText {
      if escapes, let read = try? JSONValue(parsing: "\"\(text)\"") { return read }
      return .string(text)
    }
    if let read = try? JSONValue(parsing: text) { return read }
    switch before {
    case .array, .object: return nil
    default: return .string(text)
    }
  }

  enum Answer: Sendable {
    case changed
    /// It is to be in force; then the next value by so many, or none.
    case taken(thenBy: Int)
    case dismissed
  }

  mutating func handle(_ key: Key, hasIDs: Bool) -> Answer {
    switch key {
    case .enter, .control("s"): return .taken(thenBy: 0)
    case .tab, .down: return .taken(thenBy: 1)
    case Key(.tab, .shift), .up: return .taken(thenBy: -1)
    case .escape, .control("c"): return .dismissed
    case .control("t"): isText.toggle()
    case .control("r") where hasIDs: isThisIDOnly.toggle()
    default: _ = editor.handle(key)
    }
    return .changed
  }

  mutating func insert(_ text: String) { editor.insert(text) }

  static func hints(hasIDs: Bool, isThisIDOnly: Bool) -> [FooterHint] {
    [FooterHint("enter", "live from now on"), FooterHint("tab", "next value"), FooterHint("esc", "cancel")]
      + (hasIDs ? [FooterHint("ctrl-r", isThisIDOnly ? "every id" : "only this id")] : [])
      + [FooterHint("ctrl-t", "text or JSON")]
  }
}

extension ValueEdit {
  /// The field in the place of the value, and behind it what becomes of it.
  func draw(on grid: inout Grid, at point: Point, _ theme: Theme) {
    let notes = notes
    let noted = notes.reduce(0) { $0 + textWidth($1.text) }
    let room = grid.width - point.x - 1
    let wanted = max(12, textWidth(shown(editor.text)) + 2)
    let width = max(4, min(wanted, room - min(noted, room / 2)))
    let field = Rect(x: point.x, y: point.y, width: width, height: 1)
    grid.drawField(editor, in: field, theme, ground: .input)
    grid.put(
      spans: notes.map { Span($0.text, theme[$0.role, on: .selectionIdle]) }, at: Point(x: field.maxX, y: point.y),
      maxWidth: max(0, room - width))
  }

  private var notes: [PageLine.Piece] {
    guard let value else { return [.init("  ✗ not JSON", .error)] }
    guard value != before else { return [.init("  \(ValueEdit.kind(of: value))", .dim)] }
    let from = ValueEdit.kind(of: before)
    let to = ValueEdit.kind(of: value)
    let kinds = from == to ? to : "\(from) → \(to)"
    return [.init("  \(kinds) · was ", .dim), .init(ValueEdit.brief(before), ValueEdit.role(of: before))]
  }

  static func kind(of value: JSONValue) -> String {
    switch value {
    case .string: "text"
    case .number: "number"
    case .bool: "true/false"
    case .null: "null"
    case .array: "list"
    case .object: "object"
    }
  }

  static func role(of value: JSONValue) -> ThemeRole {
    switch value {
    case .string: .string
    case .number: .number
    case .bool, .null: .literal
    case .array, .object: .punctuation
    }
  }

  /// In a few words, to be shown.
  static func brief(_ value: JSONValue) -> String { truncated(shown(value.compact), toWidth: 32) }
}
