import PatchbayGrid
import PatchbayWire

/// A sentence that is shown for a while at the right of the foot, with what takes it back: nothing that is listed lies
/// below it.
struct Toast: Sendable, Equatable {
  private let notice: Notice
  /// Whether `u` takes back what it tells.
  private let undoable: Bool
  let expires: Timestamp
  /// It goes when nothing is held any more.
  let isAboutHeld: Bool

  /// How long it stands; what went wrong is to be read in peace.
  private static let (seconds, troubleSeconds): (Int64, Int64) = (6, 10)

  init(_ notice: Notice, undoable: Bool, isAboutHeld: Bool, at now: Timestamp) {
    self.notice = notice
    self.undoable = undoable
    self.isAboutHeld = isAboutHeld
    let isTrouble = notice.kind == .error || notice.kind == .warning
    expires = Timestamp(microseconds: now.microseconds + (isTrouble ? Toast.troubleSeconds : Toast.seconds) * 1_000_000)
  }

  /// The sentence as it is wrapped, at most three lines.
  func lines(in size: Size) -> [String] {
    let undo = undoable ? "  u undoes" : ""
    let sign =
      switch notice.kind {
      case .error, .warning: "!"
      case .good: "✓"
      case .info: "·"
      }
    let text = " \(sign) \(shown(notice.text.replacing("\n", with: "; ")))\(undo) "
    let narrow = wrapped(text, toWidth: Toast.narrowWidth(in: size))
    guard narrow.count > Toast.lineLimit else { return narrow }
    // A long sentence takes whole lines, above the keys (see `rows`); one that is longer still ends with an ellipsis.
    let wide = wrapped(text, toWidth: max(10, size.width - 2))
    guard wide.count > Toast.lineLimit else { return wide }
    let last = truncated(wide[Toast.lineLimit - 1] + " …", toWidth: max(10, size.width - 2))
    return wide.prefix(Toast.lineLimit - 1) + [last]
  }

  private static let lineLimit = 3

  /// The rows that it takes. One so wide that no key would be left at its side stands above the foot, where the screen
  /// has room for that, and above a line in which something is typed.
  func rows(in size: Size, hasPrompt: Bool = false) -> Range<Int> {
    let lines = lines(in: size)
    let isWide = lines.contains { textWidth($0) > Toast.narrowWidth(in: size) } && Toast.takesRows(of: size)
    let end = size.height - (isWide || hasPrompt ? 1 : 0)
    return (end - lines.count)..<end
  }

  /// Columns that it takes of the foot.
  func footWidth(in size: Size) -> Int {
    rows(in: size).contains(size.height - 1) ? width(lines(in: size)) : 0
  }

  /// Whether what is listed makes room for a notice of several lines.
  static func takesRows(of size: Size) -> Bool { size.height > 12 }

  /// The keys at its left are wanted just now: some of the line is left to them.
  private static func narrowWidth(in size: Size) -> Int {
    max(10, max(min(40, size.width - 2), min(90, size.width - 30)))
  }

  private func width(_ lines: [String]) -> Int { lines.map { textWidth($0) }.max() ?? 0 }

  func draw(on grid: inout Grid, hasPrompt: Bool, _ theme: Theme) {
    guard grid.height > 4 else { return }
    let role: ThemeRole =
      switch notice.kind {
      case .error: .toastError
      case .warning: .badge
      case .info, .good: .toast
      }
    let size = Size(width: grid.width, height: grid.height)
    let lines = lines(in: size)
    let width = width(lines)
    for (y, line) in zip(rows(in: size, hasPrompt: hasPrompt), lines) {
      grid.fill(Rect(x: grid.width - width, y: y, width: width, height: 1), style: theme[role])
      grid.put(line, at: Point(x: grid.width - width, y: y), style: theme[role])
    }
  }
}
