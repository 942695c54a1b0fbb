/// Colours and attributes of a cell.
public struct Style: Hashable, Sendable {
  public var foreground: Color
  public var background: Color
  public var attributes: TextAttributes

  /// The terminal's own colours, no attributes.
  public static let plain = Style()

  public init(
    foreground: Color = .default, background: Color = .default, attributes: TextAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  public var bold: Style { adding(.bold) }
  public var dim: Style { adding(.dim) }
  public var italic: Style { adding(.italic) }
  public var underline: Style { adding(.underline) }
  public var reverse: Style { adding(.reverse) }

  public func foreground(_ color: Color) -> Style {
    Style(foreground: color, background: background, attributes: attributes)
  }

  public func background(_ color: Color) -> Style {
    Style(foreground: foreground, background: color, attributes: attributes)
  }

  public func adding(_ more: TextAttributes) -> Style {
    Style(foreground: foreground, background: background, attributes: attributes.union(more))
  }

  /// The style with its colours reduced to what a terminal of this depth can show. Two that become the same are told
  /// apart, so that nothing disappears: bright black is black where there are eight.
  public func reduced(to depth: ColorDepth) -> Style {
    let front = foreground.reduced(to: depth)
    let back = background.reduced(to: depth)
    let vanishes = front == back && front != .default && foreground != background
    return Style(
      foreground: vanishes ? .ansi(back == .ansi(7) ? 0 : 7) : front, background: back, attributes: attributes)
  }
}
