import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cancel, suspend, resume. A task that is suspended right after its resume is not among them: on a busy machine Foundation
/// ends the process then, with the hook and without.
enum StateCases {
  static let all: [HarnessCase] = [
    HarnessCase("cancel before resume") { context in
      let session = context.session()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let task = session.dataTask(with: context.url("/json")) { data, response, error in
          context.note(data)
          context.note(response)
          context.note(error)
          continuation.resume()
        }
        task.cancel()
      }
    },
    HarnessCase("cancel while waiting, handler") { context in
      let session = context.session()
      await context.finish { handler in
        let task = session.dataTask(with: context.url("/hang"), completionHandler: handler)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { task.cancel() }
        return task
      }
    },
    HarnessCase("cancel while waiting, delegate") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).dataTask(with: context.url("/hang"))
      task.resume()
      try await Task.sleep(for: .milliseconds(100))
      task.cancel()
      await delegate.ends()
    },
    HarnessCase("cancel while the body comes") { context in
      let delegate = RecordingDelegate(context, .init(onData: { $0.cancel() }))
      context.session(delegate: delegate).dataTask(with: context.url("/slow?n=50&ms=100")).resume()
      await delegate.ends()
    },
    HarnessCase("cancel a download") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).downloadTask(with: context.url("/hang"))
      task.resume()
      try await Task.sleep(for: .milliseconds(100))
      task.cancel()
      await delegate.ends()
    },
    HarnessCase("cancel an async call") { context in
      let session = context.session()
      let call = Task {
        await context.attempt { try await session.data(from: context.url("/hang")) }
      }
      try await Task.sleep(for: .milliseconds(100))
      call.cancel()
      await call.value
    },
    HarnessCase("cancel at the end") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).dataTask(with: context.url("/json"))
      task.resume()
      await delegate.ends()
      // Foundation traps where a cancel meets the end, so the end has to be over.
      while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
      task.cancel()
      context.note("nothing more")
    },
    HarnessCase("suspend and resume while waiting") { context in
      let session = context.session()
      await context.finish { handler in
        let task = session.dataTask(with: context.url("/delay?ms=150"), completionHandler: handler)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
          task.suspend()
          context.note("suspended \(task.state.rawValue)")
          DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { task.resume() }
        }
        return task
      }
    },
  ]
}
