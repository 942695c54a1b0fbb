import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite(.alone, .bounded) struct ClipboardTests {
  private func folder() throws -> String {
    let path = NSTemporaryDirectory() + "patchbay-clipboard-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func program(_ name: String, _ script: String, in folder: String) throws {
    try "#!/bin/sh\n\(script)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    chmod("\(folder)/\(name)", 0o755)
  }

  @Test func aProgramThatTakesItIsNamed() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("wl-copy", "exit 1", in: folder)
    try program("xclip", "cat > \(folder)/taken", in: folder)
    let board = Clipboard(
      byTerminal: true, hasTerminal: true, multiplexer: nil,
      programs: ClipboardProgram.present(path: "/nowhere:\(folder)"),
      folder: folder)
    let notice = await board.copy("山田\n", label: "the URL")
    #expect(notice.text == "Copied the URL to the clipboard, by the terminal (OSC 52) and xclip.")
    #expect(try String(contentsOfFile: "\(folder)/taken", encoding: .utf8) == "山田\n")
  }

  @Test func aLongTextThatNothingReadsDoesNotBreakAnything() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("xclip", "exit 0", in: folder)
    let board = Clipboard(
      byTerminal: false, hasTerminal: true, multiplexer: nil, programs: ClipboardProgram.present(path: folder),
      folder: folder)
    let notice = await board.copy(String(repeating: "x", count: 5_000_000), label: "the body")
    #expect(notice.text == "Copied the body to the clipboard, by xclip.")
  }

  @Test func aFileIsTheLastResort() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let board = Clipboard(byTerminal: false, hasTerminal: false, multiplexer: nil, programs: [], folder: folder)
    let notice = await board.copy("text", label: "the body")
    #expect(notice.text.hasPrefix("Wrote the body to \(folder)/copied.txt: this terminal has no clipboard"))
    #expect(try String(contentsOfFile: "\(folder)/copied.txt", encoding: .utf8) == "text")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/copied.txt")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  /// As the real xclip and wl-copy do: a child stays and serves the text.
  @Test(.alone) func aProgramThatStaysInTheBackgroundHasTakenIt() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("xclip", "cat > \(folder)/taken; sleep 30 & echo $! > \(folder)/child; exit 0", in: folder)
    let began = ContinuousClock.now
    #expect(await ClipboardProgram.present(path: folder)[0].copy("text"))
    #expect(ContinuousClock.now - began < .seconds(2))
    let child = try #require(
      pid_t(try String(contentsOfFile: "\(folder)/child", encoding: .utf8).filter(\.isNumber)))
    #expect(kill(child, SIGKILL) == 0)
  }

  @Test func aProgramThatHangsIsEndedAndTheNextIsAsked() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("wl-copy", "echo $$ > \(folder)/hung; exec sleep 30", in: folder)
    #expect(await ClipboardProgram.present(path: folder)[0].copy("text", seconds: 0.2) == false)
    let hung = try #require(
      pid_t(try String(contentsOfFile: "\(folder)/hung", encoding: .utf8).filter(\.isNumber)))
    #expect(kill(hung, 0) != 0)
  }

  @Test func tmuxTakesItTooWhereTheConsoleRunsInOne() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("tmux", "echo \"$@\" > \(folder)/asked; cat > \(folder)/taken", in: folder)
    #expect(ClipboardProgram.tmux(environment: ["PATH": folder]) == nil)
    let tmux = try #require(ClipboardProgram.tmux(environment: ["PATH": folder, "TMUX": "/tmp/x,1,0"]))
    let board = Clipboard(byTerminal: true, hasTerminal: true, multiplexer: tmux, programs: [], folder: folder)
    #expect(
      await board.copy("山田", label: "the URL").text
        == "Copied the URL to the clipboard, by the terminal (OSC 52) and tmux.")
    #expect(try String(contentsOfFile: "\(folder)/asked", encoding: .utf8) == "load-buffer -w -\n")
    #expect(try String(contentsOfFile: "\(folder)/taken", encoding: .utf8) == "山田")
  }

  @Test func ofATextThatTerminalsMayDropAFileIsWrittenToo() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let board = Clipboard(byTerminal: true, hasTerminal: true, multiplexer: nil, programs: [], folder: folder)
    #expect(await board.copy(String(repeating: "x", count: 74_994), label: "the body").text.hasSuffix("(OSC 52)."))
    let text = String(repeating: "x", count: 74_995)
    let notice = await board.copy(text, label: "the body")
    #expect(notice.text.hasSuffix("which may drop a text as long as this: it is in \(folder)/copied.txt too."))
    #expect(try String(contentsOfFile: "\(folder)/copied.txt", encoding: .utf8) == text)
    try program("xclip", "cat > /dev/null", in: folder)
    let sure = Clipboard(
      byTerminal: true, hasTerminal: true, multiplexer: nil, programs: ClipboardProgram.present(path: folder),
      folder: folder)
    #expect(await sure.copy(text, label: "the body").text.hasSuffix("by the terminal (OSC 52) and xclip."))
  }

  /// The console ignores SIGPIPE; what it starts would inherit that and go on where it ought to end.
  @Test func whatIsStartedHasItsSignalsAsUsual() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("xclip", "cat > /dev/null; grep SigIgn /proc/$$/status > \(folder)/ignored", in: folder)
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    #expect(await ClipboardProgram.present(path: folder)[0].copy("text"))
    let line = try String(contentsOfFile: "\(folder)/ignored", encoding: .utf8)
    let ignored = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) })
    #expect(ignored & (1 << UInt64(SIGPIPE - 1)) == 0)
  }

  @Test func theLikeliestIsAskedFirstAndTheOthersNotAnyMore() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, status) in [("xsel", 0), ("xclip", 0), ("wl-copy", 1), ("pbcopy", 1)] {
      try program(name, "echo \(name) \"$@\" >> \(folder)/asked; cat > /dev/null; exit \(status)", in: folder)
    }
    let board = Clipboard(
      byTerminal: false, hasTerminal: true, multiplexer: nil, programs: ClipboardProgram.present(path: folder),
      folder: nil)
    #expect(await board.copy("text", label: "the URL").text == "Copied the URL to the clipboard, by xclip.")
    #expect(
      try String(contentsOfFile: "\(folder)/asked", encoding: .utf8) == "pbcopy\nwl-copy\nxclip -selection clipboard\n")
  }

  @Test func whereNoFileCanBeWrittenItIsSaid() async throws {
    let short = Clipboard(byTerminal: false, hasTerminal: true, multiplexer: nil, programs: [], folder: nil)
    var notice = await short.copy("text", label: "the URL")
    #expect(
      notice.text
        == "Could not copy the URL: too long for the terminal's clipboard, and no file could be written (no state folder)."
    )
    #expect(notice.kind == .error)
    let long = Clipboard(byTerminal: true, hasTerminal: true, multiplexer: nil, programs: [], folder: nil)
    notice = await long.copy(String(repeating: "x", count: 74_995), label: "the body")
    #expect(
      notice.text
        == "Copied the body to the clipboard, by the terminal (OSC 52), which may drop a text as long as this.")
    #expect(notice.kind == .warning)
  }

  @Test func aTmuxThatRefusesIsNotNamed() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try program("tmux", "exit 1", in: folder)
    #expect(ClipboardProgram.tmux(environment: ["PATH": folder, "TMUX": ""]) == nil)
    let tmux = try #require(ClipboardProgram.tmux(environment: ["PATH": folder, "TMUX": "x"]))
    let board = Clipboard(byTerminal: true, hasTerminal: true, multiplexer: tmux, programs: [], folder: folder)
    #expect(
      await board.copy("text", label: "the URL").text == "Copied the URL to the clipboard, by the terminal (OSC 52).")
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/copied.txt"))
  }
}
