import Foundation
import Synchronization

/// A program that puts its standard input on the clipboard.
struct ClipboardProgram: Sendable {
  let name: String
  private let path: String
  private let arguments: [String]

  /// Those that are in `PATH`, the likeliest first.
  static func present(path: String? = ProcessInfo.processInfo.environment["PATH"]) -> [ClipboardProgram] {
    let known = [
      ("pbcopy", []), ("wl-copy", []), ("xclip", ["-selection", "clipboard"]), ("xsel", ["--clipboard", "--input"]),
    ]
    let folders = (path ?? "").split(separator: ":").map(String.init)
    return known.compactMap { name, arguments in
      let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
      return found.map { ClipboardProgram(name: name, path: $0, arguments: arguments) }
    }
  }

  /// Runs it for at most two seconds. Returns whether it took the text; without a display it does not.
  func take(_ text: String) async -> Bool {
    guard let input = Self.file(with: text) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return await withCheckedContinuation { continuation in
      let once = OneAnswer(continuation)
      process.terminationHandler = { once.resume($0.terminationStatus == 0) }
      do {
        try process.run()
      } catch {
        once.resume(false)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 2) { once.resume(false) }
    }
  }

  /// The text as a file without a name: a pipe would break when the program does not read it.
  private static func file(with text: String) -> FileHandle? {
    let path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    unlink(path)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: Data(text.utf8))
      try file.seek(toOffset: 0)
    } catch {
      return nil
    }
    return file
  }
}

/// Hands the first of several answers over.
private final class OneAnswer: Sendable {
  private let waiting: Mutex<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) { waiting = Mutex(continuation) }

  func resume(_ answer: Bool) {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }?.resume(returning: answer)
  }
}
