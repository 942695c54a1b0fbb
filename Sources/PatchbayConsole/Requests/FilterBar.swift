import PatchbayGrid
import PatchbayInspect

/// The line in which the filter is typed. Each change is searched for at once; a fault leaves the rows as they are.
struct FilterBar: Sendable {
  /// What a key or a text led to.
  enum Answer: Sendable, Equatable {
    case nothing
    /// Another filter is in force.
    case changed
  }

  /// Whether it has the keys.
  private(set) var isOpen = false
  /// The filter in force.
  private(set) var applied = ""
  /// What is typed while it is open.
  private(set) var editor = TextEditor("", singleLine: true)
  /// What the filter was when the bar was opened, for Esc.
  private var before = ""
  private var problem: Problem?
  /// Filters used before, the newest last.
  private var history: [String] = []
  /// Which of the history is shown; nil is the text being typed.
  private var historyPlace: Int?
  private var typed = ""
  private var completion: Completion?

  private struct Problem: Sendable, Equatable {
    var message: String
    /// Characters before the fault.
    var column: Int
  }

  /// What Tab goes through.
  private struct Completion: Sendable, Equatable {
    var choices: [String]
    var index: Int
    /// The text around the completed word.
    var head: String
    var tail: String
  }

  init(_ filter: String = "") { applied = filter }

  mutating func open() {
    isOpen = true
    before = applied
    editor = TextEditor(applied, singleLine: true)
    historyPlace = nil
    completion = nil
    problem = nil
  }

  /// The filter in force, and behind it the beginning of one more condition.
  mutating func open(adding more: String) {
    open()
    editor = TextEditor(Filter.text(applied, and: more), singleLine: true)
  }

  mutating func close() { isOpen = false }

  /// Puts a filter in force that was not typed here.
  mutating func set(_ filter: String, isRemembered: Bool = false) {
    if isRemembered { remember(filter) }
    applied = filter
  }

  /// - Parameter values: what is known of the values of a key.
  mutating func handle(_ key: Key, values: (FilterKey) -> [String]) -> Answer {
    switch key {
    case .enter: return finish()
    case .escape, .control("c"): return cancel()
    case .tab: return complete(1, values)
    case Key(.tab, .shift): return complete(-1, values)
    case .up: return recall(-1)
    case .down: return recall(1)
    default:
      guard editor.handle(key) else { return .nothing }
      completion = nil
      return changed()
    }
  }

  mutating func insert(_ text: String) -> Answer {
    editor.insert(text)
    completion = nil
    return changed()
  }

  private mutating func changed() -> Answer {
    let text = editor.text
    do {
      _ = try Filter(parsing: text)
      problem = nil
    } catch {
      let hint = error.suggestion.map { "; did you mean \($0)?" } ?? ""
      problem = Problem(message: error.message + hint, column: error.range.lowerBound)
      return .nothing
    }
    guard text != applied else { return .nothing }
    applied = text
    return .changed
  }

  private mutating func finish() -> Answer {
    guard problem == nil else { return .nothing }
    isOpen = false
    remember(applied)
    return .nothing
  }

  private mutating func cancel() -> Answer {
    isOpen = false
    guard applied != before else { return .nothing }
    applied = before
    return .changed
  }

  private mutating func remember(_ filter: String) {
    guard !filter.isEmpty else { return }
    history.removeAll { $0 == filter }
    history.append(filter)
    if history.count > 200 { history.removeFirst() }
  }

  private mutating func recall(_ step: Int) -> Answer {
    if historyPlace == nil {
      guard step < 0 else { return .nothing }
      typed = editor.text
    }
    let place = (historyPlace ?? history.count) + step
    guard place >= 0 else { return .nothing }
    historyPlace = place < history.count ? place : nil
    editor = TextEditor(place < history.count ? history[place] : typed, singleLine: true)
    completion = nil
    return changed()
  }

  // MARK: Completion

  private mutating func complete(_ step: Int, _ values: (FilterKey) -> [String]) -> Answer {
    if let completion, completion.choices.count == 1 { self.completion = nil }
    if var next = completion {
      next.index = (next.index + step + next.choices.count) % next.choices.count
      completion = next
    } else {
      let found = completions(values)
      guard !found.candidates.isEmpty else { return .nothing }
      let characters = Array(editor.text)
      completion = Completion(
        choices: found.candidates.map(\.text), index: 0, head: String(characters[..<found.range.lowerBound]),
        tail: String(characters[found.range.upperBound...]))
    }
    guard let completion else { return .nothing }
    let head = completion.head + completion.choices[completion.index]
    editor = TextEditor(head + completion.tail, singleLine: true)
    editor.move(to: TextEditor.Place(line: 0, offset: head.utf8.count))
    return changed()
  }

