import Foundation
import PatchbaySystem

/// What lay at the history's path when it was opened, with its log beside it: looked at by name, since a second descriptor
/// of a database that is closed would drop SQLite's locks (fcntl(2)).
struct HistoryPlace: Sendable {
  private let path: String
  private let identity: FileIdentity?
  /// Of the log and of what processes share.
  private let beside: [String: FileIdentity]
  /// As they were after the last transaction of ours: nobody else makes them smaller.
  private var size = 0
  private var logSize = 0

  private var log: String { path + "-wal" }

  init(_ path: String) {
    self.path = path
    identity = FileIdentity(path: path, following: true)
    var beside: [String: FileIdentity] = [:]
    for name in [path + "-wal", path + "-shm"] { beside[name] = FileIdentity(path: name) }
    self.beside = beside
    noteSizes()
  }

  mutating func noteSizes() {
    size = Path.status(path, following: true)?.size ?? 0
    logSize = Path.status(log, following: true)?.size ?? 0
  }

  /// Whether nothing is left in the file.
  var isEmpty: Bool { (Path.status(path, following: true)?.size ?? 0) == 0 }

  /// What has happened to it; nil where all is well.
  var loss: HistoryError.Kind? {
    guard let status = Path.status(path, following: true) else {
      return errno == ENOENT || errno == ENOTDIR ? .removed : nil
    }
    guard FileIdentity(path: path, following: true) == identity else { return .replaced }
    if status.size < size { return .cut }
    guard logSize > 0 else { return nil }
    guard let other = Path.status(log, following: true) else { return .cut }
    return other.size < logSize ? .cut : nil
  }

  /// Removes the log and what was shared, where they are still those of the lost file.
  func removeRemains() {
    for (name, identity) in beside where FileIdentity(path: name) == identity { unlink(name) }
  }
}
