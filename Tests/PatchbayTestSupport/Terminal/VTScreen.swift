import CLaunch

/// A terminal emulator in memory, good enough for what ncurses sends as xterm or tmux. A value: keep and compare it.
package struct VTScreen: Sendable {
  package private(set) var columns: Int
  package private(set) var rows: Int
  package internal(set) var modes = VTModes()
  /// The window's title (OSC 0 and 2).
  package internal(set) var title = ""
  /// What was copied by OSC 52, still in base64, oldest first.
  package internal(set) var copied: [String] = []
  package internal(set) var bells = 0
  /// Application program commands, which show nothing here, oldest first.
  package internal(set) var commands: [String] = []
  /// Sequences that the emulator does not know, as text; a test may want none.
  package internal(set) var unknown: [String] = []

  /// How often the whole screen was erased.
  package internal(set) var erasures = 0
  /// What stood on it just before the last time.
  var erasedCells: [[VTCell]] = []

  var cells: [[VTCell]]
  var style = VTStyle()
  var cursorColumn = 0
  var cursorRow = 0
  /// The last column was written, and the next character goes to the next line.
  var wrapsNext = false
  var top = 0
  var bottom: Int
  var saved = SavedCursor()
  /// The main screen while the alternate one is shown.
  var mainCells: [[VTCell]]?
  var mainCursor = SavedCursor()
  /// Which of G0 and G1 is drawn with, and whether each is the line drawing set.
  var shiftedOut = false
  var lineDrawing = [false, false]
  var lastScalar: Unicode.Scalar?
  var parser = VTParser()

  struct SavedCursor: Sendable {
    var column = 0
    var row = 0
    var style = VTStyle()
  }

  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    bottom = self.rows - 1
    cells = Self.blank(self.columns, self.rows)
  }

  /// Takes what the program wrote; may be split anywhere.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard let action = parser.take(byte) else { continue }
      perform(action)
    }
  }

  /// The rows as text, without trailing spaces.
  package var lines: [String] {
    cells.map { row in
      // In a build for debugging each element that a key path or an iterator gives costs as much as ten of these.
      var text = ""
      var blanks = 0
      var column = 0
      while column < row.count {
        let cell = row[column].text
        column += 1
        if cell == " " {
          blanks += 1
          continue
        }
        if cell.isEmpty { continue }
        if blanks > 0 { text += String(repeating: " ", count: blanks) }
        blanks = 0
        text += cell
      }
      return text
    }
  }

  /// The rows joined by line ends, without empty rows at the foot.
  package var text: String {
    var rows = lines
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.joined(separator: "\n")
  }

  /// Column and row of the cursor, from 0.
  package var cursor: (column: Int, row: Int) { (cursorColumn, cursorRow) }

  package func contains(_ text: String) -> Bool {
    lines.contains { $0.contains(text) }
  }

  package func cell(column: Int, row: Int) -> VTCell? {
    cells.indices.contains(row) && cells[row].indices.contains(column) ? cells[row][column] : nil
  }

  /// Column and row where `text` first stands on one row, or nil.
  package func position(of text: String) -> (column: Int, row: Int)? {
    for (row, line) in cells.enumerated() {
      for column in line.indices where !line[column].text.isEmpty {
        if line[column...].map(\.text).joined().hasPrefix(text) { return (column, row) }
      }
    }
    return nil
  }

  /// The style of the first cell of `text` where it first stands, or nil.
  package func style(of text: String) -> VTStyle? {
    position(of: text).map { cells[$0.row][$0.column].style }
  }

  /// Another size, as xterm does it: rows and columns are cut off or added at the right and the foot.
  package mutating func resize(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Self.resized(cells, self.columns, self.rows)
    mainCells = mainCells.map { Self.resized($0, self.columns, self.rows) }
    (top, bottom) = (0, self.rows - 1)
    cursorColumn = min(cursorColumn, self.columns - 1)
    cursorRow = min(cursorRow, self.rows - 1)
    wrapsNext = false
  }

  /// The screen just before it was erased the last time: all of a frame, of which one reading may have brought a piece.
  package var beforeErasure: VTScreen {
    var screen = self
    screen.cells = erasedCells
    return screen
  }

  static func blank(_ columns: Int, _ rows: Int) -> [[VTCell]] {
    Array(repeating: Array(repeating: VTCell(), count: columns), count: rows)
  }

  private static func resized(_ cells: [[VTCell]], _ columns: Int, _ rows: Int) -> [[VTCell]] {
    var result = cells.prefix(rows).map { row in
      row.prefix(columns) + Array(repeating: VTCell(), count: max(0, columns - row.count))
    }.map(Array.init)
    while result.count < rows { result.append(Array(repeating: VTCell(), count: columns)) }
    return result
  }
}

