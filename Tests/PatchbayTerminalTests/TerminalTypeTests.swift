import Foundation
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayTerminal

/// Which terminfo entry is opened. What this process finds of terminfo is its own for the test: of the real database only
/// `xterm-256color`, `screen-256color`, `vt100` and `dumb` are taken for granted.
@Suite("The terminfo entry for a terminal", .alone, .bounded)
final class TerminalTypeTests {
  private let folder: TemporaryFolder
  private let output: Int32
  private let before: [String: String?]

  /// Entries of that names stand only where this process looks.
  init() throws {
    folder = try TemporaryFolder()
    output = open("/dev/null", O_WRONLY | O_CLOEXEC)
    before = Dictionary(uniqueKeysWithValues: ["TERMINFO", "TERMINFO_DIRS", "HOME"].map { ($0, Self.variable($0)) })
    setenv("HOME", folder.path, 1)
    setenv("TERMINFO_DIRS", folder.path + ":/etc/terminfo:/lib/terminfo:/usr/share/terminfo", 1)
    unsetenv("TERMINFO")
  }

  deinit {
    for (name, value) in before {
      if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
    close(output)
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The entry of that type under another name too.
  private func install(_ name: String, like type: String = "xterm-256color") throws {
    let found = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"].map { "\($0)/\(type.prefix(1))/\(type)" }
    let bytes = try #require(found.lazy.compactMap { FileManager.default.contents(atPath: $0) }.first)
    let place = folder.file(String(name.prefix(1)))
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: place + "/" + name))
  }

  /// What is opened (`-`: what `TERM` names), and what it is called; the sentence where nothing can be.
  private func chosen(_ type: String, _ prefersTrueColor: Bool = false) -> String {
    do throws(TerminalError) {
      let chosen = try TerminalType.choose(type, output: output, prefersTrueColor: prefersTrueColor)
      chosen.made?.remove()
      return "\(chosen.name ?? "-"), \(chosen)"
    } catch {
      return "\(error)".components(separatedBy: ":")[0]
    }
  }

  @Test(
    "the one that is named, what stands in for a young one, or why there is none",
    arguments: [
      ("xterm-256color", "-, xterm-256color"), ("vt100", "-, vt100"), ("screen-256color", "-, screen-256color"),
      ("", "TERM is not set"), ("dumb", "A terminal of type ‘dumb’ (TERM) cannot show a screen"),
      ("xterm-of-tomorrow", "xterm-256color, xterm-256color"), ("Ghostty-x", "xterm-256color, xterm-256color"),
      ("tmux-of-tomorrow", "screen-256color, screen-256color"),
      ("no-such", "The terminal type ‘no-such’ (TERM) is not in the terminfo database"),
    ])
  func named(_ type: String, _ expected: String) {
    #expect(chosen(type) == expected)
  }

  @Test(
    "what a type that is too young for the database is used as",
    arguments: [
      ("xterm-", "xterm-256color"), ("xterm", nil), ("xterm+x", nil), ("XTERM-X", "xterm-256color"),
      ("foot", "xterm-256color"), ("foot-extra", "xterm-256color"), ("foo", nil), ("wezterm", "xterm-256color"),
      ("ghostty", "xterm-256color"), ("kitty", "xterm-256color"), ("alacritty", "xterm-256color"),
      ("contour", "xterm-256color"), ("rio", "xterm-256color"), ("konsole-x", "xterm-256color"),
      ("iTerm2.app", "xterm-256color"), ("tmux-x", "screen-256color"), ("tmux", nil), ("TMUX-x", nil),
      ("screen-x", "screen-256color"), ("screen.x", "screen-256color"), ("screen", nil), ("screenx", nil),
      ("my-xterm-x", nil), ("xterm-16color", "xterm"), ("xterm-88color", "xterm"), ("screen-16color", "screen"),
      ("tmux-8color", "screen"), ("vt999", nil), ("", nil),
    ] as [(String, String?)])
  func standIn(_ type: String, _ expected: String?) {
    #expect(TerminalType.standIn(for: type) == expected)
  }

  @Test(
    "the entries of 24 bits that are looked for",
    arguments: [
      ("xterm", ["xterm-direct"]), ("xterm-256color", ["xterm-direct"]), ("foot", ["xterm-direct"]),
      ("tmux", ["tmux-direct"]), ("tmux-256color", ["tmux-direct"]), ("screen", ["tmux-direct"]),
      ("screen.xterm", ["tmux-direct"]), ("xterm-direct", []), ("xterm-direct256", []), ("tmux-direct", []),
      ("xterm-direct2", ["xterm-direct"]), ("my-tmux", ["xterm-direct"]),
    ])
  func directTypes(_ type: String, _ expected: [String]) {
    #expect(TerminalType.directTypes(for: type) == expected)
  }

