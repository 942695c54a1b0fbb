import Foundation
import PatchbayTestSupport
import Testing

@Suite("The terminal is put back", .bounded)
struct RestoringTests {
  /// A shell that starts the fixture, so that the terminal outlives it, and says how it ended.
  private func shell(_ environment: [String: String?] = [:]) async throws -> PtySession {
    let program = BuiltProduct.path("terminal-fixture")
    let session = try PtySession(
      ["/bin/sh", "-c", "echo before; read go; \(program); echo status $?; stty -a; read end"],
      environment: PtySession.environment(environment), columns: 60, rows: 16)
    try await session.waitFor(text: "before")
    return session
  }

  private func run(_ session: PtySession) async throws -> [UInt32] {
    let before = session.terminalFlags
    session.type("\r")
    try await session.waitFor { $0.contains("last row") && $0.modes.bracketedPaste }
    #expect(session.terminalFlags != before)
    return before
  }

  @Test(
    "after q, exit, a crash, an abort, a bad index, a bad pointer and a full stack",
    arguments: [
      ("q", "status 0"), ("x", "status 9"), ("c", "status 132"), ("a", "status 134"), ("i", "status 132"),
      ("p", "status 139"),
      ("o", "status 139"),
    ])
  func keys(key: String, status: String) async throws {
    let session = try await shell(["SWIFT_BACKTRACE": "enable=no"])
    let before = try await run(session)
    try session.send(key)
    let screen = try await session.waitFor { $0.text.contains("status ") && $0.text.contains("-echoprt") }
    #expect(screen.text.contains(status) || screen.text.contains("status 133"))
    #expect(screen.isPutBack)
    #expect(session.terminalFlags == before)
    guard key != "q", key != "x" else { return }
    // xterm's sgr0, rmacs, rmkx and rmcup, in one piece: plain letters before all else.
    let undo = "\u{1B}(B\u{1B}[m\u{1B}(B\u{1B}[?1l\u{1B}>\u{1B}[?1049l"
    #expect(String(decoding: session.output, as: UTF8.self).contains(undo))
  }

  /// What is put back is put back once: nothing is written into what stands there by then.
  @Test("once, whether it is left by its end or by exit", arguments: ["q", "x"])
  func once(key: String) async throws {
    let session = try await FixtureSession.started()
    try session.send(key)
    _ = try await session.waitForExit()
    let output = String(decoding: session.output, as: UTF8.self)
    #expect(output.components(separatedBy: "\u{1B}[?1049l").count == 2)
    #expect(output.components(separatedBy: "\u{1B}[?2004l").count == 2)
  }

  @Test("with the message of a crash on the normal screen")
  func crashMessage() async throws {
    let session = try await shell(["SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,threads=crashed"])
    let before = try await run(session)
    try session.send("c")
    let screen = try await session.waitFor(timeout: Patience.usual) { $0.text.contains("status ") }
    #expect(screen.isPutBack)
    #expect(session.terminalFlags == before)
    let output = String(decoding: session.output, as: UTF8.self)
    let afterwards = output.components(separatedBy: "\u{1B}[?1049l").last ?? ""
    #expect(afterwards.contains("Thread 0 crashed") || afterwards.contains("crashed:"))
  }

  @Test("with standard error, which goes to a file meanwhile", arguments: ["q", "c"])
  func errors(key: String) async throws {
    let folder = try TemporaryFolder()
    let session = try await FixtureSession.started([
      "FIXTURE_ERRORS": folder.file("log"), "SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,threads=crashed",
    ])
    try session.send("w", "k")
    try await session.waitFor(text: "key k")
    try session.send(key)
    let status = try await session.waitForExit(timeout: Patience.usual)
    let log = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
    #expect(log.hasPrefix("a warning\n") && !log.contains("seen"))
    #expect(!session.screen.contains("a warning"))
    if key == "q" {
      #expect(status == .exited(0) && session.screen.contains("seen"))
    } else {
      #expect(log.contains("crashed on purpose"))
      #expect(String(decoding: session.output, as: UTF8.self).contains("crashed:"))
    }
  }

