import Foundation
import PatchbayRuntime

/// The demo's harness as a process of its own: this same binary with a hidden subcommand. It ends with us, because
/// its standard input does.
final class DemoProcess: Sendable {
  private let process: Process
  /// The harness lives as long as this end is open.
  private let lifeline: FileHandle

  init(port: Int, socket: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["demo-harness", "--port", String(port)]
    process.environment = Self.environment(socket: socket)
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    self.process = process
    lifeline = pipe.fileHandleForWriting
    do {
      try process.run()
    } catch {
      throw RuntimeError(
        "The demo's harness cannot be started (\(error)): look whether the file of patchbay has moved.")
    }
  }

  /// Ours without its proxies, which are not for the demo's server on loopback.
  private static func environment(socket: String) -> [String: String] {
    let own = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
    return own.merging(["PATCHBAY_SOCKET": socket]) { $1 }
  }

  func end() {
    try? lifeline.close()
    process.terminate()
  }
}
