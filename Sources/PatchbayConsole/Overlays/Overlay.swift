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
