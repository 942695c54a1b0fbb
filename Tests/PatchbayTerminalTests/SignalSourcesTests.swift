import CNcurses
import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayTerminal

@MainActor private final class Told {
  var numbers: [Int32] = []
}

private struct Stop: Error {}

/// Signals are this process's, so it runs alone.
@MainActor @Suite("Signals as events", .alone, .bounded) struct SignalSourcesTests {
  private let told: Told
  private let signals: SignalSources

  init() {
    told = Told()
    signals = SignalSources()
  }

  private nonisolated func action(of number: Int32) -> Int {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  /// Numbers of signals that have come and that nobody was told of.
  private var waiting: Int32 {
    var count: Int32 = 0
    return ioctl(patchbay_signal_pipe(), UInt(FIONREAD), &count) == 0 ? count : 0
  }

  /// Sends it and comes back when it has come. Nobody is told of it meanwhile: that is done where this runs.
  private func send(_ number: Int32) {
    let before = waiting
    let limit = ContinuousClock.now + Patience.usual
    kill(getpid(), number)
    while waiting == before, ContinuousClock.now < limit { sched_yield() }
  }

  private func until(_ what: String, _ condition: () -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(told.numbers)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Listens to both; what the test's process does with them comes back afterwards.
  private func listening(_ body: () async throws -> Void) async throws {
    let before = SignalSources.noteAll()
    defer { SignalSources.restore(before) }
    try await body()
    signals.cancelAll()
  }

  @Test("those that came together are told once, in the order in which they came")
  func together() async throws {
    try await listening {
      signals.on(SIGUSR1) { [told] in told.numbers.append(SIGUSR1) }
      signals.on(SIGUSR2) { [told] in told.numbers.append(SIGUSR2) }
      for number in [SIGUSR2, SIGUSR1, SIGUSR2] { send(number) }
      try await until("both") { told.numbers.contains(SIGUSR1) }
      #expect(told.numbers == [SIGUSR2, SIGUSR1])
      send(SIGUSR2)
      try await until("the next") { told.numbers.count == 3 }
      #expect(told.numbers == [SIGUSR2, SIGUSR1, SIGUSR2])
    }
  }

  @Test("who has gone, or was replaced, is not told any more")
  func gone() async throws {
    try await listening {
      signals.on(SIGUSR1) { [told] in told.numbers.append(-1) }
      signals.on(SIGUSR2) { [told] in told.numbers.append(-2) }
      signals.cancelAll()
      signals.on(SIGUSR2) { [told] in told.numbers.append(-3) }
      signals.on(SIGUSR2) { [told] in told.numbers.append(SIGUSR2) }
      for number in [SIGUSR1, SIGUSR2] { send(number) }
      try await until("the last") { told.numbers.contains(SIGUSR2) }
      #expect(told.numbers == [SIGUSR2])
    }
  }

  @Test("while another program has the terminal what is typed is not told, and everything else is")
  func typed() async throws {
    try await listening {
      for number in [SIGINT, SIGQUIT, SIGUSR1] { signals.on(number) { [told] in told.numbers.append(number) } }
      let value = try await signals.leavingTyped {
        for number in [SIGINT, SIGQUIT, SIGUSR1] { send(number) }
        return 7
      }
      #expect(value == 7 && told.numbers == [SIGUSR1])
      do {
        try await signals.leavingTyped { () async throws -> Void in
          send(SIGINT)
          throw Stop()
        }
        Issue.record("its error is not told")
      } catch is Stop {}
      #expect(told.numbers == [SIGUSR1])
      for number in [SIGINT, SIGQUIT] { send(number) }
      try await until("what is typed") { told.numbers.count == 3 }
      #expect(told.numbers == [SIGUSR1, SIGINT, SIGQUIT])
    }
  }

  @Test("what signals did before they do again, but for those that go on doing nothing")
  func restored() {
    let all = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT, SIGUSR1, SIGUSR2]
    let own = SignalSources.noteAll()
    defer { SignalSources.restore(own) }
    let numbers = own.map { $0.signal }
    #expect(numbers == all)
    let noted = action(of: SIGUSR1)
    for number in all { signal(number, SIG_IGN) }
    let ignored = action(of: SIGUSR1)
    #expect(noted != ignored)
    let before = SignalSources.noteAll()
    for number in all { #expect(action(of: number) == noted, "\(number)") }
    SignalSources.restore(before, but: [SIGHUP, SIGTERM])
    for number in all {
      let isQuiet = number == SIGHUP || number == SIGTERM
      #expect(action(of: number) == (isQuiet ? noted : ignored), "\(number)")
    }
  }
}
