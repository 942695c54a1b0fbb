import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Splits a body into events, as libraries for server-sent events do.
final class EventDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let context: HarnessContext
  private let rest = Mutex(Data())
  private let isOver = Mutex(false)

  init(_ context: HarnessContext) { self.context = context }

  func ends() async {
    while !isOver.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let events = rest.withLock { rest in
      rest.append(data)
      var events: [String] = []
      while let end = rest.range(of: Data("\n\n".utf8)) {
        events.append(String(decoding: rest[rest.startIndex..<end.lowerBound], as: UTF8.self))
        rest.removeSubrange(rest.startIndex..<end.upperBound)
      }
      return events
    }
    for event in events { context.note(event) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note("left \(rest.withLock { $0.count })")
    isOver.withLock { $0 = true }
  }
}

/// Feeds a sequence.
final class FeedDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let feed: AsyncThrowingStream<Data, any Error>.Continuation

  init(_ feed: AsyncThrowingStream<Data, any Error>.Continuation) { self.feed = feed }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { feed.yield(data) }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    feed.finish(throwing: error)
  }
}

/// Keeps bodies and continuations by the task's number.
final class TableDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private struct Entry {
    var size = 0
    var continuation: CheckedContinuation<Int, Never>
  }

  private let table = Mutex<[Int: Entry]>([:])

  func run(_ task: URLSessionTask) async -> Int {
    await withCheckedContinuation { continuation in
      table.withLock { $0[task.taskIdentifier] = Entry(continuation: continuation) }
      task.resume()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    table.withLock { $0[dataTask.taskIdentifier]?.size += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let entry = table.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    entry?.continuation.resume(returning: entry?.size ?? -1)
  }
}