  @Test("when standard error cannot go to its file, which is told")
  func noErrors() async throws {
    let session = try FixtureSession.start(["FIXTURE_ERRORS": "/nowhere/log"])
    #expect(try await session.waitForExit() == .exited(2))
    let output = String(decoding: session.output, as: UTF8.self)
    #expect(output.contains("Cannot write messages to ‘/nowhere/log’: No such file or directory."))
    #expect(session.screen.isPutBack)
  }

  @Test("after SIGTERM, SIGHUP and a terminal that hangs up", arguments: [SIGTERM, SIGHUP])
  func signals(number: Int32) async throws {
    let session = try await FixtureSession.started()
    let before = try PtySession(["/bin/sh", "-c", "read x"]).terminalFlags
    session.signal(number)
    #expect(try await session.waitForExit() == .exited(128 + number))
    #expect(session.screen.isPutBack)
    #expect(session.screen.contains("bye"))
    #expect(session.terminalFlags == before)
    #expect(session.screen.text.contains("line 5") == false)
  }

  @Test("a signal that comes while the program starts is not lost", arguments: [SIGTERM, SIGHUP])
  func earlySignal(number: Int32) async throws {
    let session = try FixtureSession.start(["FIXTURE_SIGNAL": "\(number)"])
    #expect(try await session.waitForExit() == .exited(128 + number))
    #expect(session.screen.isPutBack && session.screen.contains("bye"))
  }

  @Test("suspended and taken up again, also after a stop from outside")
  func suspend() async throws {
    let session = try PtySession(["/bin/bash", "--norc", "-i"], columns: 60, rows: 16)
    session.type("PS1='$ '; \(BuiltProduct.path("terminal-fixture"))\r")
    try await session.waitFor { $0.contains("last row") && $0.modes.bracketedPaste }
    try session.send("z")
    let shell = try await session.waitFor { $0.text.contains("Stopped") && !$0.modes.alternateScreen }
    #expect(shell.modes.mouse.isEmpty && shell.modes.cursorVisible)
    session.type("echo in the shell\r")
    try await session.waitFor { $0.lines.contains("in the shell") }
    session.type("fg\r")
    let back = try await session.waitFor { $0.contains("back") && $0.modes.alternateScreen }
    #expect(back.modes.mouse == [1000, 1002, 1006])
    try await session.waitFor { $0.lines[1] == "│日本語のテスト│end" && $0.contains("last row") }
    try session.send("q")
    try await session.waitFor { $0.contains("bye 0") && $0.modes.cursorVisible && !$0.modes.alternateScreen }
    // The window has the shell's title meanwhile, and ours afterwards.
    let titles = ["\u{1B}[22;2t", "\u{1B}]2;fixture\u{7}", "\u{1B}[23;2t"]
    let output = String(decoding: session.output, as: UTF8.self)
    let told = output.indices.compactMap { at in titles.firstIndex { output[at...].hasPrefix($0) } }
    #expect(told == [0, 1, 2, 0, 1, 2])
  }

