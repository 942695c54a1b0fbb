extension Grid {
  /// The lines of a box.
  public struct BoxLines: Sendable {
    let horizontal: Unicode.Scalar
    let vertical: Unicode.Scalar
    /// Top left, top right, bottom left, bottom right.
    let corners: [Unicode.Scalar]

    public static let light = BoxLines(horizontal: "─", vertical: "│", corners: ["┌", "┐", "└", "┘"])
    public static let rounded = BoxLines(horizontal: "─", vertical: "│", corners: ["╭", "╮", "╰", "╯"])
    public static let heavy = BoxLines(horizontal: "━", vertical: "┃", corners: ["┏", "┓", "┗", "┛"])
    public static let double = BoxLines(horizontal: "═", vertical: "║", corners: ["╔", "╗", "╚", "╝"])
  }

  /// Draws a box along the edge of a rectangle, with a title in its top line; the inside is left as it is.
  ///
  /// - Returns: the rectangle inside the box.
  @discardableResult
  public mutating func box(
    _ rect: Rect, style: Style = .plain, lines: BoxLines = .rounded, title: String = "", titleStyle: Style? = nil
  ) -> Rect {
    guard rect.width >= 2, rect.height >= 2 else { return rect.inset(horizontal: 1, vertical: 1) }
    rule(at: rect.origin, width: rect.width, style: style, line: lines.horizontal)
    rule(at: Point(x: rect.x, y: rect.maxY - 1), width: rect.width, style: style, line: lines.horizontal)
    verticalRule(at: rect.origin, height: rect.height, style: style, line: lines.vertical)
    verticalRule(at: Point(x: rect.maxX - 1, y: rect.y), height: rect.height, style: style, line: lines.vertical)
    let places = [
      rect.origin, Point(x: rect.maxX - 1, y: rect.y), Point(x: rect.x, y: rect.maxY - 1),
      Point(x: rect.maxX - 1, y: rect.maxY - 1),
    ]
    for (place, corner) in zip(places, lines.corners) {
      fill(Rect(x: place.x, y: place.y, width: 1, height: 1), style: style, with: corner)
    }
    if !title.isEmpty, rect.width >= 6 {
      put(" \(truncated(title, toWidth: rect.width - 6)) ", at: rect.origin.moved(x: 2), style: titleStyle ?? style)
    }
    return rect.inset(horizontal: 1, vertical: 1)
  }

  /// Draws a horizontal line.
  public mutating func rule(
    at point: Point, width: Int, style: Style = .plain, line: Unicode.Scalar = "─"
  ) {
    fill(Rect(x: point.x, y: point.y, width: width, height: 1), style: style, with: line)
  }

  /// Draws a vertical line.
  public mutating func verticalRule(
    at point: Point, height: Int, style: Style = .plain, line: Unicode.Scalar = "│"
  ) {
    fill(Rect(x: point.x, y: point.y, width: 1, height: height), style: style, with: line)
  }
}
