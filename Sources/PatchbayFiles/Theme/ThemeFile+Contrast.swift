import Foundation

extension ThemeFile.Color {
  /// The ratio of the luminances of two 24-bit colours, 1 to 21; nil where one is the terminal's own.
  public func contrast(with other: ThemeFile.Color) -> Double? {
    guard let one = luminance, let two = other.luminance else { return nil }
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// WCAG 2.1, "relative luminance".
  private var luminance: Double? {
    guard case .rgb(let red, let green, let blue, _) = self else { return nil }
    func linear(_ channel: UInt8) -> Double {
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
