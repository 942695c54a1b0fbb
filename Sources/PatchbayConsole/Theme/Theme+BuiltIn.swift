import PatchbayGrid

extension Theme {
  /// The theme that is always there: dark and calm. `Themes/dark.yaml` is the same for people to copy.
  package static let builtIn = Theme(name: "dark", looks: builtInLooks)

  private static let builtInLooks: [ThemeRole: Look] = {
    let back = Color.rgb(0x15171C, fallback: 0)
    let bar = Color.rgb(0x1E222A, fallback: 0)
    let raised = Color.rgb(0x20252E, fallback: 0)
    let chosen = Color.rgb(0x2F3A4E, fallback: 4)
    let idle = Color.rgb(0x262B35, fallback: 0)
    let text = Color.rgb(0xD6DAE2, fallback: 7)
    let bright = Color.rgb(0xFFFFFF, fallback: 15)
    let dim = Color.rgb(0xA0A8B8, fallback: 7)
    let line = Color.rgb(0x3B4250, fallback: 8)
    let blue = Color.rgb(0x82AAFF, fallback: 14)
    let green = Color.rgb(0x8FCF8A, fallback: 10)
    let cyan = Color.rgb(0x79C8DA, fallback: 14)
    let amber = Color.rgb(0xE6B566, fallback: 11)
    let red = Color.rgb(0xF98F96, fallback: 9)
    let violet = Color.rgb(0xC9AEFF, fallback: 13)
    let gold = Color.rgb(0xFFD479, fallback: 11)
    return [
      .text: Look(foreground: text, background: back),
      .dim: Look(foreground: dim),
      .line: Look(foreground: line),
      .header: Look(foreground: text, background: bar),
      .brand: Look(foreground: blue, background: bar, attributes: .bold),
      .tab: Look(foreground: dim, background: bar),
      .tabActive: Look(foreground: bright, background: chosen, attributes: .bold),
      .badge: Look(foreground: back, background: gold, attributes: .bold),
      .columnHead: Look(foreground: dim),
      .columnSorted: Look(foreground: blue, attributes: .bold),
      .selection: Look(foreground: bright, background: chosen),
      .selectionIdle: Look(foreground: text, background: idle),
      .mark: Look(foreground: gold, attributes: .bold),
      .success: Look(foreground: green),
      .redirect: Look(foreground: cyan),
      .clientError: Look(foreground: amber),
      .serverError: Look(foreground: red, attributes: .bold),
      .failure: Look(foreground: red, attributes: .bold),
      .held: Look(foreground: gold, attributes: .bold),
      .waiting: Look(foreground: blue),
      .cancelled: Look(foreground: dim),
      .stub: Look(foreground: violet),
      .methodRead: Look(foreground: text),
      .methodWrite: Look(foreground: amber),
      .key: Look(foreground: blue),
      .string: Look(foreground: green),
      .number: Look(foreground: amber),
      .literal: Look(foreground: violet),
      .punctuation: Look(foreground: dim),
      .lineNumber: Look(foreground: Color.rgb(0x7F8898, fallback: 8)),
      .match: Look(foreground: back, background: amber),
      .matchCurrent: Look(foreground: back, background: gold, attributes: .bold),
      .input: Look(foreground: text, background: raised),
      .placeholder: Look(foreground: dim, background: raised),
      .selectedText: Look(foreground: bright, background: Color.rgb(0x3D4E6E, fallback: 4)),
      .error: Look(foreground: red, attributes: .bold),
      .warning: Look(foreground: amber),
      .good: Look(foreground: green),
      .footer: Look(foreground: dim, background: bar),
      .footerKey: Look(foreground: blue, background: bar, attributes: .bold),
      .popup: Look(foreground: text, background: raised),
      .popupTitle: Look(foreground: blue, background: raised, attributes: .bold),
      .popupLine: Look(foreground: Color.rgb(0x525C6E, fallback: 8), background: raised),
      .toast: Look(foreground: bright, background: Color.rgb(0x2C4A3B, fallback: 2), background256: 22),
      .toastError: Look(
        foreground: bright, background: Color.rgb(0x7A2E38, fallback: 1), attributes: .bold, background256: 52),
      .spark: Look(foreground: cyan, background: bar),
      .barWait: Look(foreground: blue),
      .barBody: Look(foreground: green),
      .barHeld: Look(foreground: gold),
    ]
  }()
}

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

  /// Every role that is hard to read, on its own background and on selected rows. The first 16 colours
  /// of a palette are not judged, for the terminal decides what they look like.
  package var weakContrasts: [WeakContrast] {
    ThemeRole.allCases.filter(\.isText).flatMap { role in
      ([role] + role.grounds).compactMap { ground in
        let style = ground == role ? self[role] : self[role, on: ground]
        guard let ratio = Theme.contrast(style.foreground, style.background), ratio < 4.5 else { return nil }
        return WeakContrast(role: role, on: ground, ratio: ratio)
      }
    }
  }

  /// The ratio of the luminances of two colours, from 1 to 21; nil where one is the terminal's own.
  package static func contrast(_ first: Color, _ second: Color) -> Double? {
    guard let one = luminance(first), let other = luminance(second) else { return nil }
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  private static func luminance(_ color: Color) -> Double? {
    switch color.kind {
    case .terminalDefault: return nil
    case .palette(let number) where number < 16: return nil
    case .palette, .rgb: break
    }
    let rgb = color.rgbValue
    func linear(_ channel: UInt32) -> Double {
      let value = Double(channel & 255) / 255
      return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb)
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
