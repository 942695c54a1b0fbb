import Foundation
import PatchbayTestSupport
import Testing

/// What the terminal tells of itself to who puts it back when this process is killed.
@Suite("Whether the terminal is ours", .bounded)
struct LeashTests {
  /// One connection, and what comes on it.
  private final class Listener {
    private let descriptor: Int32
    private var peer: Int32 = -1
    private var bytes: [UInt8] = []

    init(_ path: String) throws {
      descriptor = try listeningSocket(path, backlog: 1)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { for file in [peer, descriptor] where file >= 0 { close(file) } }

    /// The lines so far, from a number on.
    func lines(from first: Int = 0) -> [String] {
      if peer < 0 {
        peer = accept(descriptor, nil, nil)
        if peer >= 0 { _ = fcntl(peer, F_SETFL, O_NONBLOCK) }
      }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while peer >= 0 {
        let count = read(peer, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst(first).map(String.init)
    }
  }

  private let folder: TemporaryFolder
  private let listener: Listener

  init() throws {
    folder = try TemporaryFolder()
    listener = try Listener(folder.file("leash"))
  }

  private func started() async throws -> PtySession {
    try await FixtureSession.started(["FIXTURE_LEASH": folder.file("leash")])
  }

  @Test("it is said each time that it changes hands, and last that it is given back")
  func states() async throws {
    let session = try await started()
    try await eventually("ours") { listener.lines(from: 3) == ["1"] }
    try session.send("e")
    try await session.waitFor { $0.contains("in the editor") && !$0.modes.alternateScreen }
    try await eventually("the editor's") { listener.lines(from: 3) == ["1", "0"] }
    session.type("words\r")
    try await session.waitFor(text: "editor ended with 3")
    try await eventually("ours again") { listener.lines(from: 3) == ["1", "0", "1"] }
    try session.send("q")
    #expect(try await session.waitForExit() == .exited(0))
    try await eventually("given back") { listener.lines(from: 3) == ["1", "0", "1", "0"] }
  }

  @Test("a crash and exit give it back, too", arguments: ["c", "x"])
  func crashes(key: String) async throws {
    let session = try await started()
    try session.send(key)
    _ = try await session.waitForExit()
    try await eventually("given back") { listener.lines(from: 3) == ["1", "0"] }
  }

  @Test("what puts it back is what it does itself at the end")
  func undo() async throws {
    let before = try PtySession(["/bin/sh", "-c", "stty -g; read x"])
    try await before.waitFor { $0.lines[0].contains(":") }
    let found = String(decoding: before.output, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init)
    let session = try await started()
    try await eventually("what is said") { listener.lines().count == 4 }
    let lines = listener.lines()
    #expect(
      lines[1] == found && lines[0] != found
        && lines[0].split(separator: ":").count == found?.split(separator: ":").count)
    let undo = try #require(Data(base64Encoded: lines[2]).map { String(decoding: $0, as: UTF8.self) })
    try session.send("q")
    _ = try await session.waitForExit()
    let screen = session.screen
    #expect(screen.isPutBack)
    for sequence in [
      "\u{1B}[?1006l", "\u{1B}[?2004l", "\u{1B}[?1004l", "\u{1B}[23;2t", "\u{1B}[?1049l", "\u{1B}[?1l\u{1B}>",
    ] {
      #expect(undo.components(separatedBy: sequence).count == 2, "\(sequence.debugDescription)")
    }
    #expect(!undo.contains("$<"), "without what says how long an old terminal has to be waited for")
  }
}
