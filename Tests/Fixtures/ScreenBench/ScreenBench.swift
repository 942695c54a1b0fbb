import BenchData
import Foundation
import PatchbayHistory
import PatchbayTestSupport

/// The promises about how the console feels, measured on the real binary in a pseudo terminal.
struct ScreenBench {
  let binary: String
  let count: Int
  /// Where the large history lies; made if it is not there.
  let history: String
  var figures = Figures()

  /// Returns whether every promise was kept.
  static func run(_ part: String, binary: String, count: Int, history: String) async throws -> Bool {
    var bench = ScreenBench(binary: binary, count: count, history: history)
    if ["all", "empty"].contains(part) { try bench.empty() }
    if ["all", "million"].contains(part) { try await bench.million(rate: 5_000, seconds: 15) }
    if ["all", "idle"].contains(part) { try bench.idle() }
    return bench.figures.areKept
  }

  private func environment(_ folder: TemporaryFolder) -> [String: String] {
    [
      "XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
      "COLORTERM": "truecolor",
    ]
  }

  private func open(_ folder: TemporaryFolder, history: String? = nil) throws -> BenchTerminal {
    // Nothing is retired meanwhile: rows that go away under the cursor are another measurement.
    try FileManager.default.createDirectory(atPath: folder.file("patchbay"), withIntermediateDirectories: true)
    try folder.write("history: { count: 8000000 }\n", to: "patchbay/config.yaml")
    let arguments = ["listen", "--socket", folder.file("s.sock")] + (history.map { ["--history", $0] } ?? [])
    return try BenchTerminal([binary] + arguments, environment: environment(folder))
  }

  // MARK: Empty

