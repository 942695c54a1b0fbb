import PatchbayGrid
import PatchbayStubs

/// A list of things to choose from; one key each where there is one.
struct Menu: Sendable {
  struct Item: Sendable {
    var key: Key?
    var label: String
    var detail = ""
    /// Whether it is in force; nil where that makes no sense.
    var isOn: Bool?
    var action: MenuAction

    init(_ key: String? = nil, _ label: String, detail: String = "", isOn: Bool? = nil, _ action: MenuAction) {
      self.key = key.flatMap { Key(parsing: $0) }
      self.label = label
      self.detail = detail
      self.isOn = isOn
      self.action = action
    }
  }

  var title: String
  var items: [Item]
  var selected = 0
  var top = 0
  /// What the other keys do.
  var note = ""
  /// Stays open after a choice.
  var stays = false
  /// For whom a fault is, in the fault menu.
  var fault: FaultScope?
  /// The theme to go back to, in the theme picker.
  var themeBefore: String?

  mutating func move(by step: Int) {
    guard !items.isEmpty else { return }
    selected = max(0, min(items.count - 1, selected + step))
  }
}

/// What a menu's item does.
enum MenuAction: Sendable, Equatable {
  case copy(CopyKind)
  case copyText(String, label: String)
  case sort(RequestColumn)
  case column(RequestColumn)
  case export(ExportFormat)
  case theme(String)
  case fault(String)
  case undo(to: Int)
  case interruptCommand
  case quit
  case discard
  case save
  case stay
}
