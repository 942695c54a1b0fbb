import Dispatch
import Foundation
import Synchronization
import Testing

/// How many tests run at a time, whatever the test library would do: as many as keep the processors busy while some of
/// them wait, and no more: with three for each processor a run took a tenth less, and what runs under the thread sanitizer
/// came to its limits. A test that measures takes all the seats (``Trait/alone``).
///
/// A semaphore that suspends and does not block. Tests that may take long go first, so that none of them is left over at the
/// end; those that want all seats go last, one after the other, since seats stand empty while one of them waits. Otherwise
/// who came first goes first.
package final class Seats: Sendable {
  package static let tests = Seats(2 * ProcessInfo.processInfo.activeProcessorCount + 1)

  private static let byTest = Mutex<[String: Seats]>([:])

  /// The one seat for the cases of a test with arguments, which run one after the other.
  static func cases(of test: String) -> Seats {
    byTest.withLock { all in
      if let seats = all[test] { return seats }
      let seats = Seats(1)
      all[test] = seats
      return seats
    }
  }

  private struct Waiting {
    var wanted: Int
    var limit: Duration
    var go: CheckedContinuation<Void, Never>

    func goes(before other: Waiting) -> Bool {
      wanted == other.wanted ? limit > other.limit : wanted < other.wanted
    }
  }

  private struct State {
    var free: Int
    /// Who goes next is the last: nearly four thousand tests wait at the beginning.
    var waiting: [Waiting] = []

    mutating func add(_ new: Waiting) {
      var (low, high) = (0, waiting.count)
      while low < high {
        let middle = (low + high) / 2
        if new.goes(before: waiting[middle]) { low = middle + 1 } else { high = middle }
      }
      waiting.insert(new, at: low)
    }
  }

  package let count: Int
  private let state: Mutex<State>

  package init(_ count: Int) {
    self.count = count
    state = Mutex(State(free: count))
  }

  /// Waits for as many as the test needs, and returns how many that are.
  @discardableResult package func take(for test: Test) async -> Int {
    let wanted = test.traits.contains { $0 is Alone } ? count : 1
    await take(wanted, limit: Bounded.limit(of: test) ?? .zero)
    return wanted
  }

  func take(_ wanted: Int = 1, limit: Duration = .zero) async {
    await withCheckedContinuation { go in
      settle { $0.add(Waiting(wanted: wanted, limit: limit, go: go)) }
    }
  }

  package func give(_ taken: Int = 1) {
    settle { $0.free += min(taken, count) }
  }

  private func settle(_ change: (inout State) -> Void) {
    let next = state.withLock { state in
      change(&state)
      var next: [CheckedContinuation<Void, Never>] = []
      while let waiting = state.waiting.last, waiting.wanted <= state.free {
        state.free -= waiting.wanted
        next.append(state.waiting.removeLast().go)
      }
      return next
    }
    for go in next { go.resume() }
  }
}

/// Marks a test during which no other runs: it measures time, processor or memory, or changes what belongs to the process,
/// such as a limit or the numbers of descriptors.
package struct Alone: SuiteTrait, TestTrait {
  package var isRecursive: Bool { true }
}

extension Trait where Self == Alone {
  /// For a test that measures, or changes what belongs to the process. Needs `.bounded` on the suite.
  package static var alone: Self { Alone() }
}

/// Runs tests on threads that are no others', as many as there is something to be run on. Many tests block theirs, and the
/// pools that there are start another in its place a second later: with Dispatch's one, a test that had only to go on
/// waited for 1.5 s, in which a sentence that is shown for six seconds had gone.
final class TestThreads: TaskExecutor {
  static let shared = TestThreads()

  private struct State {
    var jobs: [UnownedJob] = []
    var threads = 0
    /// Threads that wait for a job, and that nobody has woken yet.
    var idle = 0
  }

  /// A test may begin thousands of tasks at once.
  private static let most = 64

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (wakes, starts) = state.withLock { state in
      state.jobs.append(job)
      let wakes = state.idle > 0
      let starts = !wakes && state.threads < Self.most
      if wakes { state.idle -= 1 }
      if starts { state.threads += 1 }
      return (wakes, starts)
    }
    if wakes { news.signal() }
    if starts { Thread.detachNewThread { [self] in work() } }
  }

  /// Until there was nothing for two seconds: what was made for a thread, such as a run loop's descriptors, goes with it.
  private func work() {
    while true {
      let job = state.withLock { state in
        if state.jobs.isEmpty { state.idle += 1 }
        return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
      }
      if let job {
        job.runSynchronously(on: asUnownedTaskExecutor())
      } else if news.wait(timeout: .now() + 2) == .timedOut {
        let ends = state.withLock { state in
          guard state.idle > 0 else { return false }
          state.idle -= 1
          state.threads -= 1
          return true
        }
        if ends { return }
        // It has just been woken.
        news.wait()
      }
    }
  }
}
