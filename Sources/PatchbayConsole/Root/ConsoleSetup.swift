import PatchbayGrid

/// What is known when the console starts and does not change.
package struct ConsoleSetup: Sendable, Equatable {
  /// How the console was started: it decides what the empty screens say.
  package enum Mode: Sendable, Equatable {
    case run(command: String)
    /// To a program that ran already.
    case attach(program: String)
    case listen
    case demo
    /// A file is browsed, which is only read.
    case open(file: String)
  }

  package var mode: Mode
  /// Whether a command was started here that may read what is typed.
  var hasCommandInput: Bool {
    guard case .run = mode else { return false }
    return true
  }

  /// The name of the file that is browsed.
  var openedFile: String? {
    guard case .open(let file) = mode else { return nil }
    return file
  }
  /// The harness socket's path.
  package var socket: String
  /// Seconds east of UTC.
  package var utcOffset: Int
  /// The filter to begin with.
  package var filter: String
  /// Secrets stay in what is exported.
  package var withSecrets: Bool

  package init(
    mode: Mode = .listen, socket: String = "", utcOffset: Int = 0, filter: String = "", withSecrets: Bool = false
  ) {
    self.withSecrets = withSecrets
    self.mode = mode
    self.socket = socket
    self.utcOffset = utcOffset
    self.filter = filter
  }

  /// The title of the window, which says first how many requests are held.
  func title(held: Int) -> String {
    let mark = held == 0 ? "" : "(\(Wording.count(held)) held) "
    switch mode {
    case .run(let command): return "\(mark)patchbay · \(shown(command))"
    case .attach(let program): return "\(mark)patchbay · \(shown(program))"
    case .listen: return "\(mark)patchbay"
    case .demo: return "\(mark)patchbay demo"
    case .open(let file): return "\(shown(file)) · patchbay"
    }
  }
}

/// What the person chose about how things look; kept between sessions by the runtime.
package struct ViewSettings: Sendable, Equatable {
  package var theme: String
  /// Columns of the request list, in order; empty takes those that fit.
  package var columns: [RequestColumn]
  /// Widths of columns that the person changed, by name.
  package var widths: [RequestColumn: Int]
  /// How wide the list was for which they were chosen; 0 where none is.
  package var widthsFor: Int
  /// Where the detail stands: nil chooses by the width of the screen.
  package var detailBeside: Bool?
  /// The share of the screen that the list takes, in percent.
  package var listShare: Int
  package var mouse: Bool
  package var wrap: Bool
  package var lineNumbers: Bool
  /// The tour of the demo was gone through, or sent away.
  package var tourDone = false
  /// What the person saved, in the order of its numbers.
  package var filters: [SavedFilter]

  package init(
    theme: String = "dark", columns: [RequestColumn] = [], widths: [RequestColumn: Int] = [:],
    widthsFor: Int = 0, detailBeside: Bool? = nil, listShare: Int = 50, mouse: Bool = true, wrap: Bool = true,
    lineNumbers: Bool = false, filters: [SavedFilter] = SavedFilter.usual
  ) {
    self.filters = filters
    self.theme = theme
    self.columns = columns
    self.widths = widths
    self.widthsFor = widthsFor
    self.detailBeside = detailBeside
    self.listShare = listShare
    self.mouse = mouse
    self.wrap = wrap
    self.lineNumbers = lineNumbers
  }
}

/// What the terminal is to show: the cells (with the cursor) and the modes that belong to them.
package struct ConsoleFrame: Sendable {
  package var grid: Grid
  /// Whether the terminal reports the mouse; off leaves selecting text to the terminal.
  package var mouse: Bool
  /// The window's title.
  package var title: String

  package init(grid: Grid, mouse: Bool, title: String) {
    self.grid = grid
    self.mouse = mouse
    self.title = title
  }
}
