import NIOCore
import Synchronization

/// Lines of a log between the connection and whoever reads them; beyond some the connection is not read.
final class LogBuffer: Sendable {
  typealias Line = ControlLog.Line

  private struct State {
    /// The newest last; what was read is cut off when it is half of them.
    var lines: [Line] = []
    var first = 0
    var waiter: CheckedContinuation<Line?, any Error>?
    var error: (any Error)?
    var isPaused = false
    var channel: (any Channel)?
  }

  private static let limit = 1_024

  private let state = Mutex(State())

  func push(_ line: Line, channel: (any Channel)?) {
    let (waiter, pauses) = state.withLock { state -> (CheckedContinuation<Line?, any Error>?, Bool) in
      if let waiter = state.waiter {
        state.waiter = nil
        return (waiter, false)
      }
      state.lines.append(line)
      guard !state.isPaused, state.lines.count - state.first >= Self.limit else { return (nil, false) }
      state.isPaused = true
      state.channel = channel
      return (nil, true)
    }
    if pauses { channel?.setOption(.autoRead, value: false).whenComplete { _ in } }
    waiter?.resume(returning: line)
  }

  func fail(_ error: any Error) {
    let waiter = state.withLock { state in
      state.error = error
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(throwing: error)
  }

  private func take() -> (line: Line?, error: (any Error)?, resumed: (any Channel)?) {
    state.withLock { state in
      guard state.first < state.lines.count else { return (nil, state.error, nil) }
      let line = state.lines[state.first]
      state.first += 1
      if state.first * 2 >= state.lines.count {
        state.lines.removeFirst(state.first)
        state.first = 0
      }
      guard state.isPaused, state.lines.count - state.first < Self.limit / 4 else { return (line, nil, nil) }
      state.isPaused = false
      return (line, nil, state.channel)
    }
  }

  func next() async throws -> Line? {
    let (line, error, resumed) = take()
    resumed?.setOption(.autoRead, value: true).whenComplete { _ in }
    if let line { return line }
    if let error { throw error }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let answer: Result<Line?, any Error>? = state.withLock { state in
          if state.first < state.lines.count {
            defer { state.first += 1 }
            return .success(state.lines[state.first])
          }
          if let error = state.error { return .failure(error) }
          if Task.isCancelled { return .success(nil) }
          state.waiter = waiter
          return nil
        }
        if let answer { waiter.resume(with: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}
