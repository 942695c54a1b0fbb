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