  private func completions(_ values: (FilterKey) -> [String]) -> FilterCompletion {
    let line = editor.lines[0]
    let cursor = line[..<line.index(atUTF8: editor.cursor.offset)].count
    return Filter.completions(editor.text, cursor: cursor) { key in
      var seen: Set<String> = []
      return values(key).filter { !$0.isEmpty && seen.insert($0).inserted }
    }
  }

  /// What Tab would put in at the cursor; nothing where it stands there already.
  private func offers(_ values: (FilterKey) -> [String]) -> [String] {
    let found = completions(values)
    let begun = Array(editor.text)[found.range]
    let choices = found.candidates.map(\.text)
    return choices == [String(begun)] ? [] : choices
  }

  // MARK: Drawing

  /// - Parameter status: what is said of the list at the right, for the room that there is.
  func draw(on grid: inout Grid, in area: Rect, _ theme: Theme, status: (Int) -> [PageLine.Piece]) {
    grid.within(area) { grid in
      grid.fill(style: theme[isOpen ? .input : .text])
      let status = status(Self.statusRoom(in: grid.width))
      let width = status.reduce(0) { $0 + textWidth($1.text) }
      let room = Self.room(in: grid.width, beside: status)
      grid.put("/", at: Point(x: 1, y: 0), style: theme[.key, on: isOpen ? .input : .text].bold)
      if isOpen {
        grid.drawField(editor, in: Rect(x: 3, y: 0, width: room, height: 1), theme, ground: .input)
      } else if applied.isEmpty {
        grid.put(
          "type / to filter: host:api status:5xx is:bad …   f: saved filters", at: Point(x: 3, y: 0),
          style: theme[.dim], maxWidth: room
        )
      } else {
        grid.put(applied, at: Point(x: 3, y: 0), style: theme[.text].bold, maxWidth: room)
      }
      let ground: ThemeRole = isOpen ? .input : .text
      let spans = status.map { Span($0.text, theme[$0.role, on: ground]) }
      grid.put(spans: spans, at: Point(x: max(0, grid.width - width - 1), y: 0))
    }
  }

  private static func statusRoom(in width: Int) -> Int { max(12, width - 20) }

  /// How wide the text may be.
  private static func room(in width: Int, beside status: [PageLine.Piece]) -> Int {
    max(10, width - 5 - status.reduce(0) { $0 + textWidth($1.text) })
  }

  /// Under the bar: the fault below its column, or what Tab offers. Returns false where there is nothing to be said.
  ///
  /// - Parameter status: as in `draw`.
  func drawHelp(
    on grid: inout Grid, in area: Rect, _ theme: Theme, status: (Int) -> [PageLine.Piece],
    values: (FilterKey) -> [String]
  ) -> Bool {
    guard isOpen else { return false }
    let offers = offers(values)
    guard problem != nil || completion != nil || !offers.isEmpty else { return false }
    grid.within(area) { grid in
      if let problem, completion == nil {
        let prefix = String(editor.text.prefix(problem.column))
        let message = shown(problem.message)
        // A long text stands as the field shows it.
        let room = Self.room(in: grid.width, beside: status(Self.statusRoom(in: grid.width)))
        let column = max(0, 3 + textWidth(prefix) - grid.fieldShift(editor, width: room))
        if column + textWidth(message) + 3 <= grid.width {
          let end = column + grid.put("^ \(message)", at: Point(x: column, y: 0), style: theme[.error])
          draw(offers, current: nil, from: end + 2, theme, &grid)
        } else {
          // What is wrong says more than where, should there be no room for both.
          let start = column - 1 - textWidth(message)
          let text = start >= 0 ? "\(message) ^" : truncated(message, toWidth: grid.width)
          grid.put(text, at: Point(x: max(0, start), y: 0), style: theme[.error])
        }
      } else if let completion {
        draw(completion.choices, current: completion.index, from: 2, theme, &grid)
      } else {
        draw(offers, current: nil, from: 2, theme, &grid)
      }
    }
    return true
  }

  /// What Tab goes through, in a row; more than fits ends with an ellipsis.
  private func draw(_ choices: [String], current: Int?, from start: Int, _ theme: Theme, _ grid: inout Grid) {
    var x = start
    let first = max(0, (current ?? 0) - 6)
    for (place, choice) in choices.enumerated().dropFirst(first) {
      let text = " \(shown(choice)) "
      let isLast = place == choices.count - 1
      guard x + textWidth(text) + (isLast ? 0 : 1) < grid.width else {
        if x < grid.width { grid.put("…", at: Point(x: x, y: 0), style: theme[.dim]) }
        return
      }
      x += grid.put(text, at: Point(x: x, y: 0), style: theme[place == current ? .selection : .dim])
    }
  }
}
