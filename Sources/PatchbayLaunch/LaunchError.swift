import CLaunch

/// Why something could not be started, found or installed: one sentence, and the status to exit with.
public struct LaunchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What, where, and what to do.
  public let description: String
  /// As env(1) has it: 125 if it is ours to mend, 126 if the command cannot be run, 127 if there is none.
  public let exitStatus: Int32

  public init(_ description: String, exitStatus: Int32 = 125) {
    self.description = description
    self.exitStatus = exitStatus
  }

  /// A failed system call: "cannot WHAT: REASON; WAY OUT".
  static func system(_ what: String, _ code: Int32, way: String? = nil, exitStatus: Int32 = 125) -> LaunchError {
    LaunchError("cannot \(what): \(SystemError.text(code))\(way.map { "; \($0)" } ?? "")", exitStatus: exitStatus)
  }
}

private enum SystemError {
  /// The system's words for `code` (an `errno`), begun with a small letter so that they fit into a sentence.
  static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard launch_error_text(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
