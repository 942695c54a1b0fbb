import PatchbayGrid
import PatchbayInspect
import PatchbayStubs

/// A list of things to choose from; one key each where there is one.
struct Menu: Sendable {
  struct Item: Sendable {
    var key: Key?
    var label: String
    var detail = ""
    /// Whether it is in force; nil where that makes no sense.
    var isOn: Bool?
    /// In the place of the detail: text in colours of its own.
    var swatch: [Span] = []
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
  /// Esc does not close it, for something would be lost.
  var keepsOpen = false
  /// Sentences above the items, wrapped.
  var text: [String] = []
  /// An offer at the foot of the screen: a key that is not one of its own closes it and does what it always does.
  var isOffer = false
  /// The recorded requests that are listed; their rows are filled in as they become known.
  var requests: [Int64] = []
  /// The stubs that the offer is about.
  var stubs: StubOffer?
  /// The stub that holds, by its name; nil is the switch that holds everything.
  var holdStub: String?
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
  case refine(StubOffer.Choice)
  case hold(Action.HoldPoint)
  /// Held requests go on, in this order.
  case release([Int64])
  /// The held request gets what a stub would answer.
  case answer(stub: String, Action)
  /// Back to the person's editor, with what was written there and cannot be read.
  case editAgain(Stub, text: String)
  case settle(StubConflict, keepsMine: Bool)
  case kept(KeptAnswer)
  case stay

  var isCopy: Bool { if case .copyText = self { true } else { false } }
}
