/// The line in which the filter is typed.
struct FilterBar: Sendable, Equatable {
  var editor = TextEditor("", singleLine: true)
  /// Whether it has the keys.
  var isOpen = false
  /// The filter in force.
  var applied = ""
  /// What it was when the bar was opened, for Esc and for undo.
  var before = ""
  var problem: Problem?
  /// Filters used before, the newest last.
  var history: [String] = []
  /// Which of the history is shown; nil is the text being typed.
  var historyPlace: Int?
  var typed = ""
  var completion: Completion?

  struct Problem: Sendable, Equatable {
    var message: String
    /// Characters before the fault.
    var column: Int
  }

  /// What Tab goes through.
  struct Completion: Sendable, Equatable {
    var choices: [String]
    var index: Int
    /// The text around the completed word.
    var head: String
    var tail: String
  }

  mutating func remember(_ filter: String) {
    guard !filter.isEmpty else { return }
    history.removeAll { $0 == filter }
    history.append(filter)
    if history.count > 200 { history.removeFirst() }
  }
}
