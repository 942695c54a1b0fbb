import Foundation
import PatchbayGrid

/// What is sent to the terminal beside the screen.
enum TerminalModes {
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l"
  /// Everything that may have been turned on.
  static let off = mouseOff + "\u{1B}[?1004l\u{1B}[?2004l"
  /// The window's title goes on the terminal's stack of titles and comes back from it.
  static let titleOn = "\u{1B}[22;2t"
  static let titleOff = "\u{1B}[23;2t"

  static func on(mouse: Bool) -> String {
    (mouse ? mouseOn : "") + "\u{1B}[?2004h\u{1B}[?1004h"
  }

  static func title(_ title: String) -> String {
    "\u{1B}]2;\(SafeText.line(title))\u{7}"
  }

  static func copy(_ text: String, throughTmux: Bool, throughScreen: Bool = false) -> String {
    let sequence = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}"
    // GNU screen hands on what is wrapped, in pieces of at most 768 bytes.
    if throughScreen {
      let bytes = Array(sequence)
      return stride(from: 0, to: bytes.count, by: 700)
        .map { "\u{1B}P\(String(bytes[$0..<min(bytes.count, $0 + 700)]))\u{1B}\\" }.joined()
    }
    // tmux takes the sequence itself if `set-clipboard` is on, and hands the wrapped one on if passthrough is allowed.
    return throughTmux ? sequence + "\u{1B}Ptmux;\u{1B}\(sequence)\u{1B}\\" : sequence
  }
}
