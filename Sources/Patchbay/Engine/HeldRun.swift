import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A run that waits for a verdict, which may come from any thread, once.
final class HeldRun: @unchecked Sendable {  // The run is only touched on its work queue.
  private let run: RequestRun
  /// Where it waits for its turn when it goes on to the network.
  private let place: Place?
  private let act: (RequestRun, Verdict.Decision?) -> Void
  private var isDone = false

  private struct Place {
    let line: ReleaseLine
    let host: String
    /// How many may be under way to it at once.
    let connections: Int

    init(in line: ReleaseLine, for run: RequestRun) {
      self.line = line
      let url = run.current.request.url
      host = "\(url?.host ?? ""):\(url?.port ?? 0)"
      connections = run.session?.configuration.httpMaximumConnectionsPerHost ?? 6
    }
  }

  init(_ run: RequestRun, _ line: ReleaseLine?, _ act: @escaping (RequestRun, Verdict.Decision?) -> Void) {
    self.run = run
    self.act = act
    place = line.map { Place(in: $0, for: run) }
  }

  func resume(_ decision: Verdict.Decision?) {
    guard let place, case .continue? = decision else { return goOn(decision, nil) {} }
    place.line.enter(host: place.host, connections: place.connections) { [self] pass, done in
      goOn(decision, pass, done)
    }
  }

  private func goOn(_ decision: Verdict.Decision?, _ pass: ReleaseLine.Pass?, _ done: @escaping @Sendable () -> Void) {
    guard let queue = run.queue else { return done() }
    queue.async { [self] in
      var isSent = false
      defer {
        // On a connection of its own the next one could overtake it.
        if isSent {
          HookQueue.shared.asyncAfter(deadline: .now() + .milliseconds(2), execute: done)
        } else {
          done()
        }
      }
      guard !isDone, case .held = run.stage else { return }
      isDone = true
      run.recorder.held(.released)
      let proceed = { [run, act] in
        run.stage = .idle
        act(run, decision)
      }
      // A task that the program has suspended goes on when the program resumes it.
      guard run.task.state != .suspended else {
        run.stage = .waiting(then: proceed)
        return
      }
      proceed()
      switch run.stage {
      case .native, .detached:
        run.pass = pass
        isSent = true
      default: break
      }
    }
  }
}
