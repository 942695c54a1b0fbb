import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ScreenWorker {
  /// Live changes are judged by the new filter first; then all that was recorded before is searched, so that nothing
  /// falls between the two.
  func run(_ wanted: ExchangeQuery, _ runtime: ScreenRuntime) {
    query?.cancel()
    let filter: Filter
    do {
      filter = try Filter(parsing: wanted.filter)
    } catch {
      return runtime.send(.ids(IDBatch(token: wanted.token, ids: [], failure: "\(error)")))
    }
    feed.judge(by: filter, query: wanted.token)
    let search = HistoryQuery(history: bench.history)
    query = Task { [weak runtime] in
      do {
        for try await batch in search.ids(filter, after: wanted.after, sort: wanted.sort) {
          guard !Task.isCancelled else { return }
          runtime?.send(.ids(IDBatch(token: wanted.token, ids: batch.ids, isLast: batch.isLast)))
        }
      } catch is CancellationError {
      } catch {
        runtime?.send(.ids(IDBatch(token: wanted.token, ids: [], failure: "\(error)")))
      }
    }
  }

  func loadSummaries(_ ids: [Int64], _ runtime: ScreenRuntime) {
    let history = bench.history
    attempt(runtime) {
      let found = try await history.summaries(ids: ids)
      let missing = found.count == ids.count ? [] : Set(ids).subtracting(found.map(\.id)).sorted()
      runtime.send([.summaries(found)] + (missing.isEmpty ? [] : [.gone(missing)]))
    }
  }

  func watch(_ id: Int64?, _ runtime: ScreenRuntime) {
    feed.watch(id)
    guard let id else { return }
    let history = bench.history
    attempt(runtime) { runtime.send(.exchange(id, try await history.exchange(id))) }
  }

  func loadRetries(_ id: Int64, _ runtime: ScreenRuntime) {
    let search = HistoryQuery(history: bench.history)
    attempt(runtime) { runtime.send(.retries(id, try await search.retries(of: id))) }
  }

  func fetch(_ ids: [Int64], _ purpose: FetchPurpose, _ runtime: ScreenRuntime) {
    let history = bench.history
    attempt(runtime) { runtime.send(.fetched(try await history.exchanges(ids: ids), for: purpose)) }
  }

  func loadTraffic(_ token: Int, _ filter: String, _ runtime: ScreenRuntime) {
    let search = HistoryQuery(history: bench.history)
    attempt(runtime) {
      runtime.send(.traffic(token: token, try await search.traffic(try Filter(parsing: filter))))
    }
  }

  /// Counts over the newest 10,000; a newer pattern replaces the one being counted.
  func preview(_ token: Int, _ pattern: RequestPattern, _ runtime: ScreenRuntime) {
    previewing?.cancel()
    let search = HistoryQuery(history: bench.history)
    previewing = Task { [weak runtime] in
      guard let result = try? await search.preview(pattern), !Task.isCancelled else { return }
      runtime?.send(.preview(token: token, result))
    }
  }

  func change(_ change: HistoryChange, _ runtime: ScreenRuntime) {
    let history = bench.history
    attempt(runtime) { _ = try await history.apply(change) }
  }
}