  /// First frame and memory with nothing recorded.
  mutating func empty() throws {
    var frames: [Double] = []
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let terminal = try open(folder)
      terminal.wait { $0.contains("No program is linked") }
      frames.append(terminal.firstFrame?.milliseconds ?? .infinity)
      terminal.end()
    }
    figures.say("first frame, empty, median of 10", Figures.percentile(frames, 0.5), "ms", atMost: 50)
    let folder = try TemporaryFolder()
    let terminal = try open(folder)
    terminal.wait { $0.contains("No program is linked") }
    sleep(3)
    memory(terminal, "empty", atMost: 20)
    terminal.end()
  }

  private mutating func memory(_ terminal: BenchTerminal, _ name: String, atMost limit: Double) {
    let facts = ProcessFacts(of: terminal.process)
    figures.say("private memory, \(name)", facts.written, "MB", atMost: limit)
    figures.note(
      "  with file pages that no other process has mapped", String(format: "%.1f MB", facts.unshared))
    figures.note("  anonymous", String(format: "%.1f MB", facts.anonymous))
    figures.note("  threads", "\(facts.threads)")
  }

  // MARK: A million

  mutating func million(rate: Int, seconds: Int) async throws {
    try await makeHistory()
    var frames: [Double] = []
    for _ in 0..<5 {
      let folder = try TemporaryFolder()
      let terminal = try open(folder, history: history)
      terminal.wait { $0.contains("following") }
      frames.append(terminal.firstFrame?.milliseconds ?? .infinity)
      terminal.end()
    }
    figures.say("first frame on \(count), median of 5", Figures.percentile(frames, 0.5), "ms", atMost: 100)
    let folder = try TemporaryFolder()
    let terminal = try open(folder, history: history)
    terminal.wait { $0.contains("following") }
    let hook = try BenchHook(folder.file("s.sock"))
    try arrivals(terminal, hook, rate: rate, seconds: seconds)
    var keys = KeyTimes(terminal)
    let (began, before) = (ContinuousClock.now, terminal.frames)
    keys.run(for: .seconds(seconds))
    let shown = Double(terminal.frames - before) / ((ContinuousClock.now - began) / .seconds(1))
    let times = keys.times.map(\.milliseconds)
    figures.say(
      "key to screen, \(times.count) keys, 99th percentile", Figures.percentile(times, 0.99), "ms", atMost: 16)
    figures.note(
      "  median, slowest", String(format: "%.1f ms, %.1f ms", Figures.percentile(times, 0.5), times.max() ?? 0))
    let slowest = keys.times.sorted { $0.milliseconds > $1.milliseconds }.prefix(5)
    figures.note(
      "  slowest keys", slowest.map { "\($0.key.debugDescription) \(Int($0.milliseconds))" }.joined(separator: ", "))
    figures.say("frames a second meanwhile", shown, "", atMost: 63)
    figures.say("keys without effect", Double(keys.missed.count), keys.missed.joined(separator: " "), atMost: 0)
    if !keys.missed.isEmpty { figures.note("  the screen at the first of them", "\n\(keys.screenThen)") }
    memory(terminal, "with \(count)", atMost: 150)
    sorted(terminal, seconds: 10)
    hook.stop()
    hook.close()
    terminal.end()
  }

  /// The same list sorted by size while as many come: it is sorted again and again.
  private mutating func sorted(_ terminal: BenchTerminal, seconds: Int) {
    terminal.send(Array("o".utf8))
    terminal.wait { $0.contains("order of arrival") }
    let (began, first) = (ContinuousClock.now, terminal.screen.lines[3].dropFirst(3))
    terminal.send(Array("9".utf8))
    let shown = terminal.wait { screen in
      screen.contains("by size ↓") && screen.lines[3].hasPrefix(" ▸") && screen.lines[3].dropFirst(3) != first
    }
    figures.note("sorted by size", shown.map { String(format: "%.1f s", ($0 - began) / .seconds(1)) } ?? "never")
    var keys = KeyTimes(terminal)
    keys.run(for: .seconds(seconds))
    let times = keys.times.map(\.milliseconds)
    figures.say(
      "key to screen, sorted, \(times.count) keys, 99th", Figures.percentile(times, 0.99), "ms", atMost: 16)
    figures.note(
      "  median, slowest", String(format: "%.1f ms, %.1f ms", Figures.percentile(times, 0.5), times.max() ?? 0))
    figures.say("keys without effect", Double(keys.missed.count), keys.missed.joined(separator: " "), atMost: 0)
    if !keys.missed.isEmpty { figures.note("  the screen at the first of them", "\n\(keys.screenThen)") }
    memory(terminal, "sorted", atMost: 150)
  }

  private mutating func arrivals(_ terminal: BenchTerminal, _ hook: BenchHook, rate: Int, seconds: Int) throws {
    let arrivals = Arrivals()
    terminal.onOutput { arrivals.take($0, at: $1) }
    hook.start(rate: rate)
    sleep(2)
    let skipped = hook.times.count
    let (began, before) = (ContinuousClock.now, terminal.frames)
    sleep(UInt32(seconds))
    let frames = Double(terminal.frames - before) / ((ContinuousClock.now - began) / .seconds(1))
    terminal.onOutput(nil)
    let delays = arrivals.delays(sent: hook.times, from: skipped)
    figures.say(
      "arrival to screen at \(rate)/s, \(delays.count) seen, 95th", Figures.percentile(delays, 0.95), "ms", atMost: 50)
    figures.note(
      "  median, slowest", String(format: "%.1f ms, %.1f ms", Figures.percentile(delays, 0.5), delays.max() ?? 0))
    figures.say("frames a second meanwhile", frames, "", atMost: 63)
    figures.note("  sent and seen", "\(hook.times.count - skipped), \(delays.count)")
  }

  /// Records the exchanges, where the file is not there.
  private func makeHistory() async throws {
    guard !FileManager.default.fileExists(atPath: history) else { return }
    let store = try HistoryStore.open(.file(history), retention: Retention(count: 4 * count, bytes: 1 << 40))
    var million = Million()
    var id: Int64 = 0
    while id < Int64(count) {
      let batch = (0..<min(20_000, count - Int(id))).map { _ in
        id += 1
        return million.exchange(id)
      }
      if !store.record(batch) { await store.room() }
      try await store.flush()
    }
    await store.close()
  }

  // MARK: Idle

  /// After some traffic: how often any thread wakes between 60 s after the last event and `seconds` later.
  mutating func idle(after pause: Int = 60, seconds: Int = 20) throws {
    let folder = try TemporaryFolder()
    let terminal = try open(folder)
    terminal.wait { $0.contains("No program is linked") }
    let hook = try BenchHook(folder.file("s.sock"))
    hook.start(rate: 200)
    sleep(2)
    terminal.send(Array("2143 1jk".utf8))
    sleep(1)
    hook.stop()
    hook.close()
    sleep(UInt32(pause))
    let before = ProcessFacts(of: terminal.process)
    sleep(UInt32(seconds))
    let after = ProcessFacts(of: terminal.process)
    figures.say(
      "wake-ups in \(seconds) s, \(pause) s after the last event", Double(after.sleeps - before.sleeps), "", atMost: 0)
    figures.say("processor time in them", Double(after.ticks - before.ticks) * 10, "ms", atMost: 0)
    memory(terminal, "after traffic", atMost: 150)
    terminal.end()
  }
}
