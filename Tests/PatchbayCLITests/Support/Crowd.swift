import Synchronization
import Testing

/// Lets only a few tests of whole programs run at a time, so that each has a share of the machine.
struct Crowd: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Seats.shared.take()
    defer { Seats.shared.give() }
    try await function()
  }
}

extension Trait where Self == Crowd {
  static var crowd: Self { Crowd() }
}

/// A semaphore that suspends and does not block.
private final class Seats: Sendable {
  static let shared = Seats(6)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  func take() async {
    await withCheckedContinuation { continuation in
      let mayGo = state.withLock { state in
        if state.free == 0 { state.waiting.append(continuation) }
        defer { state.free = max(0, state.free - 1) }
        return state.free > 0
      }
      if mayGo { continuation.resume() }
    }
  }

  func give() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
