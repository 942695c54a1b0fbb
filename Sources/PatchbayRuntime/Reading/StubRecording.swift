import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs

/// `--record FILE`: the stubs that would answer what was seen.
struct StubRecording {
  let history: HistoryStore

  /// Looks whether the file could be written, since only the end would tell otherwise.
  static func check(_ path: String) throws(RuntimeError) {
    let folder = (path as NSString).deletingLastPathComponent
    var facts = stat()
    if path.isEmpty || access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 {
      throw refusal(path, path.isEmpty ? ENOENT : errno)
    }
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { throw refusal(path, EISDIR) }
  }

  private static func refusal(_ path: String, _ code: Int32) -> RuntimeError {
    RuntimeError("\(path) cannot be written (\(String(cString: strerror(code)))): choose another --record file.")
  }

  /// Writes stubs of the exchanges from that id on, in place of the file if it is there.
  func write(to path: String, from first: Int64) async throws {
    try await history.flush()
    let ids = try await HistoryQuery(history: history).ids(.everything, limit: nil).filter { $0 >= first }
    let stubs = StubsExport.stubs(from: try await history.exchanges(ids: ids))
    do {
      try StubText.save(stubs, to: path)
    } catch {
      throw RuntimeError("\(path) cannot be written (\(error)): choose another --record file.")
    }
    StandardError.say("wrote \(stubs.count) stub\(stubs.count == 1 ? "" : "s") to \(path).")
  }
}
