import Foundation
import PatchbayGrid

/// How pictures are shown: by a string of bytes beside the cells, which ncurses knows nothing of.
enum PictureProtocol: Equatable {
  /// Takes PNG. Whether a terminal knows it is asked.
  case kitty
  /// Takes what its system can read. Terminals that know it say so in the environment.
  case iTerm

  /// Which one a terminal is known to understand; nil where it has to be asked, or cannot.
  static func named(in environment: [String: String]) -> PictureProtocol? {
    guard !isNested(environment) else { return nil }
    let names = [environment["TERM_PROGRAM"], environment["LC_TERMINAL"]]
    return names.contains { ["iTerm.app", "iTerm2", "WezTerm", "mintty"].contains($0) } ? .iTerm : nil
  }

  /// Whether the question is worth asking and does no harm: some print what they do not know, tmux and screen take it
  /// for something else.
  static func isAsked(in environment: [String: String]) -> Bool {
    let type = environment["TERM"] ?? ""
    let kind = type.split(separator: "-").first.map(String.init) ?? ""
    let isPlain = ["", "dumb", "linux", "ansi", "cons25", "sun", "cygwin"].contains(kind) || kind.hasPrefix("vt")
    return !isPlain && !isNested(environment) && named(in: environment) == nil
      && environment["TERM_PROGRAM"] != "Apple_Terminal"
  }

  /// In tmux and screen no sequence reaches the terminal as it is, and nothing says where a pane stands. Beyond ssh only
  /// `TERM` tells of them.
  private static func isNested(_ environment: [String: String]) -> Bool {
    let type = environment["TERM"] ?? ""
    return environment["TMUX"] != nil || environment["STY"] != nil || type.hasPrefix("tmux") || type.hasPrefix("screen")
  }

  var formats: Set<Picture.Format> {
    switch self {
    case .kitty: [.png]
    case .iTerm: [.png, .jpeg]
    }
  }

  /// Puts a picture at its place; the cursor stays. Of the picture's own bytes nothing but base64 is sent.
  func show(_ placed: PlacedPicture, cell: Size) -> String {
    let fitted = placed.picture.fitted(in: placed.area.size, cell: cell)
    let data = Data(placed.picture.bytes).base64EncodedString()
    let place = "\u{1B}7\u{1B}[\(placed.area.y + 1);\(placed.area.x + 1)H"
    switch self {
    case .iTerm:
      let control =
        "inline=1;size=\(placed.picture.bytes.count);width=\(fitted.width);height=\(fitted.height);"
        + "preserveAspectRatio=1;doNotMoveCursor=1"
      return "\(place)\u{1B}]1337;File=\(control):\(data)\u{7}\u{1B}8"
    case .kitty:
      // C=1 leaves the cursor where it is, z=-1 lets text be read over it, q=2 asks for no answer.
      let control = "a=T,f=100,i=\(Self.id),p=1,c=\(fitted.width),r=\(fitted.height),C=1,z=-1,q=2,"
      let text = Array(data.utf8)
      let pieces = stride(from: 0, to: text.count, by: Self.pieceLength).map { start in
        let end = min(text.count, start + Self.pieceLength)
        let piece = String(decoding: text[start..<end], as: UTF8.self)
        return "\u{1B}_G\(start == 0 ? control : "q=2,")m=\(end < text.count ? 1 : 0);\(piece)\u{1B}\\"
      }
      return place + pieces.joined() + "\u{1B}8"
    }
  }

  /// Takes the picture away and frees it; nil where the cells that are drawn there do.
  var removal: String? {
    switch self {
    case .kitty: "\u{1B}_Ga=d,d=I,i=\(Self.id),q=2\u{1B}\\"
    case .iTerm: nil
    }
  }

  private static let id = 32
  /// As the protocol has it.
  private static let pieceLength = 4_096
}
