import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

/// Programs that the console starts beside itself: for the clipboard, and to show a body.
@Suite(.bounded) struct BackgroundProgramTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "patchbay-background-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// What a thread of Dispatch blocks, and what the console ignores, is no affair of theirs: they end as they are told to.
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGPIPE]) func theyEndByASignal(_ signal: Int32) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let succeeded = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let started = BackgroundProgram.start(
          "/bin/sh", ["-c", "kill -\(signal) $$; echo went on > \(folder)/on"])
        Task { continuation.resume(returning: await started?.succeeds(within: 10)) }
      }
    }
    #expect(succeeded == false)
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/on"))
  }

  @Test func theyHaveNoTerminalAndAGroupOfTheirOwn() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = """
      for n in 0 1 2; do l="$l $(readlink /proc/$$/fd/$n)"; done
      echo $l $$ $(cut -d' ' -f5 /proc/$$/stat) $1 > '\(folder)/said'
      """
    #expect(await BackgroundProgram.start("/bin/sh", ["-c", script, "sh", "山田"])?.succeeds(within: 10) == true)
    let said = try String(contentsOfFile: "\(folder)/said", encoding: .utf8).split(whereSeparator: \.isWhitespace)
    try #require(said.count == 6, "\(said)")
    #expect(said[..<3] == ["/dev/null", "/dev/null", "/dev/null"])
    #expect(said[3] == said[4])
    #expect(said[5] == "山田")
  }

  /// A socket of the console's that one of them kept would look as if somebody listened on it.
  @Test func theyHaveNoneOfOurDescriptors() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ours = (0..<8).map { _ in dup(0) }
    defer { for one in ours { close(one) } }
    try #require(ours.allSatisfy { $0 > 2 && fcntl($0, F_GETFD) == 0 })
    #expect(
      await BackgroundProgram.start("/bin/sh", ["-c", "ls /proc/$$/fd | sort -n > '\(folder)/said'"])?.succeeds(
        within: 10)
        == true)
    let said = try String(contentsOfFile: "\(folder)/said", encoding: .utf8).split(separator: "\n").compactMap {
      Int32($0)
    }
    #expect(said.starts(with: [0, 1, 2]))
    #expect(said.filter(ours.contains).isEmpty)
  }

  @Test func whatDoesNotEndIsEnded() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let program = BackgroundProgram.start("/bin/sh", ["-c", "trap '' TERM; exec sleep 60"])
    #expect(await program?.succeeds(within: 0.05) == false)
    #expect(BackgroundProgram.start("\(folder)/nothing", []) == nil)
  }

  /// The system's viewer gets the file, and is not waited for.
  @Test func theViewerGetsTheFile() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The shell is the viewer, and runs what it is shown.
    let shown = "\(folder)/a b"
    try "echo $$ > '\(folder)/part'; mv '\(folder)/part' '\(folder)/shown'; exec sleep 60".write(
      toFile: shown, atomically: true, encoding: .utf8)
    try BodyViewer.show(shown, with: "/bin/sh")
    try await eventually("the viewer was started") { FileManager.default.fileExists(atPath: "\(folder)/shown") }
    let said = try String(contentsOfFile: "\(folder)/shown", encoding: .utf8).filter(\.isNumber)
    let process = try #require(pid_t(said))
    #expect(kill(process, SIGTERM) == 0)
    try await eventually("the viewer ended by SIGTERM, and is no zombie") { kill(process, 0) != 0 }
    #expect(throws: RuntimeError.self) { try BodyViewer.show("/a", with: "\(folder)/none") }
  }

  @Test func theViewerIsFoundInThePath() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(BodyViewer.program(in: nil) == nil)
    #expect(BodyViewer.program(in: "\(folder):/nowhere") == nil)
    for (name, mode) in [("open", 0o755), ("xdg-open", 0o644)] as [(String, mode_t)] {
      #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil))
      chmod("\(folder)/\(name)", mode)
    }
    #expect(BodyViewer.program(in: "/nowhere:\(folder)") == "\(folder)/open", "the other may not be run")
    chmod("\(folder)/xdg-open", 0o755)
    #expect(BodyViewer.program(in: "/nowhere:\(folder)") == "\(folder)/xdg-open")
  }
}
