import Foundation
import PatchbaySystem

/// A symbolic link in the folder of the sockets to the control socket of a console whose socket was named by hand and lies
/// elsewhere, so that controllers find this console, too.
package struct ControlSocketLink: Sendable {
  let path: String

  /// Makes it; nil where the folder cannot be written or the socket lies in it.
  ///
  /// - Parameter controlSocket: an absolute path.
  package init?(in folder: String, to controlSocket: String, process: pid_t = getpid()) {
    guard Path.folder(of: controlSocket) != folder else { return nil }
    path = "\(folder)/named-\(process).sock.control"
    unlink(path)
    guard symlink(controlSocket, path) == 0 else { return nil }
  }

  package func remove() { unlink(path) }

  /// Where the link at this path leads to; the path itself where it is none.
  static func target(of path: String) -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
  }
}

extension ControlClient {
  /// The sockets of the consoles that run, among those in a folder and those that links in it lead to, by name.
  package static func consoles(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let paths = Set(names.filter { $0.hasSuffix(".control") }.map { ControlSocketLink.target(of: folder + "/" + $0) })
    return paths.sorted().compactMap { path in
      guard (try? UnixAddress.check(path)) != nil, UnixAddress.isListening(path) else { return nil }
      return String(path.dropLast(".control".count))
    }
  }

  /// The socket of the only console that runs, or an error that says which there are.
  package static func onlyConsole(in folder: String) throws(ServerError) -> String {
    let found = consoles(in: folder)
    guard let first = found.first else { throw .noConsole(folder: folder) }
    guard found.count == 1 else { throw .severalConsoles(found) }
    return first
  }
}
