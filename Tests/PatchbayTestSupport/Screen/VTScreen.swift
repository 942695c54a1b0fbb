/// A terminal emulator in memory, good enough for what ncurses sends as xterm or tmux. A value: keep and compare it.
public struct VTScreen: Sendable {
  public private(set) var columns: Int
  public private(set) var rows: Int
  public internal(set) var modes = VTModes()
  /// The window's title (OSC 0 and 2).
  public internal(set) var title = ""
  /// What was copied by OSC 52, still in base64, oldest first.
  public internal(set) var copied: [String] = []
  public internal(set) var bells = 0
  /// Sequences that the emulator does not know, as text; a test may want none.
  public internal(set) var unknown: [String] = []

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

  public init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    bottom = self.rows - 1
    cells = Self.blank(self.columns, self.rows)
  }

  /// Takes what the program wrote; may be split anywhere.
  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard let action = parser.take(byte) else { continue }
      perform(action)
    }
  }

  /// The rows as text, without trailing spaces.
  public var lines: [String] {
    cells.map { row in
      var text = row.map(\.text).joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// The rows joined by line ends, without empty rows at the foot.
  public var text: String {
    var rows = lines
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.joined(separator: "\n")
  }

  /// Column and row of the cursor, from 0.
  public var cursor: (column: Int, row: Int) { (cursorColumn, cursorRow) }

  public func contains(_ text: String) -> Bool {
    lines.contains { $0.contains(text) }
  }

  public func cell(column: Int, row: Int) -> VTCell? {
    cells.indices.contains(row) && cells[row].indices.contains(column) ? cells[row][column] : nil
  }

  /// Column and row where `text` first stands on one row, or nil.
  public func position(of text: String) -> (column: Int, row: Int)? {
    for (row, line) in cells.enumerated() {
      for column in line.indices where !line[column].text.isEmpty {
        if line[column...].map(\.text).joined().hasPrefix(text) { return (column, row) }
      }
    }
    return nil
  }

  /// The style of the first cell of `text` where it first stands, or nil.
  public func style(of text: String) -> VTStyle? {
    position(of: text).map { cells[$0.row][$0.column].style }
  }

  /// Another size, as xterm does it: rows and columns are cut off or added at the right and the foot.
  public mutating func resize(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Self.resized(cells, self.columns, self.rows)
    mainCells = mainCells.map { Self.resized($0, self.columns, self.rows) }
    (top, bottom) = (0, self.rows - 1)
    cursorColumn = min(cursorColumn, self.columns - 1)
    cursorRow = min(cursorRow, self.rows - 1)
    wrapsNext = false
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
  public var description: String { "the screen:\n\(text)\n" }
}
