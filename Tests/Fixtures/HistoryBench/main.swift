import BenchData
import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayWire

// Usage: history-bench [COUNT [FILE [FILTER]]]. Makes the exchanges, records them, and prints how fast the history is with them.
// A file that is there is only read; with a filter, only that one is tried, ten times. Reading is done in a process of its own, so that its memory is its own, too.
let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
let path = CommandLine.arguments.dropFirst(2).first ?? NSTemporaryDirectory() + "history-bench-\(getpid()).sqlite"
let clock = ContinuousClock()

func milliseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
}

func say(_ name: String, _ value: Double, _ unit: String, _ promise: String) {
  let number = value >= 100 ? String(Int(value.rounded())) : String((value * 10).rounded() / 10)
  print(name.padding(toLength: 44, withPad: " ", startingAt: 0), number, unit, "  (promised: \(promise))")
}

/// Private memory of this process in MB: what is resident and shared with no file or other process.
func privateMegabytes() -> Double {
  let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
  let lines = text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
  return lines.reduce(0) { $0 + (Double($1.split(separator: " ")[1]) ?? 0) } / 1_000
}

/// Of all threads of this process.
func processorMilliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6
}

func time(_ body: () async throws -> Void) async rethrows -> Double {
  milliseconds(try await clock.measure { try await body() })
}

if !FileManager.default.fileExists(atPath: path) {
  try await record()
  let reading = Process()
  reading.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  reading.arguments = [String(count), path]
  try reading.run()
  reading.waitUntilExit()
  if CommandLine.arguments.count < 3 {
    for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
  exit(reading.terminationStatus)
}

func record() async throws {
  let writer = try HistoryStore.open(.file(path), retention: Retention(count: count + 10, bytes: 1 << 40))
  var million = Million()
  var writing = 0.0
  var id: Int64 = 0
  while id < Int64(count) {
    let batch = (0..<min(20_000, count - Int(id))).map { _ -> Exchange in
      id += 1
      return million.exchange(id)
    }
    writing += try await time {
      if !writer.record(batch) { await writer.room() }
      try await writer.flush()
    }
  }
  say("written, 1 KiB bodies", Double(count) / writing * 1_000, "exchanges/s", "≥ 50000")
  say("closing", await time { await writer.close() }, "ms", "-")
}

var opened: HistoryStore?
let opening = try await time { opened = try HistoryStore.open(.file(path), retention: Retention(count: count + 10)) }
say("opening", opening, "ms", "≤ 100")
guard let store = opened else { exit(1) }
say("private memory after opening", privateMegabytes(), "MB", "≤ 150")
var worst = 0.0
for step in 0..<200 {
  let position = step * max(0, store.count - 50) / 199
  worst = max(worst, try await time { _ = try await store.page(from: position, count: 50) })
}
say("any page of 50, worst of 200", worst, "ms", "≤ 10")

/// Until the first ids have come, and until the end.
func search(_ text: String, _ promise: String) async throws {
  let filter = try Filter(parsing: text)
  let start = clock.now
  var first: Double?
  var found = 0
  for try await batch in store.search(filter) {
    found += batch.ids.count
    if first == nil, found > 0 { first = milliseconds(clock.now - start) }
  }
  let whole = milliseconds(clock.now - start)
  say("\(text): first rows", first ?? whole, "ms", promise)
  say("\(text): all \(found)", whole, "ms", "-")
}

if let filter = CommandLine.arguments.dropFirst(3).first {
  for _ in 0..<10 { try await search(filter, "≤ 100") }
  await store.close()
  exit(0)
}
try await search("host:shop status:503", "≤ 100")
try await search("status:404", "≤ 100")
try await search("path:/orders/77", "≤ 100")
try await search("nowhere", "≤ 100")
try await search("-path:/v1/", "≤ 100")
try await search("path:~^/v[23]/", "≤ 100")
try await search("time:>149990us", "≤ 100")
try await search("header:\"x-request-id: abc\"", "≤ 100")
try await search("header:\"x-request-id: none\"", "≤ 100")
try await search("path:~/orders/12[34]5$", "≤ 100")
try await search("header:~x-request-id:.*none$", "≤ 100")
try await search("body:ただいま", "≤ 1000")
try await search("body:needle", "≤ 1000")
try await search("body:nowhere", "≤ 2000 to say that there is none")
say("private memory after the searches", privateMegabytes(), "MB", "≤ 150")

func statistics(_ name: String, _ text: String) async throws {
  let filter = try Filter(parsing: text)
  let before = processorMilliseconds()
  var times: [Double] = []
  for _ in 0..<5 {
    times.append(
      try await time {
        let table = try await store.statistics(filter)
        precondition(!table.endpoints.isEmpty && !table.hosts.isEmpty)
      })
  }
  say("statistics \(name), median of 5", times.sorted()[2], "ms", "≤ 200")
  say("the same, processor time of all threads", (processorMilliseconds() - before) / 5, "ms", "-")
}

try await statistics("of all, by endpoint and host", "")
let middle = try await store.page(from: store.count / 2, count: 1).first?.startedAt ?? Timestamp(microseconds: 0)
try await statistics("of half the time", "since:\(ISO8601DateFormatter().string(from: middle.date))")
say("private memory", privateMegabytes(), "MB", "≤ 150")
await store.close()
