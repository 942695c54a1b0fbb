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

  package init(
    theme: String = "dark", columns: [RequestColumn] = [], widths: [RequestColumn: Int] = [:],
    widthsFor: Int = 0, detailBeside: Bool? = nil, listShare: Int = 50, mouse: Bool = true, wrap: Bool = true,
    lineNumbers: Bool = false
  ) {
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
