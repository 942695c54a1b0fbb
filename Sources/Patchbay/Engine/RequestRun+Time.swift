import Dispatch
import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Waiting, off every queue.
extension RequestRun {
  /// Goes on after that time, unless stopped; fails the request where its timeout is shorter.
  func wait(_ seconds: Double, then next: @escaping () -> Void) {
    let timeout = RequestTimeout.seconds(current.request, session: session)
    let isTooLong = timeout > 0 && seconds >= timeout
    guard let queue else { return next() }
    step += 1
    let due = step
    let deadline = DispatchTime.now() + min(seconds, timeout > 0 ? timeout : seconds)
    let waiting = Waiting(next)
    stage = .waiting { [unowned self] in
      // After a suspension the wait goes on from the start, as a transfer's timeout does.
      step += 1
      wait(seconds, then: next)
    }
    queue.asyncAfter(deadline: deadline) { [self] in
      guard step == due, !isEnded else { return }
      if isTooLong { fail(with: FaultError.urlError(.timedOut, url: current.request.url)) } else { waiting.next() }
    }
  }

  /// What comes after a wait, on the same queue.
  private struct Waiting: @unchecked Sendable {  // Used on the task's work queue only.
    let next: () -> Void

    init(_ next: @escaping () -> Void) { self.next = next }
  }
}

extension Delay {
  /// Seconds for one request.
  var drawn: Double {
    switch self {
    case .fixed(let duration): duration.seconds
    case .random(let from, let to):
      from.seconds < to.seconds ? Double.random(in: from.seconds...to.seconds) : from.seconds
    }
  }
}

extension Duration {
  var seconds: Double {
    let (seconds, attoseconds) = components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
