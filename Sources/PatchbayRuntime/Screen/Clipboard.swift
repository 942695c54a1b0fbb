import Foundation
import PatchbayConsole
import PatchbayLaunch
import PatchbaySystem

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
    if let multiplexer, await multiplexer.copy(text) { ways.append(multiplexer.name) }
    var isSure = text.utf8.count <= Clipboard.safeLength && !ways.isEmpty
    for program in programs where await program.copy(text) {
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
    try OutputFile.write(text.utf8, to: path, access: .secret)
    return path
  }
}

/// A program that puts its standard input on the clipboard.
struct ClipboardProgram: Sendable {
  let name: String
  private let path: String
  private let arguments: [String]

  /// Those that are in `PATH`, the likeliest first.
  static func present(path: String? = ProcessInfo.processInfo.environment["PATH"]) -> [ClipboardProgram] {
    [
      ("pbcopy", []), ("wl-copy", []), ("xclip", ["-selection", "clipboard"]), ("xsel", ["--clipboard", "--input"]),
    ].compactMap { find($0, $1, in: path) }
  }

  /// The tmux around the console, whose buffer goes on to its terminal's clipboard; nil where there is none.
  static func tmux(environment: [String: String] = ProcessInfo.processInfo.environment) -> ClipboardProgram? {
    guard environment["TMUX"]?.isEmpty == false else { return nil }
    return find("tmux", ["load-buffer", "-w", "-"], in: environment["PATH"])
  }

  private static func find(_ name: String, _ arguments: [String], in path: String?) -> ClipboardProgram? {
    (path ?? "").split(separator: ":").map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    .map { ClipboardProgram(name: name, path: $0, arguments: arguments) }
  }

  /// Runs it for at most that many seconds, then ends it. Returns whether it took the text; without a display it does
  /// not. What it leaves running, to serve the text, is left alone.
  func copy(_ text: String, seconds: Double = 2) async -> Bool {
    guard let input = Self.file(with: text) else { return false }
    defer { close(input) }
    guard let program = BackgroundProgram.start(path, arguments, input: input) else { return false }
    return await program.succeeds(within: seconds)
  }

  /// The text as a file without a name: a pipe would break when the program does not read it.
  private static func file(with text: String) -> Int32? {
    let path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    unlink(path)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    do {
      try file.write(contentsOf: Data(text.utf8))
      try file.seek(toOffset: 0)
    } catch {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
