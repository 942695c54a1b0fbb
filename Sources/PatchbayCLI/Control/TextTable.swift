import Foundation
import PatchbayGrid

/// Rows in columns on a terminal, and separated by tabs in a pipe. All text is made safe.
struct TextTable {
  var heads: [String]
  var rows: [[String]] = []

  func print(width: Int? = TerminalWidth.output) {
    for line in lines(width: width) { Swift.print(line) }
  }

  /// - Parameter width: of the terminal; nil is a pipe.
  func lines(width: Int?) -> [String] {
    let safe = rows.map { $0.map { SafeText.line($0) } }
    guard let width else { return safe.map { $0.joined(separator: "\t") } }
    let all = [heads] + safe
    let widths = heads.indices.map { column in all.map { textWidth($0[column]) }.max() ?? 0 }
    return all.map { row in
      let cells = row.enumerated().map { column, text in
        column == row.count - 1 ? text : text + String(repeating: " ", count: widths[column] - textWidth(text))
      }
      return truncated(cells.joined(separator: "  "), toWidth: width)
    }
  }
}

/// The width of the terminal that standard output is.
enum TerminalWidth {
  /// Nil where standard output is none.
  static var output: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
