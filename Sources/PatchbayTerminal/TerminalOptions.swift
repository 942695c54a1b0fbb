import PatchbayGrid

/// What the caller wants of the terminal.
public struct TerminalOptions: Sendable {
  /// Colours to use at most, even if the terminal has more.
  public var colorLimit: ColorDepth
  /// Whether to try 24-bit colour before what `TERM` says.
  public var prefersTrueColor: Bool
  public var usesMouse: Bool

  public init(colorLimit: ColorDepth = .trueColor, prefersTrueColor: Bool = false, usesMouse: Bool = true) {
    self.colorLimit = colorLimit
    self.prefersTrueColor = prefersTrueColor
    self.usesMouse = usesMouse
  }

  /// What the environment asks for: `NO_COLOR` (set and not empty) no colours at all, `COLORTERM=truecolor` or
  /// `24bit` all of them.
  public init(environment: [String: String]) {
    self.init()
    if environment["NO_COLOR"]?.isEmpty == false { colorLimit = .none }
    prefersTrueColor = ["truecolor", "24bit"].contains(environment["COLORTERM"]?.lowercased())
  }
}
