import NIOCore
import PatchbayStubs
import Synchronization

/// The exchanges that end at a console, line by line, over a client that lives as long. While it is not read, the
/// connection is not read either beyond some lines, and the console sheds and counts what does not fit. One task may
/// read it.
package struct ControlLog: AsyncSequence, Sendable {
  package enum Line: Hashable, Sendable {
    /// An exchange that has ended, as the console writes it.
    case exchange(JSONValue)
    /// How many were left out because this controller was slow to read.
    case shed(Int)
  }

  let buffer: LogBuffer
  let client: ControlClient

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let log: ControlLog

    /// The next line; throws `ServerError.controlLost` when the console goes, and ends when the task is cancelled.
    package mutating func next() async throws -> Line? { try await log.buffer.next() }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: self) }
}

/// Lines of a log between the connection and the task that reads them; beyond 1,024 the connection is not read.
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

  private func popFirst() -> (line: Line?, error: (any Error)?, resumed: (any Channel)?) {
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
    let (line, error, resumed) = popFirst()
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
