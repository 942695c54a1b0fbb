import Foundation
import PatchbayConsole
import PatchbayLaunch

/// Where copied text goes beside the terminal's own clipboard.
struct Clipboard: Sendable {
  /// The terminal was sent the text (OSC 52).
  var byTerminal: Bool
  /// The terminal takes text, if it is not too long.
  var hasTerminal: Bool
  var programs = ClipboardProgram.present()
  /// Where the file is written when nothing else takes it.
  var folder: String? = try? PrivateFolders().state()

  /// Gives it to the first program that takes it; writes a file where neither that nor the terminal could.
  func copy(_ text: String, label: String) async -> Notice {
    var ways = byTerminal ? ["the terminal (OSC 52)"] : []
    for program in programs where await program.take(text) {
      ways.append(program.name)
      break
    }
    guard ways.isEmpty else {
      return Notice(.good, "Copied \(label) to the clipboard, by \(ways.joined(separator: " and ")).")
    }
    let reason = hasTerminal ? "too long for the terminal's clipboard" : "this terminal has no clipboard"
    do {
      return Notice(.good, "Wrote \(label) to \(try write(text)): \(reason), and there is no wl-copy, xclip or pbcopy.")
    } catch {
      return Notice(.error, "Could not copy \(label): \(reason), and no file could be written (\(error)).")
    }
  }

  private func write(_ text: String) throws -> String {
    guard let folder else { throw CLIError("no state folder") }
    let path = "\(folder)/copied.txt"
    let draft = path + ".new"
    unlink(draft)
    let isMade = FileManager.default.createFile(
      atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade, rename(draft, path) == 0 else { throw CLIError(String(cString: strerror(errno))) }
    return path
  }
}
