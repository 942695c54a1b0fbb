import PatchbayGrid

extension ConsoleState {
  func drawBox(_ overlay: Overlay, _ grid: inout Grid) {
    switch overlay {
    case .menu(let menu): drawMenu(menu, &grid)
    case .help(let box): drawHelp(box, &grid)
    case .palette(let palette):
      box(paletteWidth, paletteHeight, "Commands", &grid) { drawPalette(palette, &$0) }
    case .prompt, .stubForm, .exchangeForm, .compare: break
    }
  }

  private var paletteWidth: Int { max(min(80, size.width - 4), size.width / 2) }
  private var paletteHeight: Int { min(size.height - 4, max(22, size.height * 3 / 5)) }

  /// Where the palette stands on the screen, its frame included.
  var paletteArea: Rect { boxArea(paletteWidth, paletteHeight, atFoot: false) }

  /// Where the help stands on the screen, its frame included.
  var helpArea: Rect { boxArea(helpWidth, size.height - 4, atFoot: false) }

  /// A box of that size in the middle; draws its inside.
  func box(
    _ width: Int, _ height: Int, _ title: String, _ grid: inout Grid, atFoot: Bool = false,
    _ inside: (inout Grid) -> Void
  ) {
    let area = boxArea(width, height, atFoot: atFoot)
    grid.fill(area, style: theme[.popup])
    let inner = grid.box(area, style: theme[.popupLine], title: title, titleStyle: theme[.popupTitle])
    grid.within(inner, inside)
  }

  /// In the middle; an offer stands at the right, above the sentence about what was done.
  func boxArea(_ width: Int, _ height: Int, atFoot: Bool) -> Rect {
    let area = body.centered(width: min(width, size.width - 2), height: min(height, size.height - 2))
    guard atFoot else { return area }
    return Rect(
      x: size.width - area.width - 1, y: max(1, size.height - area.height - max(1, toastLines.count)),
      width: area.width, height: area.height)
  }
}
