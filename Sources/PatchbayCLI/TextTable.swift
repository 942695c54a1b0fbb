import Foundation
import PatchbayGrid
import PatchbayRuntime
import Synchronization

/// Rows in columns on a terminal, and separated by tabs in a pipe. All text is made safe.
struct TextTable {
  var heads: [String]
  var rows: [[String]] = []
  /// The columns, by their heads, that go first where a terminal is too narrow for the last one.
  var spare: [String] = []

  /// What the last column is to have at least, as far as it has so much.
  private static let lastWidth = 24

  func print(width: Int? = TerminalWidth.output) {
    for line in lines(width: width) { Swift.print(line) }
  }

  /// - Parameter width: of the terminal; nil is a pipe.
  func lines(width: Int?) -> [String] {
    let safe = rows.map { $0.map { SafeText.line($0) } }
    guard let width else { return safe.map { $0.joined(separator: "\t") } }
    let all = [heads] + safe
    let widths = heads.indices.map { column in all.map { textWidth($0[column]) }.max() ?? 0 }
    let shown = columns(widths, within: width)
    return all.map { row in
      let cells = shown.map { column in
        let text = row[column]
        return column == row.count - 1 ? text : text + String(repeating: " ", count: widths[column] - textWidth(text))
      }
      return truncated(cells.joined(separator: "  "), toWidth: width)
    }
  }

  /// The columns for which there is room.
  private func columns(_ widths: [Int], within width: Int) -> [Int] {
    var shown = Array(heads.indices)
    for head in spare {
      let needed = shown.dropLast().reduce(0) { $0 + widths[$1] + 2 } + min(Self.lastWidth, widths.last ?? 0)
      if needed <= width { break }
      shown.removeAll { heads[$0] == head }
    }
    return shown
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

/// How far long work has come, on one line of standard error; silent where that is no terminal.
final class ProgressLine: Sendable {
  private let title: String
  private let shown = Mutex(-1)

  init(_ title: String) {
    self.title = SafeText.line(title)
  }

  /// - Parameter share: 0 to 1.
  func show(_ share: Double) {
    guard StandardError.isTerminal else { return }
    let percent = Int(min(1, max(0, share)) * 100)
    let isNew = shown.withLock { shown in
      defer { shown = percent }
      return shown != percent
    }
    if isNew { StandardError.write("\r\(title): \(percent) %\u{1B}[K") }
  }

  func clear() {
    if StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
  }
}
