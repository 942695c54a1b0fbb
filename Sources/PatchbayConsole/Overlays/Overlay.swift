/// A box over the screen, or a form in its place. It takes all keys.
enum Overlay: Sendable {
  case menu(Menu)
  case help(HelpBox)
  case palette(PaletteBox)
  case prompt(Prompt)
  case stubForm(StubForm)
  case exchangeForm(ExchangeForm)
  case compare(ComparePage)
}

extension Overlay {
  /// Whether letters are typed into it.
  var takesText: Bool {
    switch self {
    case .menu, .compare: false
    case .help, .palette, .prompt, .stubForm, .exchangeForm: true
    }
  }
}
