import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads one stream of server-sent events through a data delegate, to its end.
final class DemoNewsReader: NSObject, URLSessionDataDelegate {
  private let finished = Mutex<CheckedContinuation<Void, Never>?>(nil)

  func read(_ request: URLRequest, configuration: URLSessionConfiguration) async {
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    let task = session.dataTask(with: request)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        finished.withLock { $0 = continuation }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    session.finishTasksAndInvalidate()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let continuation = finished.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume()
  }
}
