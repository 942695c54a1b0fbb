import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests of one kind only, to look at with a profiler, and what processor time one takes in this process.
///
/// The kind `stub` is answered by a stub of the console, `native` by a bare mock in its place; `alone` and `dormant` go to
/// no server and have no meaning there.
enum LoadBench {
  /// `alone` has the hook in force without a console: what it says goes to the log in the process.
  enum Side: String, Sendable { case native, dormant, alone, hooked }

  /// - Parameter arguments: The kind, the side, how many requests, and how many at a time.
  static func run(_ arguments: [String]) async throws {
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    let (count, width) = (numbers.first ?? 20_000, numbers.count > 1 ? numbers[1] : 16)
    guard arguments.count >= 2, let side = Side(rawValue: arguments[1]) else { return print(usage) }
    if arguments[0] == "stub" { return try await stub(side, count, width) }
    guard let kind = PassKind.all.first(where: { $0.name == arguments[0] }) else { return print(usage) }
    try await run(kind, side, count: count, width: width)
  }

  private static func stub(_ side: Side, _ count: Int, _ width: Int) async throws {
    let console = try console(side, stubs: StubBench.stubs)
    let session = StubBench.session(side == .hooked ? PatchbayURLProtocol.self : BareMock.self)
    let url = URL(string: "http://bench.test/item")!
    await measure("stub", side, console, count, width) { _ = try? await session.data(from: url) }
  }

  private static func run(_ kind: PassKind, _ side: Side, count: Int, width: Int) async throws {
    let console = try console(side, stubs: "patchbay: 1\nstubs: []\n")
    if side == .alone { _ = Patchbay.exchanges }
    let (server, url) = try server()
    defer { server?.terminate() }
    let session = kind.session(hooked: side != .native)
    await measure(kind.name, side, console, count, width) { await kind.load(url, session) }
  }

  /// One of its own, unless `BENCH_SERVER` has a URL of `hook-bench serve`: a program under valgrind cannot start others.
  private static func server() throws -> (Process?, URL) {
    if let named = ProcessInfo.processInfo.environment["BENCH_SERVER"].flatMap({ URL(string: $0) }) {
      return (nil, named)
    }
    let (server, port) = try PlainServer.start()
    return (server, URL(string: "http://127.0.0.1:\(port)/item")!)
  }

  /// One of its own, unless a socket is named: a program under valgrind cannot start others.
  private static func console(_ side: Side, stubs: String) throws -> Console? {
    guard side == .hooked else { return nil }
    let isOwn = ProcessInfo.processInfo.environment["PATCHBAY_SOCKET"] == nil
    let console = isOwn ? try Console(stubs: stubs) : nil
    if !Console.attach() { print("not linked: \(Patchbay.state)") }
    return console
  }

  private static func measure(
    _ name: String, _ side: Side, _ console: Console?, _ count: Int, _ width: Int,
    _ body: @escaping @Sendable () async -> Void
  ) async {
    var measure = Measure()
    await measure.parallel(min(1_600, count), width: width, counts: false, body)
    let before = (own: processorTime, console: console?.processorTime ?? 0)
    await measure.parallel(count, width: width, body)
    let own = processorTime - before.own
    let others = (console?.processorTime ?? 0) - before.console
    print(
      String(
        format: "%@ %@: %.1f µs of processor time (and %.1f of the console's), %.1f µs a request", name, side.rawValue,
        own / Double(count) * 1e6, others / Double(count) * 1e6, 1e6 / measure.rate))
    _ = try? console?.end()
  }

  /// Seconds of the processor that this process has used.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
