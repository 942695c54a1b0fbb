import ArgumentParser
import Foundation
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer

/// Which running console a controller talks to.
struct ControlSocketOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The console's harness socket; else the only one that runs.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Flag(help: "Talk to a console of another user too.") var trustPeer = false

  /// - Throws: a sentence when there is no console, or several and none was named.
  func connect() async throws -> ControlClient {
    let path = try socket.map(AbsolutePath.of) ?? ControlClient.onlyConsole(in: PrivateFolders().runtime())
    return try await ControlClient.connect(
      socket: path, as: "patchbay \(getpid())\(Self.caller)", user: trustPeer ? nil : geteuid())
  }

  /// Who started us, for the person at the console: the script or the shell.
  private static var caller: String {
    let parent = getppid()
    guard let name = try? String(contentsOfFile: "/proc/\(parent)/comm", encoding: .utf8) else { return "" }
    return " of \(name.trimmingCharacters(in: .whitespacesAndNewlines)) \(parent)"
  }
}

/// What a controller does with the answer to a change.
enum Acknowledgement {
  /// - Throws: exit status 4 when a process has not put the change in force; its name is printed.
  static func check(_ reply: ControlReply) throws {
    let laggards = reply.laggards
    guard !laggards.isEmpty else { return }
    StandardError.say(sentence(laggards))
    throw ExitCode(ExitStatus.unacknowledged)
  }

  /// What the person is told of them.
  static func sentence(_ laggards: [String]) -> String {
    let names = laggards.joined(separator: ", ")
    return laggards.count == 1
      ? "\(names) has not acknowledged the change within 2 s; it reaches the process when it reads again."
      : "\(names) have not acknowledged the change within 2 s; it reaches each when it reads again."
  }
}
