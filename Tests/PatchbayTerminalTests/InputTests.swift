import Foundation
import PatchbayTestSupport
import Testing

@Suite("Input through a real terminal", .bounded)
struct InputTests {
  @Test("keys, a lone ESC, sequences in both dialects, and Japanese")
  func keys() async throws {
    let session = try await FixtureSession.started()
    for (bytes, name) in [
      ("j", "j"), ("\u{1B}", "esc"), ("\u{1B}OA", "up"), ("\u{1B}[B", "down"), ("\u{1B}[1;5C", "ctrl-right"),
      ("\u{1B}x", "alt-x"), ("\u{12}", "ctrl-r"), ("\u{3}", "ctrl-c"), ("\u{1A}", "ctrl-z"), ("\u{1B}[Z", "shift-tab"),
      ("日", "日"), ("\u{1B}OP", "f1"), ("\r", "enter"), ("\u{13}", "ctrl-s"), ("\u{1C}", "ctrl-\\"),
    ] {
      session.type(bytes)
      try await session.waitFor("\(name)") { $0.lines[4] == "key \(name)" }
    }
  }

  @Test("the mouse beyond column 223, and switched off and on")
  func mouse() async throws {
    let session = try await FixtureSession.started(columns: 300, rows: 40)
    session.click(column: 280, row: 35)
    try await session.waitFor(text: "mouse release left 280,35")
    session.click(column: 3, row: 4, button: 65)
    try await session.waitFor(text: "mouse wheelDown 3,4")
    try session.send("m")
    try await session.waitFor { $0.modes.mouse.isEmpty && $0.contains("mouse is false") }
    try session.send("m")
    try await session.waitFor { $0.modes.mouse == [1000, 1002, 1006] }
  }

  @Test("a paste of a megabyte is one event, and keys after it are keys")
  func paste() async throws {
    let session = try await FixtureSession.started()
    let text = String(repeating: "日本語 text\n", count: 65_536)
    session.paste(text)
    try await session.waitFor(text: "paste \(text.utf8.count) 日本語 text␊")
    try session.send("j")
    try await session.waitFor(text: "key j")
  }

  @Test("copying, the bell and focus")
  func others() async throws {
    let session = try await FixtureSession.started()
    try session.send("y", "b")
    let copied = Data("コピー".utf8).base64EncodedString()
    try await session.waitFor { $0.copied == [copied] && $0.bells == 1 }
    session.type("\u{1B}[O")
    try await session.waitFor(text: "focus false")
  }

  @Test(
    "a copy is wrapped for tmux, which takes it as it is too, and for GNU screen",
    arguments: [
      (["TMUX": "/tmp/x,1,0"], true, false), (["STY": "1.x"], false, true),
      (["TMUX": "/tmp/x,1,0", "STY": "1.x"], true, false),
    ] as [([String: String?], Bool, Bool)])
  func copies(environment: [String: String?], forTmux: Bool, forScreen: Bool) async throws {
    let session = try await FixtureSession.started(environment)
    try session.send("y", "k")
    try await session.waitFor(text: "key k")
    let output = String(decoding: session.output, as: UTF8.self)
    let copy = "\u{1B}]52;c;\(Data("コピー".utf8).base64EncodedString())\u{7}"
    #expect(output.contains(copy + "\u{1B}Ptmux;\u{1B}\(copy)\u{1B}\\") == forTmux)
    #expect(output.contains("\u{1B}P\(copy)\u{1B}\\") == forScreen)
  }

  @Test("at rest nothing is sent and no time is used")
  func idle() async throws {
    let session = try await FixtureSession.started()
    session.type("\u{1B}")
    try await session.waitFor(text: "key esc")
    var isIdle = false
    for _ in 0..<10 where !isIdle {
      let before = try ContextSwitches(of: session.process)
      // The condition never holds: this waits for what must not come.
      await #expect(throws: PtyError.self) {
        try await session.waitFor("nothing", timeout: .milliseconds(700)) { _ in false }
      }
      isIdle = try ContextSwitches(of: session.process) == before
    }
    #expect(isIdle)
  }

  @Test("SIGINT is an event, and a hang-up ends the program")
  func hangUp() async throws {
    let session = try await FixtureSession.started()
    session.signal(SIGINT)
    try await session.waitFor(text: "interrupted")
    session.hangUp()
    let status = try await session.waitForExit()
    #expect(status == .exited(129) || status == .exited(3), "\(status)")
  }
}
