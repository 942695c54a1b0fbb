import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests to a real server, with the hook and without.
enum PassBench {
  static func run() async throws {
    let console = try Console(stubs: "patchbay: 1\nstubs: []\n")
    guard console.attach() else { return print("not linked: \(Patchbay.state)") }
    let (server, port) = try PlainServer.start()
    defer { server.terminate() }
    let url = URL(string: "http://127.0.0.1:\(port)/item")!
    var sent = 0
    sent += await compare("pass, async", url, latency: 1.15) { session in _ = try? await session.data(from: url) }
    sent += await compare("pass, handler", url, latency: 1.15) { session in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.dataTask(with: url) { _, _, _ in continuation.resume() }.resume()
      }
    }
    sent += await compare("pass, delegate", url, latency: 1.5, delegate: true) { session in
      guard let delegate = session.delegate as? EndDelegate else { return }
      await delegate.load(url, in: session)
    }
    sent += await compare("pass, download", url, latency: nil) { session in
      if let (file, _) = try? await session.download(from: url) { try? FileManager.default.removeItem(at: file) }
    }
    let recorded = try console.end()
    print("recorded \(recorded) of \(sent): \(recorded == sent ? "kept" : "MISSED")")
  }

  /// Returns how many requests were sent through the hook.
  private static func compare(
    _ name: String, _ url: URL, latency: Double?, delegate isWanted: Bool = false,
    _ body: @escaping @Sendable (URLSession) async -> Void
  ) async -> Int {
    let native = session(false, isWanted ? EndDelegate() : nil)
    let hook = session(true, isWanted ? EndDelegate() : nil)
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
    Measure.compare(name, base, hooked, latency: latency)
    return sent
  }

  private static func session(_ hooked: Bool, _ delegate: EndDelegate?) -> URLSession {
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    // A session of an attached program has the hook from its making; its next task sees what stands there now.
    let classes = session.configuration.protocolClasses ?? []
    let own = classes.filter { !($0 is PatchbayURLProtocol.Type) }
    session.configuration.protocolClasses = hooked ? [PatchbayURLProtocol.self] + own : own
    return session
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
