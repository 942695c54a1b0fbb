import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

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
    let releases: ReleaseQueue
    let host: String
    /// How many may be under way to it at once.
    let connections: Int

    init(in releases: ReleaseQueue, for run: RequestRun) {
      self.releases = releases
      let url = run.current.request.url
      host = "\(url?.host ?? ""):\(url?.port ?? 0)"
      connections = run.session?.configuration.httpMaximumConnectionsPerHost ?? 6
    }
  }

  init(_ run: RequestRun, _ releases: ReleaseQueue?, _ act: @escaping (RequestRun, Verdict.Decision?) -> Void) {
    self.run = run
    self.act = act
    place = releases.map { Place(in: $0, for: run) }
  }

  func resume(_ decision: Verdict.Decision?) {
    guard let place, case .continue? = decision else { return goOn(decision, nil) {} }
    place.releases.enter(host: place.host, connections: place.connections) { [self] pass, done in
      goOn(decision, pass, done)
    }
  }

  private func goOn(_ decision: Verdict.Decision?, _ pass: ReleaseQueue.Pass?, _ done: @escaping @Sendable () -> Void) {
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

/// Held requests that go on to one host do so one after another, in the order in which the person let them go: never
/// more at once than there are connections to it, for what waits for a connection gets one in no order.
final class ReleaseQueue: Sendable {
  static let shared = ReleaseQueue()

  /// Where a request has gone on; let go of when it has ended.
  final class Pass: Sendable {
    private let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
  }

  /// Lets one request go on, on whatever queue it likes, and calls back when that is done.
  typealias Step = @Sendable (Pass, _ done: @escaping @Sendable () -> Void) -> Void

  private struct Host {
    var waiting: [Step] = []
    /// How many have gone on and not ended.
    var open = 0
    var isStarting = false
    /// Rises with each that goes on or ends.
    var moves = 0
  }

  private let hosts = Mutex<[String: Host]>([:])
  private let patience: Double

  /// - Parameter patience: So many seconds after the last one moved, the next goes on whatever the others do.
  init(patience: Double = 0.5) { self.patience = patience }

  /// - Parameter connections: How many may be under way at once.
  func enter(host: String, connections: Int, _ step: @escaping Step) {
    hosts.withLock { $0[host, default: Host()].waiting.append(step) }
    advance(host, connections)
  }

  private func advance(_ host: String, _ connections: Int, isImpatient: Bool = false) {
    let next: (step: Step?, moves: Int)? = hosts.withLock { hosts in
      guard var line = hosts[host], !line.isStarting else { return nil }
      guard let step = line.waiting.first else {
        if line.open == 0 { hosts[host] = nil }
        return nil
      }
      guard line.open < max(1, connections) || isImpatient else { return (nil, line.moves) }
      line.waiting.removeFirst()
      line.open += 1
      line.moves += 1
      line.isStarting = true
      hosts[host] = line
      return (step, line.moves)
    }
    guard let next else { return }
    guard let step = next.step else { return wait(host, connections, next.moves) }
    let pass = Pass { [self] in
      hosts.withLock { hosts in
        hosts[host]?.open -= 1
        hosts[host]?.moves += 1
      }
      advance(host, connections)
    }
    step(pass) { [self] in
      hosts.withLock { $0[host]?.isStarting = false }
      advance(host, connections)
    }
  }

  /// A request that never ends, or that has a connection of its own, holds the others up for at most `patience`.
  private func wait(_ host: String, _ connections: Int, _ moves: Int) {
    HookQueue.shared.asyncAfter(deadline: .now() + patience) { [self] in
      guard hosts.withLock({ $0[host]?.moves == moves }) else { return }
      advance(host, connections, isImpatient: true)
    }
  }
}
