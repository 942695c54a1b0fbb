import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests of one kind only, to look at with a profiler, and what processor time one takes in this process.
enum LoadBench {
  /// `alone` has the hook in force with nobody to send what is said to.
  enum Side: String, Sendable { case native, dormant, alone, hooked }

  /// - Parameter arguments: The kind, the side, how many requests, and how many at a time.
  static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 2, let kind = PassKind.all.first(where: { $0.name == arguments[0] }),
      let side = Side(rawValue: arguments[1])
    else { return print("hook-bench load KIND native|dormant|alone|hooked [COUNT [WIDTH]]") }
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    try await run(kind, side, count: numbers.first ?? 20_000, width: numbers.count > 1 ? numbers[1] : 16)
  }

  private static func run(_ kind: PassKind, _ side: Side, count: Int, width: Int) async throws {
    let console = side == .hooked ? try Console(stubs: "patchbay: 1\nstubs: []\n") : nil
    if let console, !console.attach() { return print("not linked: \(Patchbay.state)") }
    let trial = HookTrial()
    if side == .alone { trial.begin() }
    let (server, port) = try PlainServer.start()
    defer { server.terminate() }
    let url = URL(string: "http://127.0.0.1:\(port)/item")!
    let session = kind.session(hooked: side != .native)
    let body: @Sendable () async -> Void = { await kind.load(url, session) }
    var measure = Measure()
    await measure.parallel(1_600, width: width, counts: false, body)
    let before = usage
    await measure.parallel(count, width: width, body)
    let time = usage - before
    print(
      String(
        format: "%@ %@: %.1f µs of processor time, %.1f µs a request", kind.name, side.rawValue,
        time / Double(count) * 1e6, 1e6 / measure.rate))
    _ = try console?.end()
  }

  /// Seconds of the processor that this process has used.
  private static var usage: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
