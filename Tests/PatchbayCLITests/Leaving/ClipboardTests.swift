import Foundation
import Testing

@testable import PatchbayCLI

@Suite struct ClipboardTests {
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
      byTerminal: true, hasTerminal: true, programs: ClipboardProgram.present(path: "/nowhere:\(folder)"),
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
      byTerminal: false, hasTerminal: true, programs: ClipboardProgram.present(path: folder), folder: folder)
    let notice = await board.copy(String(repeating: "x", count: 5_000_000), label: "the body")
    #expect(notice.text == "Copied the body to the clipboard, by xclip.")
  }

  @Test func aFileIsTheLastResort() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let board = Clipboard(byTerminal: false, hasTerminal: false, programs: [], folder: folder)
    let notice = await board.copy("text", label: "the body")
    #expect(notice.text.hasPrefix("Wrote the body to \(folder)/copied.txt: this terminal has no clipboard"))
    #expect(try String(contentsOfFile: "\(folder)/copied.txt", encoding: .utf8) == "text")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/copied.txt")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
