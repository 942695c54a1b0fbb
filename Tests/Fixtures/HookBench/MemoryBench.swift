import Foundation
import HarnessCases
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The private memory of a program that makes many requests through the hook: stubbed and passed on, and in sessions that
/// come and go; and what is allocated in it. What is allocated must be back where it was; the pages that the allocator
/// keeps beside it stay more or fewer, as they do without the hook.
enum MemoryBench {
  /// - Parameter count: Requests of each kind.
  static func run(_ count: Int) async throws {
    let console = try Console(stubs: StubBench.stubs)
    guard console.attach() else { return print("not linked: \(Patchbay.state)") }
    let (server, port) = try PlainServer.start()
    defer { server.terminate() }
    let stubbed = URL(string: "http://bench.test/item")!
    let passed = URL(string: "http://127.0.0.1:\(port)/item")!
    let session = StubBench.session(PatchbayURLProtocol.self)
    let native = StubBench.session(PatchbayURLProtocol.self)
    native.configuration.protocolClasses = native.configuration.protocolClasses?.filter {
      !($0 is PatchbayURLProtocol.Type)
    }
    let mocked = StubBench.session(BareMock.self)
    await batch(count / 10, mocked, stubbed)
    await batch(count / 10, native, passed)
    await batch(count / 10, session, stubbed)
    await batch(count / 10, session, passed)
    await sessions(200, stubbed)
    await quiet()
    let before = kilobytes
    print("after the warm-up: \(before) kB, \(HeapUse.allocated / 1_024) kB allocated")
    let start = HeapUse.allocated
    await batch(count, mocked, stubbed)
    let mock = await step("\(count) mocked without the hook", before)
    await batch(count, session, stubbed)
    let stub = await step("\(count) stubbed requests", before)
    await batch(count, native, passed)
    let bare = await step("\(count) without the hook", before)
    await batch(count, session, passed)
    let pass = await step("\(count) passed on", before)
    // Foundation itself leaves something of each request to the network.
    judge("stubbed", (stub - mock) - (mock - start), of: count)
    judge("passed on", (pass - bare) - (bare - stub), of: count)
    await sessions(10_000, stubbed)
    await step("10000 sessions made and invalidated", before)
    _ = try console.end()
    await quiet()
    await batch(count / 10, session, passed)
    await step("\(count / 10) without a console", before)
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let ours = threads.filter { name in
      (try? String(contentsOfFile: "/proc/self/task/\(name)/comm", encoding: .utf8)) == "patchbay\n"
    }
    print("threads of the hook: \(ours.count)")
  }

  /// - Parameter more: Bytes that are allocated, more than after as many requests without the hook.
  private static func judge(_ name: String, _ more: Int, of count: Int) {
    let verdict = more < count * 16 ? "kept" : "MISSED"
    print("left of \(name) requests, beyond what is left without the hook: \(more / 1_024) kB; promised 0: \(verdict)")
  }

  /// - Returns: What is allocated.
  @discardableResult
  private static func step(_ name: String, _ before: Int) async -> Int {
    await quiet()
    let now = kilobytes
    let bytes = HeapUse.allocated
    print("\(name): \(now) kB (\(now - before >= 0 ? "+" : "")\(now - before)), \(bytes / 1_024) kB allocated")
    return bytes
  }

  private static func batch(_ count: Int, _ session: URLSession, _ url: URL) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          for _ in 0..<count / 16 { _ = try? await session.data(from: url) }
        }
      }
    }
  }

  private static func sessions(_ count: Int, _ url: URL) async {
    for _ in 0..<count {
      let session = StubBench.session(PatchbayURLProtocol.self)
      _ = try? await session.data(from: url)
      session.finishTasksAndInvalidate()
    }
  }

  /// What was reported has been sent, and what the allocator keeps has been given back.
  private static func quiet() async {
    try? await Task.sleep(for: .seconds(1))
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
  }

  /// Private memory of this process.
  private static var kilobytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }.reduce(0) { sum, line in
      sum + (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
    }
  }
}
