import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// On which queue and thread the program is called, and what it may do there.
enum QueueCases {
  static let all: [HarnessCase] =
    [nil, "own", "main", "underlying"].flatMap { kind in
      [
        HarnessCase("queue \(kind ?? "of the session"), delegate") { context in
          let queue = kind.flatMap(queue)
          let delegate = PlaceDelegate(context)
          let session = context.session(delegate: delegate, queue: queue)
          context.note("queue \(queue == nil || session.delegateQueue === queue)")
          for path in ["/json", "/chain/2", "/basic", "/drop"] {
            await delegate.run(session.dataTask(with: context.url(path)), in: session)
          }
          await delegate.run(
            session.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8)), in: session)
          await delegate.run(session.downloadTask(with: context.url("/json")), in: session)
        },
        HarnessCase("queue \(kind ?? "of the session"), handlers") { context in
          let session = context.session(queue: kind.flatMap(queue))
          for path in ["/json", "/chain/2", "/drop"] {
            await context.finish { handler in
              session.dataTask(with: context.url(path)) { data, response, error in
                context.note(place: session)
                handler(data, response, error)
              }
            }
          }
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.downloadTask(with: context.url("/chain/1")) { _, _, _ in
              context.note(place: session)
              continuation.resume()
            }.resume()
          }
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.getAllTasks { _ in
              context.note(place: session)
              continuation.resume()
            }
          }
        },
      ]
    } + inCallbacks

  private static let underlying = DispatchQueue(label: "underlying")

  private static func queue(_ kind: String) -> OperationQueue? {
    if kind == "main" { return .main }
    let queue = OperationQueue()
    queue.name = kind
    if kind == "own" { queue.maxConcurrentOperationCount = 1 }
    if kind == "underlying" {
      queue.underlyingQueue = underlying
    }
    return queue
  }

  private static let inCallbacks: [HarnessCase] = [
    HarnessCase("a request from within a handler, waited for there") { context in
      let outer = context.session()
      let inner = context.session()
      await context.finish { handler in
        outer.dataTask(with: context.url("/chain/1")) { data, response, error in
          let done = DispatchSemaphore(value: 0)
          inner.dataTask(with: context.url("/json")) { data, _, _ in
            context.note(data)
            done.signal()
          }.resume()
          done.wait()
          handler(data, response, error)
        }
      }
    },
    HarnessCase("a request from within a redirect, waited for there") { context in
      let inner = context.session()
      let delegate = RecordingDelegate(
        context,
        .init(redirect: { request in
          let done = DispatchSemaphore(value: 0)
          inner.dataTask(with: context.url("/json")) { data, _, _ in
            context.note(data)
            done.signal()
          }.resume()
          done.wait()
          return request
        }))
      context.session(delegate: delegate).dataTask(with: context.url("/chain/2")).resume()
      await delegate.ends()
    },
    HarnessCase("a callback that takes its time") { context in
      let delegate = RecordingDelegate(context, .init(onData: { _ in Thread.sleep(forTimeInterval: 0.2) }))
      let session = context.session(delegate: delegate)
      session.dataTask(with: context.url("/slow?n=4&ms=20")).resume()
      await delegate.ends()
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("fifty requests, each from the handler of the one before") { context in
      let session = context.session()
      let sizes = Mutex<[Int]>([])
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        @Sendable func ask(_ left: Int) {
          session.dataTask(with: context.url("/bytes?n=\(left)")) { data, _, _ in
            sizes.withLock { $0.append(data?.count ?? -1) }
            if left > 1 { ask(left - 1) } else { continuation.resume() }
          }.resume()
        }
        ask(50)
      }
      context.note("\(sizes.withLock { $0 })")
    },
    HarnessCase("a queue that is suspended for a while") { context in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate, queue: queue)
      session.dataTask(with: context.url("/chain/1")).resume()
      try await Task.sleep(for: .milliseconds(150))
      context.note("now")
      queue.isSuspended = false
      await delegate.ends()
    },
    HarnessCase("a semaphore on a thread of the program's own") { context in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread.detachNewThread {
          let done = DispatchSemaphore(value: 0)
          URLSession.shared.dataTask(with: context.url("/json")) { data, response, error in
            context.note(data)
            context.note(response)
            done.signal()
          }.resume()
          context.note("\(done.wait(timeout: .now() + 10) == .success)")
          continuation.resume()
        }
      }
    },
    HarnessCase("a run loop that waits") { context in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread.detachNewThread {
          let isDone = Mutex(false)
          let session = context.session()
          session.dataTask(with: context.url("/chain/1")) { data, _, _ in
            context.note(data)
            isDone.withLock { $0 = true }
          }.resume()
          while !isDone.withLock({ $0 }) { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01)) }
          continuation.resume()
        }
      }
    },
  ]
}

/// Tells where each callback comes.
private final class PlaceDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  private let context: HarnessContext
  private let ends = Mutex(0)

  init(_ context: HarnessContext) { self.context = context }

  func run(_ task: URLSessionTask, in session: URLSession) async {
    let before = ends.withLock { $0 }
    task.resume()
    while ends.withLock({ $0 }) == before { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    context.note(place: session, "response")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    context.note(place: session, "data")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    context.note(place: session, "redirect")
    DispatchQueue.global().async { completionHandler(request) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    context.note(place: session, "challenge")
    completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    context.note(place: session, "sent")
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    context.note(place: session, "file")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note(place: session, "complete")
    ends.withLock { $0 += 1 }
  }
}

extension HarnessContext {
  /// Where the program is called.
  fileprivate func note(place session: URLSession, _ name: String = "called") {
    let queue = OperationQueue.current
    note("\(name) on \(queue === session.delegateQueue) main \(Thread.isMainThread) \(queue?.name?.prefix(4) ?? "nil")")
  }
}
