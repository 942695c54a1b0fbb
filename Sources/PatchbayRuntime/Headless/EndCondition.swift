@preconcurrency import Dispatch
import Foundation
import PatchbayServer
import Synchronization

/// What ends a console without a screen: a signal, the time, silence, or the end of its command.
package final class EndCondition: Sendable {
  package enum Reason: Sendable, Equatable {
    case time
    case idle
    case signal(Int32)
    case commandEnded
    /// The program that was attached to has ended, or was let go of.
    case programGone
  }

  private struct Waiting {
    var reason: Reason?
    var continuation: CheckedContinuation<Reason, Never>?
    var sources: [any DispatchSourceProtocol] = []
  }

  private let queue = DispatchQueue(label: "patchbay.end")
  private let waiting = Mutex(Waiting())

  package init() {}

  /// Ends when one of these signals comes. Returns when the sources are in force: what comes before that is lost.
  package func watch(signals: [Int32]) {
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

  /// Ends when no exchange has been under way for that long.
  ///
  /// - Parameter countsFromLink: begins to count when the first program links, and not at once.
  func end(idle duration: Duration, on events: EventBroadcaster, countsFromLink: Bool) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.end(.idle) }
    source.schedule(deadline: countsFromLink ? .distantFuture : .now() + duration.dispatchInterval)
    let open = Mutex<Set<Int64>>([])
    events.subscribe { events in
      let isQuiet = open.withLock { open -> Bool? in
        var hasNews = false
        for event in events {
          switch event {
          case .linked: hasNews = true
          case .exchanges(let exchanges):
            hasNews = true
            for exchange in exchanges {
              if exchange.phase == .ended { open.remove(exchange.id) } else { open.insert(exchange.id) }
            }
          default: break
          }
        }
        return hasNews ? open.isEmpty : nil
      }
      guard let isQuiet else { return }
      source.schedule(deadline: isQuiet ? .now() + duration.dispatchInterval : .distantFuture)
    }
    keep(source)
  }

  package func end(_ reason: Reason) {
    let continuation = waiting.withLock { waiting in
      if waiting.reason == nil { waiting.reason = reason }
      defer { waiting.continuation = nil }
      return waiting.continuation
    }
    continuation?.resume(returning: reason)
  }

  /// Returns the first reason, at once if there was one already.
  package func wait() async -> Reason {
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
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return Int64(clamping: seconds.multipliedReportingOverflow(by: 1_000_000).partialValue) + attoseconds
      / 1_000_000_000_000
  }

  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(
      Int(clamping: seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue)
        + Int(attoseconds / 1_000_000_000))
  }
}
