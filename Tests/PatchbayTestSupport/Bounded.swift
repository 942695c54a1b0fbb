import Foundation
import Synchronization
import Testing

/// Gives each test (each case of one with arguments) a limit of time that holds even when the test blocks its thread.
///
/// `.timeLimit` of Swift Testing only cancels the test's task, so a test that waits on a semaphore or in a system call
/// hangs the whole run for ever. Here a thread of its own watches: at the limit the task is cancelled and the test
/// fails; a test that has not ended ``grace`` later ends the process with status 1, after the test was named on the
/// standard error, with what all threads of this process and of its children wait in, and the children were killed.
///
/// It also gives each test one of the ``Seats``, and threads of its own. The clock starts when it has a seat. A test's own
/// `.bounded(seconds)` counts instead of its suite's.
package struct Bounded: SuiteTrait, TestTrait, TestScoping {
  let limit: Duration

  package var isRecursive: Bool { true }

  /// How long a cancelled test may take to end.
  static let grace: Duration = .seconds(5)

  /// Set inside the scope of the outermost of a test's limits, which has looked for the innermost already.
  @TaskLocal private static var isWatched = false

  /// How long it may take where nothing else wants the processors; nil for a test of a suite without a limit.
  static func limit(of test: Test) -> Duration? {
    test.traits.compactMap { $0 as? Bounded }.last?.limit
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil, !Self.isWatched else { return try await function() }
    let limit = Self.limit(of: test) ?? self.limit
    // Cases of one test share what stands in it, such as the types that it names.
    let cases = Seats.cases(of: "\(test.id)")
    await cases.take()
    defer { cases.give() }
    let seats = await Seats.tests.take(for: test)
    defer { Seats.tests.give(seats) }
    try await withoutActuallyEscaping(function) { function in
      try await Self.$isWatched.withValue(true) {
        let task = Task(executorPreference: TestThreads.shared) { try await function() }
        let place = "\(test.displayName ?? test.name) (\(test.sourceLocation.fileID):\(test.sourceLocation.line))"
        let watch = Watchdog.shared.begin(place, limit: limit) { task.cancel() }
        let began = ContinuousClock.now
        defer {
          TestTimes.note(began.duration(to: .now), place, isAlone: seats > 1)
          if let limit = Watchdog.shared.end(watch) {
            Issue.record("It took longer than its limit of \(limit).", sourceLocation: test.sourceLocation)
          }
        }
        try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          task.cancel()
        }
      }
    }
  }
}

extension Trait where Self == Bounded {
  /// The limit that serves nearly every test: a minute.
  package static var bounded: Self { .bounded(60) }

  /// For a test that is known to take longer, or that must be quicker.
  package static func bounded(_ seconds: Int) -> Self { Bounded(limit: .seconds(seconds)) }
}

/// How long each test had its seat: what the test library tells includes the wait for one. Appended to the file that
/// `PATCHBAY_TEST_TIMES` names, a line a test: seconds, whether it was alone, its name.
private enum TestTimes {
  private static let file = ProcessInfo.processInfo.environment["PATCHBAY_TEST_TIMES"].map {
    open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
  }

  static func note(_ time: Duration, _ place: String, isAlone: Bool) {
    guard let file else { return }
    let line = Array("\(time / .seconds(1)) \(isAlone ? "alone" : "-") \(place)\n".utf8)
    _ = write(file, line, line.count)
  }
}

/// The thread that looks twice a second whether a test is past its limit.
private final class Watchdog: Sendable {
  static let shared = Watchdog()

  private struct Watch {
    var place: String
    var began: ContinuousClock.Instant
    var limit: PatientLimit
    var cancel: @Sendable () -> Void
    var isCancelled = false
  }

  private struct State {
    var watches: [Int: Watch] = [:]
    var last = 0
  }

  private let state = Mutex(State())
  /// Standard error as it was at the start: a test that reads what is written there may be the one that hangs.
  private let standardError = FileHandle(fileDescriptor: fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))

  private init() {
    Leftovers.watch()
    Patience.look()
    Thread.detachNewThread { [self] in
      while true {
        usleep(500_000)
        Patience.look()
        look()
      }
    }
  }

  func begin(_ place: String, limit: Duration, cancel: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.last += 1
      state.watches[state.last] = Watch(place: place, began: .now, limit: PatientLimit(limit), cancel: cancel)
      return state.last
    }
  }

  /// The limit that the test had passed; nil where it had not.
  func end(_ number: Int) -> Duration? {
    let watch = state.withLock { $0.watches.removeValue(forKey: number) }
    return watch?.isCancelled == true ? watch?.limit.now : nil
  }

  private func look() {
    let (now, factor) = (ContinuousClock.now, Patience.factor)
    let (late, hung) = state.withLock { state -> ([Watch], [Watch]) in
      var late: [Watch] = []
      for (number, var watch) in state.watches where !watch.isCancelled {
        watch.limit.see(factor)
        watch.isCancelled = watch.began.duration(to: now) > watch.limit.now
        if watch.isCancelled { late.append(watch) }
        state.watches[number] = watch
      }
      return (late, state.watches.values.filter { $0.began.duration(to: now) > $0.limit.now + Bounded.grace })
    }
    // What a task does when it is cancelled may block for ever, as Foundation's does where its queue has no thread.
    for watch in late { Thread.detachNewThread(watch.cancel) }
    guard !hung.isEmpty else { return }
    for watch in hung {
      let seconds = watch.began.duration(to: now).components.seconds
      let text = "\(watch.place) hangs: \(seconds) s, its limit was \(watch.limit.now); the run ends here\n"
      standardError.write(Data(text.utf8))
    }
    let descendants = Processes.descendants(of: getpid())
    for process in [getpid()] + descendants { standardError.write(Data(Processes.waits(of: process).utf8)) }
    for process in descendants { kill(process, SIGKILL) }
    _exit(1)
  }
}
