import Dispatch
import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A body that is a stream, for stubs that look at it.
extension RequestRun {
  /// Whether some stub cannot tell before the stream has been read.
  var mustReadStream: Bool {
    guard case .stream = current.body, let rules = snapshot.rules, rules.looksAtBodies else { return false }
    return rules.needsBody(current.facts(of: HookState.shared.process, withBody: false))
  }

  /// Reads the stream, off every queue, puts another that gives the same in its place, and goes on.
  func readStream(then next: @escaping () -> Void) {
    guard let queue else { return next() }
    let limit = Int(clamping: snapshot.settings.requestBodyLimit)
    let tee: StreamTee
    if case .stream(let own?) = current.body { tee = own } else { tee = StreamTee(limit: limit) }
    step += 1
    let due = step
    let proceed = Proceed(next)
    stage = .waiting {}
    timeOutReading(due, on: queue)
    findStream { stream in
      nonisolated(unsafe) let stream = stream  // Handed over.
      DispatchQueue.global(qos: .userInitiated).async {
        nonisolated(unsafe) let replayed = stream.map { ReplayedStream($0, upTo: limit, tee) }  // Handed over.
        queue.async { [self] in
          guard !isEnded, step == due || task.state != .canceling else { return }
          step += 1
          guard let replayed else { return proceed.next() }
          current.body = .stream(tee)
          current.request.httpBodyStream = replayed
          StreamBody.put(replayed, into: task, on: queue) { [self] in
            guard !isEnded, task.state != .canceling else { return }
            if task.state == .suspended { stage = .waiting(then: proceed.next) } else { proceed.next() }
          }
        }
      }
    }
  }

  /// The task's own stream, or the one that the program's delegate gives when it is asked.
  private func findStream(_ found: @escaping @Sendable (sending InputStream?) -> Void) {
    if let stream = StreamBody.stream(of: task) {
      nonisolated(unsafe) let stream = stream  // Handed over.
      return found(stream)
    }
    guard let session, let delegate = task.delegate else { return found(nil) }
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        nonisolated(unsafe) let stream = stream  // Handed over.
        found(stream)
      }
    }
  }

  private func timeOutReading(_ due: Int, on queue: DispatchQueue) {
    let timeout = RequestTimeout.seconds(current.request, session: session)
    guard timeout > 0 else { return }
    queue.asyncAfter(deadline: .now() + timeout) { [weak self] in
      guard let self, step == due, !isEnded else { return }
      fail(with: FaultError.urlError(.timedOut, url: current.request.url))
    }
  }

  /// What comes afterwards, on the task's work queue.
  private struct Proceed: @unchecked Sendable {  // Used on the task's work queue only.
    let next: () -> Void

    init(_ next: @escaping () -> Void) { self.next = next }
  }
}
