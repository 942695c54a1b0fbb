import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a program holds in its closures must be gone when the answer has come.
enum LeakCases {
  static let all: [HarnessCase] =
    ["/json", "/chain/2", "/drop", "/slow?n=3&ms=20", "/cut"].flatMap { path in
      [
        HarnessCase("nothing is left of a handler, \(path)") { context in
          let left = LeftOvers()
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let held = Held()
            let session = context.session()
            let task = session.dataTask(with: context.url(path)) { _, _, _ in
              held.touch()
              continuation.resume()
            }
            left.keep([held, session, task])
            task.resume()
            session.finishTasksAndInvalidate()
          }
          await left.note(to: context)
        },
        HarnessCase("nothing is left of a download's handler, \(path)") { context in
          let left = LeftOvers()
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let held = Held()
            let session = context.session()
            let task = session.downloadTask(with: context.url(path)) { _, _, _ in
              held.touch()
              continuation.resume()
            }
            left.keep([held, session, task])
            task.resume()
            session.finishTasksAndInvalidate()
          }
          await left.note(to: context)
        },
        HarnessCase("nothing is left of an async call, \(path)") { context in
          let left = LeftOvers()
          do {
            let own = TurningDelegate(context)
            let session = context.session()
            left.keep([own, session])
            _ = try? await session.data(for: context.request(path), delegate: own)
            session.finishTasksAndInvalidate()
          }
          await left.note(to: context)
        },
        HarnessCase("nothing is left of an upload's stream, \(path)") { context in
          let left = LeftOvers()
          do {
            let stream = InputStream(data: Data("streamed".utf8))
            let delegate = RecordingDelegate(context)
            let session = context.session(delegate: delegate)
            var request = context.request(path, "POST")
            request.httpBodyStream = stream
            let task = session.dataTask(with: request)
            left.keep([stream, delegate, session, task])
            task.resume()
            session.finishTasksAndInvalidate()
            await delegate.ends(2)
          }
          await left.note(to: context)
        },
        HarnessCase("a task outlives its session, \(path)") { context in
          let left = LeftOvers()
          let task: URLSessionTask
          do {
            let delegate = TurningDelegate(context)
            let session = context.session(delegate: delegate)
            left.keep([delegate])
            task = session.dataTask(with: context.url(path))
            task.resume()
            session.finishTasksAndInvalidate()
            await delegate.ends(2)
          }
          context.note(state: task)
          await left.note(to: context)
        },
      ]
    }
}

/// Something that a closure holds.
private final class Held: Sendable {
  func touch() {}
}

/// Objects that are to be gone.
private final class LeftOvers: Sendable {
  private struct Weak: @unchecked Sendable {  // Only looked at for being there.
    weak var object: AnyObject?
  }

  private let objects = Mutex<[Weak]>([])

  func keep(_ kept: [AnyObject]) { objects.withLock { $0 = kept.map { Weak(object: $0) } } }

  private var isThere: [Bool] { objects.withLock { $0.map { $0.object != nil } } }

  func note(to context: HarnessContext) async {
    for _ in 0..<500 where isThere.contains(true) { try? await Task.sleep(for: .milliseconds(2)) }
    context.note("left \(isThere)")
  }
}
