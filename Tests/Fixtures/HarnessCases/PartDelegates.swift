import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Delegates that know only a part of the protocols.

final class SessionOnly: NSObject, URLSessionDelegate, Sendable {
  private let context: HarnessContext
  private let ended = Mutex(false)

  init(_ context: HarnessContext) { self.context = context }

  func ends() async {
    while !ended.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    context.note("invalid")
    ended.withLock { $0 = true }
  }
}

final class TaskOnly: NSObject, URLSessionTaskDelegate, Sendable {
  private let context: HarnessContext
  private let ended = Mutex(0)

  init(_ context: HarnessContext) { self.context = context }

  func ends(_ count: Int) async {
    while ended.withLock({ $0 }) < count { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note(error)
    context.note(state: task)
    ended.withLock { $0 += 1 }
  }
}

final class PiecesOnly: NSObject, URLSessionDataDelegate, Sendable {
  private let context: HarnessContext

  init(_ context: HarnessContext) { self.context = context }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    context.transcript.bytes("data", data)
  }
}

final class FilesOnly: NSObject, URLSessionDownloadDelegate, Sendable {
  private let context: HarnessContext

  init(_ context: HarnessContext) { self.context = context }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    context.note(try? Data(contentsOf: location))
  }
}
