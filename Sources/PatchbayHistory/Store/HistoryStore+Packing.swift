import Dispatch
import Foundation
import GRDB

extension HistoryStore {
  private static let delay: DispatchTimeInterval = .seconds(1)
  /// So many runs are written at once at most.
  private static let batch = 16

  /// Sees to it that runs which have been written, and are no longer the newest, get their packs soon. Nothing is
  /// scheduled where there is nothing to do.
  func schedulePacking() {
    guard writer != nil else { return }
    let newest = Census.run(of: census.withLock { $0.highest })
    let mustSchedule = packs.withLock { plan in
      guard !plan.isScheduled, plan.hasWork(below: newest) else { return false }
      plan.isScheduled = true
      return true
    }
    guard mustSchedule else { return }
    packer.asyncAfter(deadline: .now() + Self.delay) {
      self.pack(below: newest, until: nil)
      self.packs.withLock { $0.isScheduled = false }
      self.schedulePacking()
    }
  }

  /// Packs what waits, within that time. Returns when it is done.
  func packRest(within time: Duration) async {
    guard writer != nil else { return }
    let newest = Census.run(of: census.withLock { $0.highest })
    await withCheckedContinuation { continuation in
      packer.async {
        self.pack(below: newest, until: .now + time)
        continuation.resume()
      }
    }
  }

  /// Packs all that was recorded, the newest run too.
  package func packAll() async throws(HistoryError) {
    try await flush()
    await withCheckedContinuation { continuation in
      packer.async {
        self.pack(below: .max, until: nil)
        continuation.resume()
      }
    }
  }

  /// How many runs have a pack.
  package func packedRuns() async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM pack WHERE id % 4 = 0") ?? 0 }
  }

  /// On `packer`.
  private func pack(below newest: Int64, until deadline: ContinuousClock.Instant?) {
    while !queue.withLock({ $0.isClosed }) {
      if let deadline, .now >= deadline { return }
      var built: [Int64: [Data]] = [:]
      while built.count < Self.batch, let run = packs.withLock({ $0.next(below: newest) }) {
        guard let parts = try? database.readNow({ try PackBuilder.parts(of: run, $0) }) else { continue }
        built[run] = parts
      }
      guard !built.isEmpty else { return }
      worker.sync { self.write(built) }
    }
  }

  /// On `worker`, so that nothing is written to the runs meanwhile.
  private func write(_ built: [Int64: [Data]]) {
    let fresh = packs.withLock { plan in built.filter { plan.finish($0.key) } }
    do {
      try database.write { database in
        for (run, parts) in fresh {
          try database.execute(sql: "INSERT OR REPLACE INTO packed VALUES (?)", arguments: [run])
          for (part, data) in zip(PackReader.Part.allCases, parts) {
            try database.execute(
              sql: "INSERT OR REPLACE INTO pack VALUES (?, ?)", arguments: [part.id(run: run), data])
          }
        }
      }
    } catch {
      packs.withLock {
        $0.touch(Set(fresh.keys), again: false)
        $0.isOff = true
      }
    }
  }

  /// Drops the packs of runs of which rows are written or removed, within the caller's transaction.
  func dropPacks(of runs: Set<Int64>, _ database: Database) throws {
    for run in runs where packs.withLock({ $0.isPacked(run) }) {
      try database.execute(sql: "DELETE FROM pack WHERE id BETWEEN ? AND ?", arguments: [run * 4, run * 4 + 3])
      try database.execute(sql: "DELETE FROM packed WHERE id = ?", arguments: [run])
    }
  }
}
