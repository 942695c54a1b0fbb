import PatchbayGrid

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Theme {
  /// A role whose text is hard to read: its contrast is below WCAG 2.1's 4.5:1 (success criterion 1.4.3).
  package struct WeakContrast: Sendable, Equatable, CustomStringConvertible {
    package var role: ThemeRole
    /// The background is that of another role where the text also stands on a selected row, a popup, ….
    package var on: ThemeRole
    package var ratio: Double

    package var description: String {
      let rounded = (ratio * 100).rounded(.down) / 100
      let place = on == role ? "its background" : "the background of `\(on.name)`"
      return "the role `\(role.name)` is hard to read on \(place): its contrast is \(rounded):1, "
        + "4.5:1 is needed (WCAG 2.1)"
    }
  }

  /// Every role that is hard to read, on its own background and on selected rows. Colours of the terminal's palette
  /// are not judged, for the terminal decides what they look like.
  package var weakContrasts: [WeakContrast] {
    ThemeRole.allCases.filter(\.isText).flatMap { role in
      ([role] + role.grounds).compactMap { ground in
        let style = ground == role ? self[role] : self[role, on: ground]
        guard let ratio = Theme.contrast(style.foreground, style.background), ratio < 4.5 else { return nil }
        return WeakContrast(role: role, on: ground, ratio: ratio)
      }
    }
  }

  /// The ratio of the luminances of two 24-bit colours, from 1 to 21; nil where one is the terminal's own.
  package static func contrast(_ first: Color, _ second: Color) -> Double? {
    guard let one = luminance(first), let other = luminance(second) else { return nil }
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  private static func luminance(_ color: Color) -> Double? {
    guard case .rgb(let red, let green, let blue) = color.kind else { return nil }
    func linear(_ channel: UInt8) -> Double {
      let value = Double(channel) / 255
      return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}

extension ThemeRole {
  /// Whether it is read; rules and bars are seen.
  var isText: Bool {
    switch self {
    case .line, .scrollbar, .popupLine, .spark, .barWait, .barBody, .barHeld: false
    default: true
    }
  }

  /// On which other roles' backgrounds its text is drawn.
  var grounds: [ThemeRole] {
    switch self {
    case .text, .dim, .mark, .success, .redirect, .clientError, .serverError, .failure, .held, .waiting, .cancelled,
      .stub, .methodRead, .methodWrite, .good, .warning, .error:
      [.selection, .selectionIdle, .popup]
    case .key, .string, .number, .literal, .punctuation: [.selectionIdle, .popup]
    default: []
    }
  }
}