  @Test("24 bits: an entry that is installed comes first, else one is made of the terminal's own")
  func trueColour() throws {
    #expect(chosen("vt100", true) == "-, vt100", "a type without colour stays as it is")
    #expect(chosen("dumb", true).hasPrefix("A terminal of type"))
    try install("pb-own")
    #expect(chosen("pb-own", false) == "-, pb-own")
    let isThere = ["/etc", "/lib", "/usr/share", "/usr/lib"].contains {
      FileManager.default.fileExists(atPath: "\($0)/terminfo/x/xterm-direct")
    }
    if !isThere {
      #expect(chosen("pb-own", true) == "patchbay-direct, pb-own in 24 bit")
      #expect(chosen("foot-of-tomorrow", true) == "patchbay-direct, xterm-256color in 24 bit")
      #expect(chosen("tmux-of-tomorrow", true) == "patchbay-direct, screen-256color in 24 bit")
    }
    // Nobody has one of a name that says it has them itself: it is taken.
    try install("pb-direct")
    #expect(chosen("pb-direct", true) == "-, pb-direct")
    try install("pb-direct256")
    #expect(chosen("pb-direct256", true) == "-, pb-direct256")
    try install("xterm-direct")
    #expect(chosen("pb-own", true) == "xterm-direct, xterm-direct")
    #expect(chosen("pb-own", false) == "-, pb-own")
    #expect(chosen("foot-of-tomorrow", true) == "xterm-direct, xterm-direct")
    try install("tmux-direct")
    #expect(chosen("tmux-of-tomorrow", true) == "tmux-direct, tmux-direct")
    #expect(chosen("screen-256color", true) == "tmux-direct, tmux-direct")
    // One that cannot place its cursor is none.
    try install("tmux-direct", like: "dumb")
    #expect(chosen("screen-256color", true) == "patchbay-direct, screen-256color in 24 bit")
  }

  @Test("what is made leaves nothing behind, neither in the environment nor in the temporary folder")
  func madeAndTakenAway() throws {
    for own in [nil, folder.path] {
      if let own { setenv("TERMINFO", own, 1) }
      try install("pb-own")
      let made = try #require(DirectColorEntry(of: "pb-own"))
      let place = try #require(Self.variable("TERMINFO"))
      #expect(place != own && FileManager.default.fileExists(atPath: "\(place)/p/patchbay-direct"))
      made.remove()
      #expect(Self.variable("TERMINFO") == own)
      #expect(!FileManager.default.fileExists(atPath: place))
    }
    #expect(DirectColorEntry(of: "") == nil && DirectColorEntry(of: "../x") == nil)
    #expect(DirectColorEntry(of: "no-such-terminal") == nil)
  }

  @Test("an entry is found in each folder that is looked in, below its first letter or that letter's number")
  func places() throws {
    try install("pb-own")
    let entry = try #require(FileManager.default.contents(atPath: folder.file("p") + "/pb-own"))
    setenv("TERMINFO", folder.file("own"), 1)
    for (name, place) in [("qb-number", "71"), ("rb-home", ".terminfo/r"), ("sb-variable", "own/s")] {
      #expect(DirectColorEntry(of: name) == nil)
      try FileManager.default.createDirectory(atPath: folder.file(place), withIntermediateDirectories: true)
      try entry.write(to: URL(fileURLWithPath: folder.file(place) + "/" + name))
      try #require(DirectColorEntry(of: name), "\(name)").remove()
      #expect(Self.variable("TERMINFO") == folder.file("own"))
    }
  }

  @Test(
    "what the environment asks for of colours",
    arguments: [
      ([:], .trueColor, false), (["NO_COLOR": "1"], .none, false), (["NO_COLOR": ""], .trueColor, false),
      (["COLORTERM": "truecolor"], .trueColor, true), (["COLORTERM": "24bit"], .trueColor, true),
      (["COLORTERM": "TrueColor"], .trueColor, true), (["COLORTERM": "yes"], .trueColor, false),
      (["COLORTERM": ""], .trueColor, false), (["NO_COLOR": "0", "COLORTERM": "24bit"], .none, true),
    ] as [([String: String], ColorDepth, Bool)])
  func options(_ environment: [String: String], _ limit: ColorDepth, _ prefersTrueColor: Bool) {
    let options = TerminalOptions(environment: environment)
    #expect(options.colorLimit == limit && options.prefersTrueColor == prefersTrueColor)
    #expect(options.usesMouse && !options.showsPictures)
  }
}
