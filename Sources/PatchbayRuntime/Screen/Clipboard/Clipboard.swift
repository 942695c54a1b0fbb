import Foundation
import PatchbayConsole
import PatchbayLaunch

/// Where copied text goes beside the terminal's own clipboard.
struct Clipboard: Sendable {
  /// The terminal was sent the text (OSC 52).
  var byTerminal: Bool
  /// The terminal takes text, if it is not too long.
  var hasTerminal: Bool
  /// tmux, where the console runs in one: it hands the text to its own terminal even where it lets no sequence pass.
  var multiplexer: ClipboardProgram? = .tmux()
  var programs = ClipboardProgram.present()
  /// Where the file is written when nothing else surely takes it.
  var folder: String? = try? PrivateFolders().state()

  /// Above this many bytes some terminals drop a text in silence: 100,000 of base64 with what is around it.
  static let safeLength = 74_994

  /// Gives it to the first program that takes it; writes a file where neither that nor the terminal surely could.
  func copy(_ text: String, label: String) async -> Notice {
    var ways = byTerminal ? ["the terminal (OSC 52)"] : []
    if let multiplexer, await multiplexer.take(text) { ways.append(multiplexer.name) }
    var isSure = text.utf8.count <= Clipboard.safeLength && !ways.isEmpty
    for program in programs where await program.take(text) {
      ways.append(program.name)
      isSure = true
      break
    }
    let done = "Copied \(label) to the clipboard, by \(ways.joined(separator: " and "))"
    if isSure { return Notice(.good, "\(done).") }
    let reason = hasTerminal ? "too long for the terminal's clipboard" : "this terminal has no clipboard"
    do {
      let path = try write(text)
      guard ways.isEmpty else {
        return Notice(.good, "\(done), which may drop a text as long as this: it is in \(path) too.")
      }
      return Notice(.good, "Wrote \(label) to \(path): \(reason), and no wl-copy, xclip, xsel or pbcopy took it.")
    } catch {
      guard ways.isEmpty else { return Notice(.warning, "\(done), which may drop a text as long as this.") }
      return Notice(.error, "Could not copy \(label): \(reason), and no file could be written (\(error)).")
    }
  }

  private func write(_ text: String) throws -> String {
    guard let folder else { throw RuntimeError("no state folder") }
    let path = "\(folder)/copied.txt"
    try PrivateFile.write(text.utf8, to: path)
    return path
  }
}
