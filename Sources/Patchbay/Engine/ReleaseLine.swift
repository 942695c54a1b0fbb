import Dispatch
import Synchronization

/// Held requests that go on to one host do so one after another, in the order in which the person let them go: never
/// more at once than there are connections to it, for what waits for a connection gets one in no order.
final class ReleaseLine: Sendable {
  static let shared = ReleaseLine()

  /// Where a request has gone on; let go of when it has ended.
  final class Pass: Sendable {
    private let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
  }

  /// Lets one request go on, on whatever queue it likes, and calls back when that is done.
  typealias Step = @Sendable (Pass, _ done: @escaping @Sendable () -> Void) -> Void

  private struct Line {
    var waiting: [Step] = []
    /// How many have gone on and not ended.
    var open = 0
    var isStarting = false
    /// Rises with each that goes on or ends.
    var moves = 0
  }

  private let lines = Mutex<[String: Line]>([:])
  private let patience: Double

  /// - Parameter patience: So many seconds after the last one moved, the next goes on whatever the others do.
  init(patience: Double = 0.5) { self.patience = patience }

  /// - Parameter connections: How many may be under way at once.
  func enter(host: String, connections: Int, _ step: @escaping Step) {
    lines.withLock { $0[host, default: Line()].waiting.append(step) }
    advance(host, connections)
  }

  private func advance(_ host: String, _ connections: Int, isImpatient: Bool = false) {
    let next: (step: Step?, moves: Int)? = lines.withLock { lines in
      guard var line = lines[host], !line.isStarting else { return nil }
      guard let step = line.waiting.first else {
        if line.open == 0 { lines[host] = nil }
        return nil
      }
      guard line.open < max(1, connections) || isImpatient else { return (nil, line.moves) }
      line.waiting.removeFirst()
      line.open += 1
      line.moves += 1
      line.isStarting = true
      lines[host] = line
      return (step, line.moves)
    }
    guard let next else { return }
    guard let step = next.step else { return wait(host, connections, next.moves) }
    let pass = Pass { [self] in
      lines.withLock { lines in
        lines[host]?.open -= 1
        lines[host]?.moves += 1
      }
      advance(host, connections)
    }
    step(pass) { [self] in
      lines.withLock { $0[host]?.isStarting = false }
      advance(host, connections)
    }
  }

  /// One that never ends, and one that has a connection of its own, keep nobody back for long.
  private func wait(_ host: String, _ connections: Int, _ moves: Int) {
    HookQueue.shared.asyncAfter(deadline: .now() + patience) { [self] in
      guard lines.withLock({ $0[host]?.moves == moves }) else { return }
      advance(host, connections, isImpatient: true)
    }
  }
}
