import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Rows for a task registry that name the hook's own listeners. They cannot be written down, because their type has no
/// public name, so they are taken from tasks of a private session that Foundation makes them for.
struct InterceptorRows: Sendable {
  /// Sends the pieces of a body to ``BodyInterceptor``.
  let body: Row
  /// Sends only the response's head, through the client.
  let head: Row
  /// Whether a row has a delegate can be read from its third word.
  let delegatesAreThird: Bool

  /// One row, opaque. Immutable once made, which is what makes it safe to share.
  struct Row: @unchecked Sendable {
    let value: Any
    let delegateIsThird: Bool
  }

  private static let making = Mutex(MadeOnce<InterceptorRows>())

  /// The rows; nil until they are made, or where they cannot be.
  static var current: InterceptorRows? { making.withLock { $0.value } }

  /// Makes the rows if that has not been done, and then goes on; at once (and true) if there is nothing to wait for.
  ///
  /// It takes about a millisecond, once in a process. Nobody waits longer than a quarter of a second; who comes after they
  /// were made has them, however late that was.
  static func prepare(then next: @escaping @Sendable () -> Void) -> Bool {
    let (ready, begin) = making.withLock { $0.wait(next) }
    if begin {
      HookQueue.shared.async { make() }
      HookQueue.shared.asyncAfter(deadline: .now() + 0.25) {
        for next in making.withLock({ $0.giveUp() }) { next() }
      }
    }
    return ready
  }

  private static func make() {
    let session = OwnSessions.make { configuration in
      configuration.protocolClasses = [RowCatcher.self]
    }
    let queue = HookQueue.shared
    row(of: BodyInterceptor.shared, in: session, on: queue) { body in
      row(of: HeadInterceptor.shared, in: session, on: queue) { head in
        if let body, let head {
          finish(
            InterceptorRows(body: body, head: head, delegatesAreThird: body.delegateIsThird && head.delegateIsThird))
        } else {
          finish(nil)
        }
        session.finishTasksAndInvalidate()
      }
    }
  }

  private static func finish(_ rows: InterceptorRows?) {
    for next in making.withLock({ $0.finish(rows) }) { next() }
  }

  /// Makes one request with a delegate of its own, of which only the row is wanted.
  private static func row(
    of delegate: any URLSessionTaskDelegate & Sendable, in session: URLSession, on queue: DispatchQueue,
    then next: @escaping @Sendable (Row?) -> Void
  ) {
    guard let url = URL(string: "http://patchbay.invalid/") else { return next(nil) }
    RowCatcher.expect { row in
      let row = row.map { Row(value: $0, delegateIsThird: TaskCallbacks.delegateIsThird(in: $0, delegate)) }
      queue.async { next(row) }
    }
    Task.detached(executorPreference: QueueExecutor.shared) {
      _ = try? await session.data(for: URLRequest(url: url), delegate: delegate)
    }
  }
}

/// What is made once, for which some wait, but only so long. A pure value; what is returned is to be called.
struct MadeOnce<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case unknown
    case making([@Sendable () -> Void])
    /// Nobody waits for it any more; it may come all the same.
    case late
    case made(Value?)
  }

  private var state = State.unknown

  var value: Value? { if case .made(let value) = state { value } else { nil } }

  /// - Returns: whether there is nothing to wait for, and whether it is to be made now.
  mutating func wait(_ next: @escaping @Sendable () -> Void) -> (ready: Bool, begin: Bool) {
    switch state {
    case .made, .late: return (true, false)
    case .making(let waiting):
      state = .making(waiting + [next])
      return (false, false)
    case .unknown:
      state = .making([next])
      return (false, true)
    }
  }

  /// Those that wait go on without it.
  mutating func giveUp() -> [@Sendable () -> Void] {
    guard case .making(let waiting) = state else { return [] }
    state = .late
    return waiting
  }

  /// It is there, or cannot be made.
  mutating func finish(_ value: Value?) -> [@Sendable () -> Void] {
    switch state {
    case .making(let waiting):
      state = .made(value)
      return waiting
    case .late:
      state = .made(value)
      return []
    case .unknown, .made: return []
    }
  }
}

/// Takes the private session's requests, keeps the row of each, and fails it.
private final class RowCatcher: URLProtocol {
  private static let waiting = Mutex<(@Sendable (Any?) -> Void)?>(nil)

  static func expect(_ next: @escaping @Sendable (Any?) -> Void) {
    waiting.withLock { $0 = next }
  }

  override class func canInit(with request: URLRequest) -> Bool { true }

  override func startLoading() {
    let next = Self.waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    let session = task.flatMap { TaskInternals.session(of: $0) }
    let callbacks = task.flatMap { task in session.flatMap { TaskCallbacks(of: task, in: $0) } }
    next?(callbacks?.row.flatMap { TaskCallbacks.kind(of: $0) == .dataWithDelegate ? $0 : nil })
    client?.urlProtocol(self, didFailWithError: URLError(.cancelled))
  }

  override func stopLoading() {}
}

/// Runs Swift tasks on the hook's own queue, so that a program that has used up the common threads does not matter.
private final class QueueExecutor: TaskExecutor {
  static let shared = QueueExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    HookQueue.shared.async { job.runSynchronously(on: executor) }
  }
}
