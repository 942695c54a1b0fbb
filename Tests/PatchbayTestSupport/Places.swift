import Foundation

/// A folder of its own for one test, removed when this goes. Its path is short enough for sockets.
package final class TemporaryFolder: Sendable {
  package let url: URL
  package var path: String { url.path }

  package init() throws {
    var template = Array("/tmp/pb-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    url = URL(fileURLWithPath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    Leftovers.made(url.path)
  }

  /// A path in the folder.
  package func file(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }

  /// Writes a file into the folder and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return file(name)
  }

  deinit { Leftovers.remove(url.path) }
}

/// Where this build put its executables.
package enum BuiltProduct {
  /// The path of an executable product or target of this package, beside the running test binary.
  package static func path(_ name: String) -> String {
    folder.appendingPathComponent(name).path
  }

  /// The build's folder of products. The test binary lies in it (in a bundle's folder on macOS).
  package static let folder: URL = {
    let running = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let candidates = [running] + CommandLine.arguments.map { URL(fileURLWithPath: $0).standardizedFileURL }
    for start in candidates {
      var folder = start.deletingLastPathComponent()
      while folder.path != "/" {
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent("patchbay").path),
          FileManager.default.fileExists(atPath: folder.appendingPathComponent("description.json").path)
        {
          return folder
        }
        folder.deleteLastPathComponent()
      }
    }
    return running.deletingLastPathComponent()
  }()
}

/// tmux with a server of its own, which ends with whoever looks at it.
package enum TmuxCommand {
  /// - Parameters:
  ///   - program: what runs in it, with its arguments.
  ///   - folder: where the server's socket and configuration lie.
  package static func words(_ program: [String], in folder: TemporaryFolder) throws -> [String] {
    let configuration = try folder.write("set -g destroy-unattached on\n", to: "tmux.conf")
    return ["/usr/bin/tmux", "-S", folder.file("tmux"), "-f", configuration, "-u", "new-session"] + program
  }
}
