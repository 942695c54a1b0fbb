import Dispatch
import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Runs the program's closures. Threads of their own, and not those of Swift's tasks: a closure that blocks, as mocks do,
/// would else keep one of as few threads as there are cores from everything else that the program awaits.
final class HandlerExecutor: TaskExecutor {
  private static let shared = HandlerExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    HookQueue.apart { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// - Parameter finish: Called on any thread, once.
  static func run(
    _ handler: @escaping StubHandler, _ request: URLRequest,
    finish: @escaping @Sendable (Result<CannedResponse, any Error>) -> Void
  ) {
    Task.detached(executorPreference: shared, priority: .userInitiated) {
      do {
        finish(.success(try await handler(request)))
      } catch {
        finish(.failure(error))
      }
    }
  }

  /// The same, for who has no other thread to go on with.
  static func wait(for handler: @escaping StubHandler, _ request: URLRequest) -> Result<CannedResponse, any Error> {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<CannedResponse, any Error>?  // Written before the signal, read after it.
    run(handler, request) {
      result = $0
      done.signal()
    }
    done.wait()
    return result ?? .failure(URLError(.unknown))
  }
}
