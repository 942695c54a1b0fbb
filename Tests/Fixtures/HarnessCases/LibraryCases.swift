import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What libraries put around URLSession: caches and operations of their own, and the main queue.
enum LibraryCases {
  static let all: [HarnessCase] =
    caches + [
      HarnessCase("operations that wait for one another") { context in
        let session = context.session()
        let queue = OperationQueue()
        var last: Operation?
        for number in 0..<8 {
          let operation = RequestOperation(context, session, "/bytes?n=\(number)")
          if let last { operation.addDependency(last) }
          queue.addOperation(operation)
          last = operation
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          queue.addBarrierBlock { continuation.resume() }
        }
      },
      HarnessCase("handlers on the main queue") { context in
        let session = context.session(queue: .main)
        for path in ["/json", "/chain/2", "/drop"] {
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.dataTask(with: context.url(path)) { data, _, error in
              context.note("\(Thread.isMainThread) \(data?.count ?? -1) \((error as? URLError)?.code.rawValue ?? 0)")
              continuation.resume()
            }.resume()
          }
        }
      },
    ]

  private static let caches = ["/cached", "/json", "/chain/1", "/status/404"].map { path in
    HarnessCase("a cache of the program's own, \(path)") { context in
      let cache = LoggingCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
      let target = "\(path)?for=\(context.transcript.token)own"
      let session = context.session { $0.urlCache = cache }
      for _ in 0..<2 { await context.finish { session.dataTask(with: context.url(target), completionHandler: $0) } }
      context.note("handler \(cache.take())")
      let delegate = RecordingDelegate(context)
      context.session(delegate: delegate) { $0.urlCache = cache }.dataTask(with: context.url(target)).resume()
      await delegate.ends()
      context.note("delegate \(cache.take())")
      _ = try await session.download(from: context.url(target))
      context.note("download \(cache.take())")
      await context.attempt { try await session.upload(for: context.request("/echo", "POST"), from: Data("x".utf8)) }
      context.note("upload \(cache.take()) \(cache.currentMemoryUsage > 0)")
    }
  }
}

/// Tells what it is asked.
private final class LoggingCache: URLCache, @unchecked Sendable {
  private let log = Mutex<[String]>([])

  func take() -> [String] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    log.withLock { $0.append("asked \(request.url?.path ?? "nil")") }
    return super.cachedResponse(for: request)
  }

  override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    log.withLock { $0.append("given \(request.url?.path ?? "nil") \(cachedResponse.data.count)") }
    super.storeCachedResponse(cachedResponse, for: request)
  }

  override func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    log.withLock { $0.append("asked for a task") }
    super.getCachedResponse(for: dataTask, completionHandler: completionHandler)
  }

  override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    log.withLock { $0.append("given for a task \(cachedResponse.data.count)") }
    super.storeCachedResponse(cachedResponse, for: dataTask)
  }
}

/// A request as an asynchronous operation.
private final class RequestOperation: Operation, @unchecked Sendable {
  private let context: HarnessContext
  private let session: URLSession
  private let path: String
  private let step = Mutex(0)

  init(_ context: HarnessContext, _ session: URLSession, _ path: String) {
    self.context = context
    self.session = session
    self.path = path
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { step.withLock { $0 == 1 } }
  override var isFinished: Bool { step.withLock { $0 == 2 } }

  override func start() {
    go(to: 1, telling: ["isExecuting"])
    session.dataTask(with: context.url(path)) { [self] data, _, error in
      context.note("\(path) \(data?.count ?? -1) \(error == nil)")
      go(to: 2, telling: ["isExecuting", "isFinished"])
    }.resume()
  }

  private func go(to next: Int, telling keys: [String]) {
    for key in keys { willChangeValue(forKey: key) }
    step.withLock { $0 = next }
    for key in keys { didChangeValue(forKey: key) }
  }
}