  @Test("suspended below a script that has no job control of its own")
  func suspendBelowScript() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("\(BuiltProduct.path("terminal-fixture"))\necho script ends\n", to: "script")
    let session = try PtySession(["/bin/bash", "--norc", "-i"], columns: 60, rows: 16)
    session.type("PS1='$ '; /bin/sh \(script)\r")
    try await session.waitFor { $0.contains("last row") && $0.modes.bracketedPaste }
    try session.send("z")
    try await session.waitFor { $0.text.contains("Stopped") && !$0.modes.alternateScreen }
    session.type("fg\r")
    try await session.waitFor { $0.contains("back") && $0.modes.alternateScreen && $0.contains("last row") }
    try session.send("q")
    try await session.waitFor { $0.contains("script ends") && !$0.modes.alternateScreen }
  }

  @Test("not suspended where no shell would take over")
  func noShell() async throws {
    let session = try await FixtureSession.started()
    try session.send("z")
    try await session.waitFor { $0.contains("no shell") && $0.modes.alternateScreen }
    // Which of a signal and a key is told first is not said, so each has its turn.
    try session.send("k")
    try await session.waitFor(text: "key k")
    session.signal(SIGTSTP)
    try await session.waitFor { $0.contains("no shell") && $0.modes.alternateScreen }
    try session.send("j")
    try await session.waitFor(text: "key j")
  }

  @Test("SIGSTOP from outside: SIGCONT takes the screen again")
  func stoppedFromOutside() async throws {
    let session = try await FixtureSession.started()
    session.signal(SIGSTOP)
    let written = session.output.count
    session.resize(columns: 61, rows: 17)
    session.signal(SIGCONT)
    try await session.waitFor { $0.contains("fixture 61×17") && $0.modes.alternateScreen }
    #expect(session.output.count > written)
  }

  @Test("another program gets the terminal, the keys and default signals, and its status is known")
  func editor() async throws {
    let session = try await FixtureSession.started()
    try session.send("e")
    let editor = try await session.waitFor { $0.contains("in the editor") && !$0.modes.alternateScreen }
    #expect(editor.isPutBack)
    session.type("words\r")
    let back = try await session.waitFor(text: "editor ended with 3")
    #expect(back.modes.alternateScreen && back.modes.mouse == [1000, 1002, 1006])
    #expect(back.lines[1] == "│日本語のテスト│end")
    let output = String(decoding: session.output, as: UTF8.self)
    #expect(output.contains("read words"))
    // No cursor blinks on the screen that is ours again, before anything is drawn.
    let taken = try #require(output.components(separatedBy: "\u{1B}[?1049h").last)
    #expect(taken.components(separatedBy: "\u{1B}[?1000h")[0].contains("\u{1B}[?25l"))
    try session.send("e")
    // The first one's words are still on the main screen: without the second's, ctrl-c would be ours.
    try await session.waitFor { screen in
      !screen.modes.alternateScreen && screen.lines.filter { $0.contains("in the editor") }.count == 2
    }
    try session.send("ctrl-c")
    try await session.waitFor(text: "editor ended with 130")
    try session.send("n")
    try await session.waitFor(text: "Cannot run ‘/nowhere/editor’: No such file")
  }

  @Test("what another program says of errors stands on the terminal, not in the file for ours")
  func errorsOfAnother() async throws {
    let folder = try TemporaryFolder()
    let session = try await FixtureSession.started(["FIXTURE_ERRORS": folder.file("log")])
    try session.send("E")
    try await session.waitFor { $0.contains("to the errors") && !$0.modes.alternateScreen }
    session.type("\r")
    try await session.waitFor(text: "editor ended with 5")
    #expect(try !String(contentsOfFile: folder.file("log"), encoding: .utf8).contains("to the errors"))
  }

  @Test("a size that changes while another program has the terminal is known when it is ours again")
  func resizedMeanwhile() async throws {
    let session = try await FixtureSession.started()
    try session.send("e")
    try await session.waitFor { $0.contains("in the editor") && !$0.modes.alternateScreen }
    session.resize(columns: 50, rows: 12)
    session.type("words\r")
    try await session.waitFor(text: "editor ended with 3")
    let fresh = try await FixtureSession.started(columns: 50, rows: 12)
    var lines = fresh.screen.lines
    lines[4] = "editor ended with 3, 1 ended"
    let expected = lines
    try await session.waitFor("the screen of a fresh start") { $0.lines == expected }
  }

  @Test("keys that another program has read are not waited for: the screen goes on")
  func keysThatAreGone() async throws {
    let session = try await FixtureSession.started()
    for count in 1...10 {
      try session.send("e")
      // With those of the ones before, each of which has left two lines.
      try await session.waitFor { $0.lines.last { !$0.isEmpty } == "in the editor" && !$0.modes.alternateScreen }
      session.type("words\r")
      try await session.waitFor(text: "editor ended with 3, \(count) ended")
      session.signal(SIGINT)
      try await session.waitFor(text: "interrupted")
    }
  }

  @Test("ctrl-c and ctrl-\\ in another program are that program's alone, however soon it ends; later ones are ours")
  func interruptions() async throws {
    let session = try await FixtureSession.started()
    for count in 1...30 {
      try session.send("g")
      try await session.waitFor(text: "editor ended with 4, \(count) ended")
    }
    #expect(!String(decoding: session.output, as: UTF8.self).contains("interrupted"))
    session.signal(SIGINT)
    try await session.waitFor(text: "interrupted")
  }
}
