import Foundation

/// A link in the folder of the sockets that leads to the control socket of a console whose socket was named by hand and
/// lies elsewhere, so that controllers find this console, too.
public struct Signpost: Sendable {
  let path: String

  /// Puts it up; nil where the folder cannot be written or the socket lies in it.
  ///
  /// - Parameter controlSocket: an absolute path.
  public init?(in folder: String, to controlSocket: String, process: pid_t = getpid()) {
    guard (controlSocket as NSString).deletingLastPathComponent != folder else { return nil }
    path = "\(folder)/named-\(process).sock.control"
    unlink(path)
    guard symlink(controlSocket, path) == 0 else { return nil }
  }

  public func remove() { unlink(path) }

  /// Where the link at this path leads to; the path itself where it is none.
  static func target(of path: String) -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
  }
}
