import PatchbayGrid

/// A box that is a menu; what a choice does is up to it.
protocol ChoiceBox: Box {
  associatedtype Choice: Sendable
  var menu: Menu<Choice> { get }
}

extension ChoiceBox {
  var place: BoxPlace { menu.isOffer ? .offer : .popup }
  var takenKeys: [Key] { menu.isOffer ? menu.items.compactMap(\.key) : [] }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    FooterHint.menu
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) { menu.draw(on: &grid, context) }

  /// An offer does not stand in the way: the key means what it would mean without it.
  func pass(_ key: Key, _ out: inout Outcomes) {
    out.close()
    if key != .escape { out.add(.press(key)) }
  }
}

/// A menu whose items say themselves what comes of them.
struct MenuBox: ChoiceBox {
  private(set) var menu: Menu<[Outcome]>
  /// Esc does not close it, for something would be lost.
  var keepsOpen = false
  /// Chosen by `ctrl-c`, which closes other menus.
  var onInterrupt: [Outcome]?

  init(_ menu: Menu<[Outcome]>, keepsOpen: Bool = false, onInterrupt: [Outcome]? = nil) {
    self.menu = menu
    self.keepsOpen = keepsOpen
    self.onInterrupt = onInterrupt
  }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    keepsOpen ? FooterHint.menu.filter { $0.key != "esc" } : FooterHint.menu
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    if let onInterrupt, case .input(.key(.control("c"))) = event {
      out.close()
      for outcome in onInterrupt { out.add(outcome) }
      return
    }
    switch menu.handle(event, context) {
    case .chosen(let item):
      if !item.staysOpen { out.close() }
      for outcome in item.choice { out.add(outcome) }
    case .dismissed: if !keepsOpen { out.close() }
    case .other(let key): if menu.isOffer { pass(key, &out) }
    case .moved, .nothing: break
    }
  }
}
