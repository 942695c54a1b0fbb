import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  mutating func openFilter() {
    requests.bar.isOpen = true
    requests.bar.before = requests.bar.applied
    requests.bar.editor = TextEditor(requests.bar.applied, singleLine: true)
    requests.bar.historyPlace = nil
    requests.bar.completion = nil
    requests.bar.problem = nil
  }

  mutating func handleFilter(_ key: Key) {
    switch key {
    case .enter: finishFilter()
    case .escape: cancelFilter()
    case .tab: complete(1)
    case Key(.tab, .shift): complete(-1)
    case .up: recallFilter(-1)
    case .down: recallFilter(1)
    case .control("c"): cancelFilter()
    default:
      guard requests.bar.editor.handle(key) else { return }
      requests.bar.completion = nil
      filterTyped()
    }
  }

  /// Reads what stands in the bar and searches at once; a fault leaves the rows as they are.
  mutating func filterTyped() {
    let text = requests.bar.editor.text
    do {
      _ = try Filter(parsing: text)
      requests.bar.problem = nil
    } catch {
      let hint = error.suggestion.map { "; did you mean \($0)?" } ?? ""
      requests.bar.problem = .init(message: error.message + hint, column: error.range.lowerBound)
      return
    }
    guard text != requests.bar.applied else { return }
    requests.bar.applied = text
    runQuery()
  }

  private mutating func finishFilter() {
    guard requests.bar.problem == nil else { return }
    requests.bar.isOpen = false
    requests.bar.completion = nil
    requests.bar.remember(requests.bar.applied)
    noteFilter(from: requests.bar.before, to: requests.bar.applied)
  }

  private mutating func cancelFilter() {
    requests.bar.isOpen = false
    requests.bar.problem = nil
    requests.bar.completion = nil
    guard requests.bar.applied != requests.bar.before else { return }
    requests.bar.applied = requests.bar.before
    runQuery()
  }

  /// Puts a filter in force as a step that can be undone.
  mutating func applyFilter(_ text: String) {
    guard text != requests.bar.applied else { return }
    noteFilter(from: requests.bar.applied, to: text)
    requests.bar.remember(text)
    setFilter(text)
  }

  mutating func setFilter(_ text: String) {
    requests.bar.applied = text
    requests.bar.problem = nil
    runQuery()
  }

  private mutating func noteFilter(from: String, to: String) {
    guard from != to else { return }
    let title = to.isEmpty ? "Took the filter away" : "Filtered by \(to)"
    log.add(UndoLog.Step(title: title, at: now, change: .filter(from: from, to: to)))
  }

  private mutating func recallFilter(_ step: Int) {
    let history = requests.bar.history
    guard !history.isEmpty else { return }
    if requests.bar.historyPlace == nil {
      guard step < 0 else { return }
      requests.bar.typed = requests.bar.editor.text
    }
    let place = (requests.bar.historyPlace ?? history.count) + step
    guard place >= 0 else { return }
    requests.bar.historyPlace = place < history.count ? place : nil
    requests.bar.editor = TextEditor(place < history.count ? history[place] : requests.bar.typed, singleLine: true)
    requests.bar.completion = nil
    filterTyped()
  }

  private mutating func complete(_ step: Int) {
    if let completion = requests.bar.completion, completion.choices.count == 1 { requests.bar.completion = nil }
    if var completion = requests.bar.completion {
      completion.index = (completion.index + step + completion.choices.count) % completion.choices.count
      requests.bar.completion = completion
    } else {
      let found = filterCompletion
      guard !found.candidates.isEmpty else { return }
      let characters = Array(requests.bar.editor.text)
      requests.bar.completion = FilterBar.Completion(
        choices: found.candidates.map(\.text), index: 0, head: String(characters[..<found.range.lowerBound]),
        tail: String(characters[min(characters.count, found.range.upperBound)...]))
    }
    guard let completion = requests.bar.completion else { return }
    let head = completion.head + completion.choices[completion.index]
    requests.bar.editor = TextEditor(head + completion.tail, singleLine: true)
    requests.bar.editor.move(to: TextEditor.Place(line: 0, offset: head.utf8.count))
    filterTyped()
  }

  private var filterCompletion: FilterCompletion {
    let line = requests.bar.editor.lines[0]
    let cursor = line[..<line.index(atUTF8: requests.bar.editor.cursor.offset)].count
    return Filter.completions(requests.bar.editor.text, cursor: cursor) { completionValues($0) }
  }

  /// What Tab would put in at the cursor; nothing where it stands there already.
  var filterOffers: [String] {
    let found = filterCompletion
    let begun = Array(requests.bar.editor.text)[found.range]
    let choices = found.candidates.map(\.text)
    return choices == [String(begun)] ? [] : choices
  }

  /// What is known of the values of a key, from what is on screen.
  private func completionValues(_ key: FilterKey) -> [String] {
    var values: [String]
    switch key {
    case .stub: values = stubs.board.entries.map(\.stub.name)
    case .process: values = processes.links.map(\.process.name)
    case .host: values = visibleIDs.compactMap { requests.cache[$0]?.host }
    case .path: values = visibleIDs.compactMap { requests.cache[$0]?.path.split(separator: "?").first.map(String.init) }
    default: values = []
    }
    var seen: Set<String> = []
    values = values.filter { !$0.isEmpty && seen.insert($0).inserted }
    return values
  }
}
