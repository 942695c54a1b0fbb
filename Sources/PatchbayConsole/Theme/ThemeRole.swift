/// What a piece of the screen means; a theme gives each a style.
package enum ThemeRole: Int, CaseIterable, Sendable {
  /// Ordinary text on the screen's background; its background is the one of all roles that name none.
  case text
  /// Less important text: times, units, hints.
  case dim
  /// Rules between panes and the like; not text.
  case line
  /// The part of a scroll bar that stands for what is seen; not text.
  case scrollbar
  /// The name of the program at the top left.
  case brand
  /// The bar at the top and its tabs.
  case header
  case tab
  case tabActive
  /// Something in the header that must be seen, such as held requests.
  case badge
  /// Column heads, and the one that is sorted by.
  case columnHead
  case columnSorted
  /// The selected row of the pane that has the keys, and of one that has not.
  case selection
  case selectionIdle
  case mark
  /// Outcomes.
  case success
  case redirect
  case clientError
  case serverError
  case failure
  case held
  case waiting
  case cancelled
  /// The name of the stub that answered.
  case stub
  /// Methods that only read, and those that change something.
  case methodRead
  case methodWrite
  /// Tokens of JSON and of markup.
  case key
  case string
  case number
  case literal
  case punctuation
  case lineNumber
  /// Places found by a search, and the one that is shown.
  case match
  case matchCurrent
  /// Lines of text that is being edited.
  case input
  case placeholder
  case selectedText
  case error
  case warning
  case good
  /// The foot of the screen.
  case footer
  case footerKey
  /// Boxes over the screen.
  case popup
  case popupTitle
  case popupLine
  case toast
  case toastError
  /// Bars and sparklines.
  case spark
  case barWait
  case barBody
  case barHeld

  /// Its name in a theme file.
  package var name: String { String(describing: self) }

  package init?(name: String) {
    guard let role = ThemeRole.allCases.first(where: { $0.name == name }) else { return nil }
    self = role
  }
}
