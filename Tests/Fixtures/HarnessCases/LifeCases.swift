import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// From making a session or task to letting go of it.
enum LifeCases {
  static let all: [HarnessCase] = ends + starts + gone

  private static let ends: [HarnessCase] = [
    HarnessCase("invalidate and cancel at once, handler") { context in
      let session = context.session()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let task = session.dataTask(with: context.url("/hang")) { _, _, error in
          context.note(error)
          context.note(strings: error)
          continuation.resume()
        }
        task.resume()
        session.invalidateAndCancel()
      }
    },
    HarnessCase("tasks of a session that was cancelled") { context in
      let session = context.session()
      let tasks = (0..<3).map { session.dataTask(with: context.url("/hang?\($0)")) }
      tasks[0].resume()
      tasks[1].resume()
      session.invalidateAndCancel()
      context.note("\(await context.tasks(of: session))")
      while tasks[0].state != .completed { try await Task.sleep(for: .milliseconds(2)) }
    },
    HarnessCase("kinds of tasks of a session") { context in
      let session = context.session()
      let data = session.dataTask(with: context.url("/hang?d"))
      let upload = session.uploadTask(with: context.request("/hang?u", "POST"), from: Data("u".utf8))
      let download = session.downloadTask(with: context.url("/hang?f"))
      for task in [data, upload, download] as [URLSessionTask] { task.resume() }
      context.note("\(await context.tasks(of: session))")
    },
    HarnessCase("a cancelled task cannot be resumed") { context in
      let session = context.session()
      let task = session.dataTask(with: context.url("/json"))
      task.cancel()
      task.resume()
      while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
      context.note(state: task)
    },
  ]

  private static let starts: [HarnessCase] = [
    HarnessCase("suspended three times, resumed three times") { context in
      let session = context.session()
      await context.finish { handler in
        let task = session.dataTask(with: context.url("/json"), completionHandler: handler)
        task.suspend()
        task.suspend()
        for _ in 0..<2 {
          task.resume()
          context.note("state \(task.state.rawValue)")
        }
        return task
      }
    },
    HarnessCase("a request without a URL") { context in
      let session = context.session()
      var request = context.request("/json")
      request.url = nil
      await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("a port that is none") { context in
      let session = context.session()
      await context.finish { session.dataTask(with: URL(string: "http://127.0.0.1:99999/")!, completionHandler: $0) }
    },
    HarnessCase("resume data of a download that is cancelled") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).downloadTask(with: context.url("/hang"))
      task.resume()
      try await Task.sleep(for: .milliseconds(100))
      let resumeData = Mutex<Data?>(Data())
      task.cancel { data in resumeData.withLock { $0 = data } }
      await delegate.ends()
      context.note("resume data \(resumeData.withLock { $0.map { "\($0.count)" } } ?? "nil")")
    },
    HarnessCase("a redirect that the delegate does not answer, cancelled") { context in
      let delegate = SilentDelegate(context)
      let task = context.session(delegate: delegate).dataTask(with: context.url("/chain/1"))
      task.resume()
      while !delegate.wasAsked { try await Task.sleep(for: .milliseconds(2)) }
      context.note(state: task)
      task.cancel()
      while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
    },
  ]

  private static let gone: [HarnessCase] =
    ["/json", "/chain/3", "/drop", "/basic"].flatMap { path in
      [("delegate", false), ("download by delegate", true)].map { how, isDownload in
        HarnessCase("nothing is left of a session, \(path), \(how)") { context in
          let left = Left()
          do {
            let delegate = RecordingDelegate(context, .init(disposition: .cancelAuthenticationChallenge))
            let session = context.session(delegate: delegate)
            let url = context.url(path)
            let task = isDownload ? session.downloadTask(with: url) : session.dataTask(with: url)
            left.keep([delegate, session, task])
            task.resume()
            session.finishTasksAndInvalidate()
            await delegate.ends(2)
          }
          await context.note(left)
        }
      }
    }
}

/// Answers nothing.
private final class SilentDelegate: NSObject, URLSessionTaskDelegate {
  private let context: HarnessContext
  private let asked = Mutex(false)

  init(_ context: HarnessContext) { self.context = context }

  var wasAsked: Bool { asked.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    context.note("asked \(task.delegate === self)")
    asked.withLock { $0 = true }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note(error)
  }
}

/// Objects that are to be gone.
private final class Left: Sendable {
  private struct Weak: @unchecked Sendable {  // Only looked at for being there.
    weak var object: AnyObject?
  }

  private let objects = Mutex<[Weak]>([])

  func keep(_ kept: [AnyObject]) { objects.withLock { $0 = kept.map { Weak(object: $0) } } }

  var isThere: [Bool] { objects.withLock { $0.map { $0.object != nil } } }
}

extension HarnessContext {
  /// How many tasks of each kind a session has.
  fileprivate func tasks(of session: URLSession) async -> [Int] {
    await withCheckedContinuation { continuation in
      session.getTasksWithCompletionHandler { data, uploads, downloads in
        continuation.resume(returning: [data.count, uploads.count, downloads.count])
      }
    }
  }

  fileprivate func note(_ left: Left) async {
    for _ in 0..<500 where left.isThere.contains(true) { try? await Task.sleep(for: .milliseconds(2)) }
    note("left \(left.isThere)")
  }

  fileprivate func note(strings error: (any Error)?) {
    let info = (error as NSError?)?.userInfo ?? [:]
    note("  \(info.keys.sorted()) \(info["NSErrorFailingURLStringKey"] as? String ?? "nil")")
    note("  \(error?.localizedDescription ?? "nil")")
  }
}
