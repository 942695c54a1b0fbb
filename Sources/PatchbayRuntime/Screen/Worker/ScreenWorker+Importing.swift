import Foundation
import PatchbayConsole

extension ScreenWorker {
  /// Records an archive, with progress; Esc stops it, and nothing of it stays then.
  func importFile(_ path: String, _ runtime: ScreenRuntime) {
    let history = bench.history
    var importer = Importer(history: history)
    importer.redacts = bench.plan.redacts
    let name = (path as NSString).lastPathComponent
    work(runtime) { [weak runtime, importer] token in
      do {
        let found = try await importer.read(path) { share in
          Task { @MainActor in runtime?.send(.work(token: token, title: "Reading \(name)", share: share)) }
        }
        if found.isStopped {
          try await history.flush()
          _ = try await history.apply(.delete(found.ids))
          runtime?.send(.notice(Notice(.info, "The import was stopped; nothing of \(name) was kept.")))
        } else {
          try await history.flush()
          let first = found.failure ?? found.bad.first.map { "\($0)." }
          runtime?.send(
            .imported(ImportReport(name: name, ids: found.ids, leftOut: found.bad.count, problem: first)))
        }
      } catch {
        runtime?.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }

  /// What the path that is typed may go on as.
  func completePath(_ text: String, _ runtime: ScreenRuntime) {
    Task { [weak runtime] in
      let found = await Task.detached { PathCompletion.candidates(for: text) }.value
      runtime?.send(.pathCompletions(of: text, found))
    }
  }
}
