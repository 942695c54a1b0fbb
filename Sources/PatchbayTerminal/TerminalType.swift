import CNcurses
import Foundation
import PatchbayGrid

/// What the caller wants of the terminal.
package struct TerminalOptions: Sendable {
  /// Colours to use at most, even if the terminal has more.
  package var colorLimit: ColorDepth
  /// Whether to try 24-bit colour before what `TERM` says.
  package var prefersTrueColor: Bool
  package var usesMouse: Bool
  /// Whether to find out if the terminal shows pictures.
  package var showsPictures = false

  package init(colorLimit: ColorDepth = .trueColor, prefersTrueColor: Bool = false, usesMouse: Bool = true) {
    self.colorLimit = colorLimit
    self.prefersTrueColor = prefersTrueColor
    self.usesMouse = usesMouse
  }

  /// What the environment asks for: `NO_COLOR` (set and not empty) no colours at all, `COLORTERM=truecolor` or
  /// `24bit` all of them.
  package init(environment: [String: String]) {
    self.init()
    if environment["NO_COLOR"]?.isEmpty == false { colorLimit = .none }
    prefersTrueColor = ["truecolor", "24bit"].contains(environment["COLORTERM"]?.lowercased())
  }
}

/// Which terminfo entry to open.
struct TerminalType: CustomStringConvertible {
  /// Nil for the one that `TERM` names.
  let name: String?
  let description: String
  /// The entry lies where only this process looks for it, and has to be removed when it was opened.
  var made: DirectColorEntry?

  /// The 24-bit entry that goes with `TERM` where it is wanted, installed or made here, else that of `TERM`.
  static func choose(
    _ type: String = ProcessInfo.processInfo.environment["TERM"] ?? "", output: Int32, prefersTrueColor: Bool
  ) throws(TerminalError) -> TerminalType {
    guard !type.isEmpty else { throw .typeNotSet }
    var name: String?
    switch patchbay_terminal_check(type, output) {
    case Int32(PATCHBAY_TERMINAL_UNKNOWN):
      name = standIn(for: type)
      guard let name, patchbay_terminal_check(name, output) == Int32(PATCHBAY_TERMINAL_OK) else {
        throw .unknownType(type)
      }
    case Int32(PATCHBAY_TERMINAL_DUMB): throw .dumbType(type)
    default: break
    }
    if prefersTrueColor, !isColourless(name ?? type) {
      for candidate in directTypes(for: type)
      where patchbay_terminal_check(candidate, output) == Int32(PATCHBAY_TERMINAL_OK) {
        return TerminalType(name: candidate, description: candidate)
      }
      if let made = directEntry(for: name ?? type) {
        if patchbay_terminal_check(made.name, output) == Int32(PATCHBAY_TERMINAL_OK) {
          return TerminalType(name: made.name, description: "\(name ?? type) in 24 bit", made: made)
        }
        made.remove()
      }
    }
    return TerminalType(name: name, description: name ?? type)
  }

  /// The entry to use for a terminal that understands it and is too young for this machine's database, as after ssh.
  static func standIn(for type: String) -> String? {
    // Those that have few colours say so.
    if ["-16color", "-88color", "-8color"].contains(where: type.hasSuffix) {
      return type.hasPrefix("tmux") || type.hasPrefix("screen") ? "screen" : "xterm"
    }
    let young = ["xterm-", "foot", "wezterm", "ghostty", "kitty", "alacritty", "contour", "rio", "konsole", "iterm"]
    if young.contains(where: type.lowercased().hasPrefix) { return "xterm-256color" }
    return type.hasPrefix("tmux-") || type.hasPrefix("screen-") || type.hasPrefix("screen.") ? "screen-256color" : nil
  }

  /// Types of hardware and of people who want no colour: `COLORTERM`, which programs inherit from the terminal that a
  /// session began in, does not speak for them.
  static func isColourless(_ type: String) -> Bool {
    type.hasPrefix("vt") || type.hasSuffix("-m") || type.hasSuffix("-mono") || type == "linux" || type == "ansi"
      || type.hasPrefix("linux-") || type == "cons25"
  }

  /// One that is made of the terminal's own; nil where that has 24 bit itself.
  private static func directEntry(for type: String) -> DirectColorEntry? {
    type.hasSuffix("-direct") || type.hasSuffix("-direct256") ? nil : DirectColorEntry(of: type)
  }

  static func directTypes(for type: String) -> [String] {
    if type.hasSuffix("-direct") || type.hasSuffix("-direct256") { return [] }
    let isMultiplexer = type.hasPrefix("tmux") || type.hasPrefix("screen")
    return isMultiplexer ? ["tmux-direct"] : ["xterm-direct"]
  }
}
