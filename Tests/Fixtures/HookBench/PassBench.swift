import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests to a real server, with the hook and without.
enum PassBench {
  /// - Parameter only: The kinds of task to measure; all where it is empty.
  static func run(_ only: [String]) async throws {
    let console = try Console(stubs: "patchbay: 1\nstubs: []\n")
    guard console.attach() else { return print("not linked: \(Patchbay.state)") }
    let (server, port) = try PlainServer.start()
    defer { server.terminate() }
    let url = URL(string: "http://127.0.0.1:\(port)/item")!
    var sent = 0
    for kind in PassKind.all where only.isEmpty || only.contains(kind.name) { sent += await compare(kind, url) }
    let recorded = try console.end()
    print("recorded \(recorded) of \(sent): \(recorded == sent ? "kept" : "MISSED")")
  }

  /// Returns how many requests were sent through the hook.
  private static func compare(_ kind: PassKind, _ url: URL) async -> Int {
    let native = kind.session(hooked: false)
    let hook = kind.session(hooked: true)
    let body: @Sendable (URLSession) async -> Void = { await kind.load(url, $0) }
    var base = Measure()
    var hooked = Measure()
    var sent = 0
    for round in 0..<9 {
      await base.sequential(round == 0 ? 0 : 300) { await body(native) }
      await hooked.sequential(round == 0 ? 0 : 300) { await body(hook) }
      await base.parallel(1_600, width: 16, counts: round > 0) { await body(native) }
      await hooked.parallel(1_600, width: 16, counts: round > 0) { await body(hook) }
      sent += round == 0 ? 1_600 : 1_900
    }
    Measure.compare("pass, \(kind.name)", base, hooked, latency: kind.promise)
    return sent
  }
}

/// Resumes whoever waits for a task's end.
final class EndDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]  // Guarded by the lock.
  private var received = 0  // Guarded by the lock.

  var bytes: Int { lock.withLock { received } }

  func load(_ url: URL, in session: URLSession) async {
    await withCheckedContinuation { continuation in
      let task = session.dataTask(with: url)
      lock.withLock { waiting[task.taskIdentifier] = continuation }
      task.resume()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    lock.withLock { waiting.removeValue(forKey: task.taskIdentifier) }?.resume()
  }
}