/// A failed expectation tells what a person would see, not the cells.
extension VTScreen: CustomStringConvertible {
  package var description: String { "the screen:\n\(text)\n" }
}

/// A cell of the emulated terminal. A wide character is followed by a cell with no text.
package struct VTCell: Hashable, Sendable {
  /// The character with its combining marks; empty in the second half of a wide one.
  package var text = " "
  package var style = VTStyle()

  package init() {}

  init(text: String = " ", style: VTStyle) {
    self.text = text
    self.style = style
  }

  /// The cell as far as it can be seen: the foreground of a blank cannot, nor can what shapes its letter. ncurses writes
  /// a few blanks as spaces, with a foreground, and erases many, without one.
  package var seen: VTCell {
    guard text == " ", !style.reverse, !style.underline else { return self }
    var cell = VTCell()
    cell.style.background = style.background
    return cell
  }
}

/// The columns that the system's C library gives a scalar: what most terminals go by.
package func systemWidth(of scalar: Unicode.Scalar) -> Int {
  Int(patchbay_scalar_width(scalar.value))
}

/// A colour as the terminal was told it.
package enum VTColor: Hashable, Sendable {
  case `default`
  case palette(Int)
  case rgb(Int, Int, Int)
}

/// How a cell of the emulated terminal is drawn.
package struct VTStyle: Hashable, Sendable {
  package var foreground = VTColor.default
  package var background = VTColor.default
  package var bold = false
  package var dim = false
  package var italic = false
  package var underline = false
  package var reverse = false

  package init() {}

  /// Applies the parameters of an SGR sequence; each with its sub-parameters after colons.
  mutating func apply(_ parameters: [[Int]]) {
    var rest = parameters.isEmpty ? [[0]] : parameters
    while !rest.isEmpty {
      let parameter = rest.removeFirst()
      switch parameter[0] {
      case 0: self = VTStyle()
      case 1: bold = true
      case 2: dim = true
      case 3: italic = true
      case 4: underline = parameter.count < 2 || parameter[1] != 0
      case 7: reverse = true
      case 22: (bold, dim) = (false, false)
      case 23: italic = false
      case 24: underline = false
      case 27: reverse = false
      case 30...37: foreground = .palette(parameter[0] - 30)
      case 38: foreground = Self.extended(parameter, &rest) ?? foreground
      case 39: foreground = .default
      case 40...47: background = .palette(parameter[0] - 40)
      case 48: background = Self.extended(parameter, &rest) ?? background
      case 49: background = .default
      case 90...97: foreground = .palette(parameter[0] - 82)
      case 100...107: background = .palette(parameter[0] - 92)
      default: break
      }
    }
  }

  /// `38;5;n`, `38;2;r;g;b`, `38:5:n`, `38:2:r:g:b` and `38:2::r:g:b`.
  private static func extended(_ parameter: [Int], _ rest: inout [[Int]]) -> VTColor? {
    var numbers = Array(parameter.dropFirst())
    if numbers.isEmpty {
      let count = rest.first?.first == 5 ? 2 : 4
      numbers = rest.prefix(count).map { $0[0] }
      rest.removeFirst(min(count, rest.count))
    } else if numbers.first == 2, numbers.count >= 5 {
      numbers.remove(at: 1)
    }
    switch (numbers.first, numbers.count) {
    case (5, 2...): return .palette(numbers[1])
    case (2, 4...): return .rgb(numbers[1], numbers[2], numbers[3])
    default: return nil
    }
  }
}

/// Switches that a program turned on in the emulated terminal.
package struct VTModes: Hashable, Sendable {
  package var alternateScreen = false
  package var cursorVisible = true
  package var bracketedPaste = false
  package var focusReports = false
  package var applicationCursor = false
  package var applicationKeypad = false
  package var insert = false
  package var autoWrap = true
  package var origin = false
  /// The private modes of the mouse that are on: 1000 (buttons), 1002 (drags), 1003 (all motion), 1006 (SGR), …
  package var mouse: Set<Int> = []

  package init() {}
}
