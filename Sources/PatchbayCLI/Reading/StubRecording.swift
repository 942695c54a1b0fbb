import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs

/// `--record FILE`: the stubs that would answer what was seen.
struct StubRecording {
  let history: HistoryStore

  /// Writes stubs of the exchanges from that id on, in place of the file if it is there.
  func write(to path: String, from first: Int64) async throws {
    try await history.flush()
    let ids = try await HistoryQuery(history: history).ids(.everything, limit: nil).filter { $0 >= first }
    let stubs = StubsExport.stubs(from: try await history.exchanges(ids: ids))
    do {
      try StubText.save(stubs, to: path)
    } catch {
      throw CLIError("\(path) cannot be written (\(error)): choose another --record file.")
    }
    StandardError.say("wrote \(stubs.count) stub\(stubs.count == 1 ? "" : "s") to \(path).")
  }
}
