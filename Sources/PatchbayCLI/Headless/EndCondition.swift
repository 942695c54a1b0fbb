@preconcurrency import Dispatch
import Foundation
import PatchbayServer
import Synchronization

/// What ends a console without a screen: a signal, the time, silence, or the end of its command.
final class EndCondition: Sendable {
  enum Reason: Sendable, Equatable {
    case time
    case idle
    case signal(Int32)
    case commandEnded
  }

  private struct Waiting {
    var reason: Reason?
    var continuation: CheckedContinuation<Reason, Never>?
    var sources: [any DispatchSourceProtocol] = []
    var lastEvent = ContinuousClock.now
  }

  private let queue = DispatchQueue(label: "patchbay.end")
  private let waiting = Mutex(Waiting())

  /// Ends when one of these signals comes. Returns when the sources are in force: what comes before that is lost.
  func watch(signals: [Int32]) {
    let registered = DispatchGroup()
    for number in signals {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in self?.end(.signal(number)) }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      keep(source)
    }
    _ = registered.wait(timeout: .now() + 1)
  }

  func end(after duration: Duration) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + duration.dispatchInterval)
    source.setEventHandler { [weak self] in self?.end(.time) }
    keep(source)
  }

  /// Ends when no exchange has begun or changed for that long, once there was one.
  func end(idle duration: Duration, on fan: EventFan) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.end(.idle) }
    fan.add { event in
      guard case .exchanges = event else { return }
      source.schedule(deadline: .now() + duration.dispatchInterval)
    }
    keep(source)
  }

  func end(_ reason: Reason) {
    let continuation = waiting.withLock { waiting in
      if waiting.reason == nil { waiting.reason = reason }
      defer { waiting.continuation = nil }
      return waiting.continuation
    }
    continuation?.resume(returning: reason)
  }

  /// Returns the first reason, at once if there was one already.
  func wait() async -> Reason {
    await withCheckedContinuation { continuation in
      let reason = waiting.withLock { waiting in
        if waiting.reason == nil { waiting.continuation = continuation }
        return waiting.reason
      }
      if let reason { continuation.resume(returning: reason) }
    }
  }

  private func keep<Source: DispatchSourceProtocol>(_ source: Source) {
    waiting.withLock { $0.sources.append(source) }
    source.activate()
  }
}

extension Duration {
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(
      Int(clamping: seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue)
        + Int(attoseconds / 1_000_000_000))
  }
}
