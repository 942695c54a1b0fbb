import CNcurses
import PatchbayGrid

/// ncurses' numbered pairs of colours, defined when they are first needed. Never changes the terminal's palette.
struct ColorPairs {
  let depth: ColorDepth
  /// Set when a pair was needed and all numbers were taken.
  var hasOverflowed = false

  private struct Pair: Hashable {
    var foreground: Int32
    var background: Int32
  }

  private let limit: Int32
  private let isDirect: Bool
  private var numbers: [Pair: Int32] = [:]
  private var lastStyle: Style?
  private var lastPair: Int32 = 0

  /// The terminal is open.
  init(limit: ColorDepth) {
    isDirect = patchbay_terminal_is_direct()
    let colors = patchbay_terminal_colors()
    let available: ColorDepth =
      switch colors {
      case ..<8: .none
      case ..<16: .ansi8
      case ..<256: .ansi16
      case ..<0x10000: .palette256
      default: isDirect ? .trueColor : .palette256
      }
    depth = min(available, limit)
    self.limit = patchbay_terminal_pairs()
  }

  /// The next pairs get the first numbers again; what is on the screen has to be drawn again.
  mutating func forgetAll() {
    numbers.removeAll()
    lastStyle = nil
    hasOverflowed = false
  }

  mutating func append(_ run: Grid.RunCells, to cells: inout [patchbay_cell]) {
    for (cell, marks) in run {
      let style = cell.style
      var out = patchbay_cell()
      out.pair = number(of: style)
      out.attributes = UInt32(style.attributes.rawValue)
      out.scalars.0 = cell.scalar.value
      if !marks.isEmpty {
        out.scalars.1 = marks[0].value
        out.scalars.2 = marks.count > 1 ? marks[1].value : 0
        out.scalars.3 = marks.count > 2 ? marks[2].value : 0
        out.scalars.4 = marks.count > 3 ? marks[3].value : 0
      }
      cells.append(out)
    }
  }

  private mutating func number(of style: Style) -> Int32 {
    if depth == .none { return 0 }
    if let lastStyle, lastStyle.foreground == style.foreground, lastStyle.background == style.background {
      return lastPair
    }
    lastStyle = style
    lastPair = define(Pair(foreground: code(style.foreground), background: code(style.background)))
    return lastPair
  }

  private mutating func define(_ pair: Pair) -> Int32 {
    if pair.foreground == -1, pair.background == -1 { return 0 }
    if let number = numbers[pair] { return number }
    let number = Int32(numbers.count + 1)
    guard number < limit, patchbay_terminal_pair(number, pair.foreground, pair.background) else {
      hasOverflowed = true
      return 0
    }
    numbers[pair] = number
    return number
  }

  private func code(_ color: Color) -> Int32 {
    switch color.reduced(to: depth).kind {
    case .terminalDefault: return -1
    case .palette(let number):
      if depth != .trueColor || number < 8 { return Int32(number) }
      return direct(color.rgbValue)
    case .rgb: return direct(color.rgbValue)
    }
  }

  /// The -direct entries take 0 to 7 for the ANSI colours, so that the darkest blues move by one step.
  private func direct(_ rgb: UInt32) -> Int32 {
    Int32(rgb < 8 ? rgb | 0x000100 : rgb)
  }
}
