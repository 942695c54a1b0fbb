import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ScreenWorker {
  /// Live changes are judged by the new filter first; then all that was recorded before is searched, so that nothing
  /// falls between the two.
  func run(_ wanted: ExchangeQuery, _ runtime: any ScreenHost) {
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

  func loadSummaries(_ ids: [Int64], _ runtime: any ScreenHost) {
    let history = bench.history
    attempt(runtime) {
      let found = try await history.summaries(ids: ids)
      let missing = found.count == ids.count ? [] : Set(ids).subtracting(found.map(\.id)).sorted()
      runtime.send([.summaries(found)] + (missing.isEmpty ? [] : [.gone(missing)]))
    }
  }

  func watch(_ id: Int64?, _ runtime: any ScreenHost) {
    feed.watch(id)
    guard let id else { return }
    let history = bench.history
    attempt(runtime) { runtime.send(.exchange(id, try await history.exchange(id))) }
  }

  func loadRetries(_ id: Int64, _ runtime: any ScreenHost) {
    let search = HistoryQuery(history: bench.history)
    attempt(runtime) { runtime.send(.retries(id, try await search.retries(of: id))) }
  }

  func fetch(_ ids: [Int64], _ purpose: FetchPurpose, _ runtime: any ScreenHost) {
    let history = bench.history
    attempt(runtime) { runtime.send(.fetched(try await history.exchanges(ids: ids), for: purpose)) }
  }

  func fetchWithPrevious(_ id: Int64, _ purpose: FetchPurpose, _ runtime: any ScreenHost) {
    let history = bench.history
    attempt(runtime) {
      let query = HistoryQuery(history: history)
      if purpose == .answerHeld {
        let ids = [try await query.lastAnswer(before: id), id].compactMap { $0 }
        return runtime.send(.fetched(try await history.exchanges(ids: ids), for: purpose))
      }
      guard let previous = try await query.previous(of: id) else {
        return runtime.send(.notice(Notice(.info, "Nothing earlier of this endpoint is recorded.")))
      }
      runtime.send(.fetched(try await history.exchanges(ids: [previous, id]), for: purpose))
    }
  }

  func loadTraffic(_ token: Int, _ filter: String, _ runtime: any ScreenHost) {
    let search = HistoryQuery(history: bench.history)
    attempt(runtime) {
      runtime.send(.traffic(token: token, try await search.traffic(try Filter(parsing: filter))))
    }
  }

  /// A newer row replaces the one that is being read.
  func loadTrafficDetail(_ token: Int, _ filter: String, _ runtime: any ScreenHost) {
    detailing?.cancel()
    let search = HistoryQuery(history: bench.history)
    detailing = Task { [weak runtime] in
      guard let filter = try? Filter(parsing: filter), let detail = try? await search.trafficDetail(filter),
        !Task.isCancelled
      else { return }
      runtime?.send(.trafficDetail(token: token, detail))
    }
  }

  /// A newer stub replaces the one that is being looked for.
  func loadStubDetail(_ stub: Stub, _ filter: String, _ runtime: any ScreenHost) {
    describing?.cancel()
    let search = HistoryQuery(history: bench.history)
    describing = Task { [weak runtime] in
      let last = (try? await search.newest(StubDetail.lastCount, try Filter(parsing: filter))) ?? []
      guard !Task.isCancelled else { return }
      runtime?.send(.stubDetail(StubDetail(stub: stub, yaml: StubFile.yaml(stub), last: last)))
    }
  }

  /// Counts over the newest 10,000; a newer pattern replaces the one being counted.
  func preview(_ token: Int, _ pattern: RequestPattern, _ runtime: any ScreenHost) {
    previewing?.cancel()
    let search = HistoryQuery(history: bench.history)
    previewing = Task { [weak runtime] in
      guard let result = try? await search.preview(pattern), !Task.isCancelled else { return }
      runtime?.send(.preview(token: token, result))
    }
  }

  func change(_ change: HistoryChange, _ runtime: any ScreenHost) {
    let history = bench.history
    guard bench.opened?.kind != .history else {
      let text = "This history is only read: what you mark, tag or delete is not kept."
      return runtime.send(.notice(Notice(.warning, text)))
    }
    attempt(runtime) { _ = try await history.apply(change) }
  }
}

extension ScreenWorker {
  /// The runs before this one, and this one, which goes on. Counting them takes a look at each: more than a year of them
  /// nobody reads.
  func tellRuns(_ runtime: any ScreenHost) {
    let history = bench.history
    let present =
      bench.opened == nil ? (number: history.session, first: bench.server.configuration.firstExchangeID) : nil
    let startedAt = Timestamp.now
    let counted = 400
    attempt(runtime) {
      let runs = try await history.runs().filter { present == nil || $0.ids.lowerBound < present?.first ?? 0 }
      var rows: [RunRow] = []
      for (place, run) in runs.enumerated() {
        let count = runs.count - place <= counted ? try await history.count(of: run) : nil
        rows.append(
          RunRow(
            number: run.id, startedAt: run.startedAt, process: run.process, first: run.ids.lowerBound, count: count))
      }
      if let present {
        rows.append(
          RunRow(number: present.number, startedAt: startedAt, process: nil, first: present.first, count: nil))
      }
      runtime.send(.runs(rows))
    }
  }

  /// Another console on that file has the terminal until the person leaves it; requests and their record go on here.
  func openFile(_ path: String, _ runtime: any ScreenHost) {
    attempt(runtime) {
      let path = AbsolutePath.of(path)
      guard FileManager.default.isReadableFile(atPath: path) else {
        throw RuntimeError("\(path) cannot be read: name a history, HAR or JSON Lines file.")
      }
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let status = try await runtime.runExternally([program, "open", path])
      runtime.send(.resized(runtime.size))
      guard status == 0 else {
        // What it said stood on the screen that was ours again a moment later.
        do { _ = try await OpenedFile(path) } catch { throw RuntimeError("\(error)") }
        throw RuntimeError("\(path) was closed with status \(status).")
      }
    }
  }

  func copy(_ id: Int64, _ kind: CopyKind, _ runtime: any ScreenHost) {
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
  func export(_ format: ExportFormat, _ filter: String, _ runtime: any ScreenHost) {
    let secrets = bench.plan.withSecrets ? "with secrets" : "secrets masked"
    write(format, filter, runtime) { [weak runtime] path, outcome in
      let what = outcome.count == 1 ? "1 exchange" : "\(Quantity.count(outcome.count)) exchanges"
      runtime?.send(.notice(Notice(.good, "Wrote \(what) to \(path), \(secrets).")))
    }
  }

  /// Writes them as stubs and loads the file: the program that runs goes on with what was recorded, and nothing else.
  func playOffline(_ filter: String, _ runtime: any ScreenHost) {
    write(.stubs, filter, runtime) { [bench, weak runtime] path, _ in
      let file = try bench.stubFiles.add(path, to: bench.server)
      runtime?.send([
        .board(bench.server.board, by: nil),
        .stubFileLoaded(path: file.path, count: file.stubs.count, isNew: true, isOffline: true),
      ])
    }
  }

  /// Writes to a new file with progress; Esc stops it. What is empty is not written.
  private func write(
    _ format: ExportFormat, _ filter: String, _ runtime: any ScreenHost,
    _ written: @escaping @MainActor (String, Exporter.Outcome) throws -> Void
  ) {
    let history = bench.history
    let exporter = Exporter(history: history, withSecrets: bench.plan.withSecrets)
    work(runtime) { [weak runtime] token in
      do {
        let filter = try Filter(parsing: filter)
        let path = Exporter.freePath(format)
        try await history.flush()
        guard try await !HistoryQuery(history: history).ids(filter, limit: 1).isEmpty else {
          runtime?.send(.notice(Notice(.info, "There is no request to write.")))
          return
        }
        let outcome = try await exporter.write(format, filter: filter, to: path) { share in
          Task { @MainActor in runtime?.send(.work(token: token, title: "Writing \(path)", share: share)) }
        }
        try written(path, outcome)
      } catch  where Task.isCancelled {
        // A reading of the history that is cut short may say so in words of its own.
        runtime?.send(.notice(Notice(.info, "The export was stopped.")))
      } catch {
        runtime?.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }
}

extension ScreenWorker {
  /// Records an archive, with progress; Esc stops it, and nothing of it stays then.
  func importFile(_ path: String, _ runtime: any ScreenHost) {
    let history = bench.history
    var importer = Importer(history: history)
    importer.redacts = bench.plan.redacts
    let name = (path as NSString).lastPathComponent
    work(runtime) { [weak runtime, importer] token in
      do {
        let found = try await importer.read(path) { share in
          Task { @MainActor in runtime?.send(.work(token: token, title: "Reading \(name)", share: share)) }
        }
        // It may have been read to its end before it was stopped.
        if found.isStopped || Task.isCancelled {
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
  func completePath(_ text: String, isStubFile: Bool, _ runtime: any ScreenHost) {
    let endings = isStubFile ? PathCompletion.stubFiles : PathCompletion.archives
    Task { [weak runtime] in
      let found = await Task.detached { PathCompletion.candidates(for: text, endings) }.value
      runtime?.send(.pathCompletions(of: text, found))
    }
  }
}

extension ScreenWorker {
  /// Compares two exchanges with large bodies, away from the keys.
  func compare(_ exchanges: [Exchange], _ purpose: FetchPurpose, _ runtime: any ScreenHost) {
    guard exchanges.count == 2 else { return }
    let work = Task.detached { ComparePage(exchanges[0], exchanges[1]) }
    Task { [weak runtime] in runtime?.send(.compared(await work.value, exchanges, for: purpose)) }
  }
}

/// Files and folders that a path that is being typed may mean.
private enum PathCompletion {
  static let archives = [".har", ".sqlite", ".jsonl"]
  static let stubFiles = [".yaml", ".yml", ".json"]

  /// The whole paths, as they would be typed on, folders with a slash behind them. Files with one of the endings and
  /// folders only, unless there is neither; hidden ones only where their dot was typed.
  static func candidates(for text: String, _ endings: [String]) -> [String] {
    let head = text.lastIndex(of: "/").map { String(text[...$0]) } ?? ""
    let begun = text.dropFirst(head.count)
    let folder = head.isEmpty ? FileManager.default.currentDirectoryPath : AbsolutePath.of(head)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasPrefix(begun) && ($0.hasPrefix(".") == false || begun.hasPrefix("."))
    }
    let all = names.sorted().prefix(1_000).map { name -> (path: String, fits: Bool) in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      return (
        head + name + (isFolder.boolValue ? "/" : ""),
        isFolder.boolValue || endings.contains { name.lowercased().hasSuffix($0) }
      )
    }
    let fitting = all.filter(\.fits)
    return (fitting.isEmpty ? all : fitting).map(\.path)
  }
}
