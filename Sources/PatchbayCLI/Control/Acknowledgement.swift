import ArgumentParser
import PatchbayRuntime
import PatchbayServer

/// What a controller does with the answer to a change.
enum Acknowledgement {
  /// - Throws: exit status 4 when a process has not put the change in force; its name is printed.
  static func check(_ reply: ControlReply) throws {
    let laggards = reply.laggards
    guard !laggards.isEmpty else { return }
    StandardError.say(
      "\(laggards.joined(separator: ", ")) has not acknowledged the change within 2 s; it reaches the process when it "
        + "reads again.")
    throw ExitCode(ExitStatus.unacknowledged)
  }
}
