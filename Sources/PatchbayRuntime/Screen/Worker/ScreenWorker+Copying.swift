import Foundation
import PatchbayConsole
import PatchbayInspect
import PatchbayWire

extension ScreenWorker {
  func copy(_ id: Int64, _ kind: CopyKind, _ runtime: ScreenRuntime) {
    let history = bench.history
    attempt(runtime) {
      guard let exchange = try await history.exchange(id) else {
        throw RuntimeError("Exchange \(id) is no longer recorded, so there is nothing to copy.")
      }
      let (text, label) = try CopyText.make(exchange, kind)
      runtime.copy(text, label: label)
    }
  }

  /// Writes what fits the filter to a file in the working directory, with progress; Esc stops it.
  func export(_ format: ExportFormat, _ filter: String, _ runtime: ScreenRuntime) {
    let exporter = Exporter(history: bench.history)
    work(runtime) { [weak runtime] token in
      do {
        let path = Exporter.freePath(format)
        let count = try await exporter.write(format, filter: try Filter(parsing: filter), to: path) { share in
          Task { @MainActor in runtime?.send(.work(token: token, title: "Writing \(path)", share: share)) }
        }
        runtime?.send(
          .notice(
            Notice(
              .good,
              "Wrote \(Quantity.count(count)) \(count == 1 ? "exchange" : "exchanges") to \(path), secrets masked.")))
      } catch  where Task.isCancelled {
        // A reading of the history that is cut short may say so in words of its own.
        runtime?.send(.notice(Notice(.info, "The export was stopped.")))
      } catch {
        runtime?.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }
}
