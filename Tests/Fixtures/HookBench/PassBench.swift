import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests to a real server, with the hook and without.
enum PassBench {
  static func run(_ base: String) async {
    let trial = HookTrial()
    trial.begin()
    let url = URL(string: base + "/bytes?n=1024")!
    await compare("pass, async", url) { session in _ = try? await session.data(from: url) }
    await compare("pass, handler", url) { session in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.dataTask(with: url) { _, _, _ in continuation.resume() }.resume()
      }
    }
    await compare("pass, download", url) { session in
      if let (file, _) = try? await session.download(from: url) { try? FileManager.default.removeItem(at: file) }
    }
    await compare("pass, delegate", url, delegate: true) { session in
      guard let delegate = session.delegate as? EndDelegate else { return }
      await delegate.load(url, in: session)
    }
    print("reported \(trial.reported.ended) ends")
  }

  private static func compare(
    _ name: String, _ url: URL, delegate isWanted: Bool = false,
    _ body: @escaping @Sendable (URLSession) async -> Void
  ) async {
    let native = session(false, isWanted ? EndDelegate() : nil)
    let hook = session(true, isWanted ? EndDelegate() : nil)
    var base = Measure()
    var hooked = Measure()
    for _ in 0..<8 {
      await base.sequential(300) { await body(native) }
      await hooked.sequential(300) { await body(hook) }
      await base.parallel(1_600, width: 16) { await body(native) }
      await hooked.parallel(1_600, width: 16) { await body(hook) }
    }
    Measure.compare(name, base, hooked)
  }

  private static func session(_ hooked: Bool, _ delegate: EndDelegate?) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    if hooked { configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? []) }
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
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
