import CLaunch
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

    /// How a command ends that we end: by SIGTERM, or by SIGKILL if that does not help.
    private static let byOurSignal = [SIGTERM, SIGKILL].map(ExitStatus.signal)

    /// Whether the command's end is not held against it: a check ended it.
    func excuses(_ status: Int32, of options: ConsoleOptions) -> Bool {
      options.hasChecks && self != .commandEnded && Self.byOurSignal.contains(status)
    }
  }

  private struct Waiting {
    var reason: Reason?
    var continuation: CheckedContinuation<Reason, Never>?
    var sources: [any DispatchSourceProtocol] = []
  }

  private let queue = DispatchQueue(label: "patchbay.end")
  private let waiting = Mutex(Waiting())

  package init() {}

  /// Ends when one of these signals comes from now on; by SIGHUP not where it was ignored when this process began, as by nohup(1).
  package func watch(signals: [Int32]) {
    let registered = DispatchGroup()
    for number in signals where number != SIGHUP || launch_inherited_ignores(SIGHUP) == 0 {
      Self.keepComing(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in self?.end(.signal(number)) }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      keep(source)
    }
    _ = registered.wait(timeout: .now() + 1)
  }

  private static let watched = Mutex<Set<Int32>>([])

  /// From now on the signal does not end this process. Dispatch listens some time after it was asked to, and on Linux what is
  /// ignored until then is lost: it is sent again until Dispatch has put its own handler there, which it does once for each.
  private static func keepComing(_ number: Int32) {
    guard watched.withLock({ $0.insert(number).inserted }) else { return }
    #if canImport(Darwin)
      signal(number, SIG_IGN)
    #else
      signal(number) { _ = kill(getpid(), $0) }
    #endif
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
    events.subscribe(.direct, watcher(idle: duration, countsFromLink: countsFromLink))
  }

  /// What is to be told of all events so that it ends when it is quiet.
  func watcher(idle duration: Duration, countsFromLink: Bool) -> EventBroadcaster.Receiver {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.end(.idle) }
    source.schedule(deadline: countsFromLink ? .distantFuture : .now() + duration.dispatchInterval)
    keep(source)
    let underWay = Mutex(ExchangesUnderWay())
    return { events in
      guard let isQuiet = underWay.withLock({ $0.received(events) }) else { return }
      source.schedule(deadline: isQuiet ? .now() + duration.dispatchInterval : .distantFuture)
    }
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

/// The exchanges that have begun and not ended.
struct ExchangesUnderWay {
  private var ids: Set<Int64> = []

  /// Whether there are none now; nil where these events are neither about exchanges nor a program that links.
  mutating func received(_ events: [ServerEvent]) -> Bool? {
    var hasNews = false
    for event in events {
      switch event {
      case .linked: hasNews = true
      case .exchanges(let exchanges):
        hasNews = true
        for exchange in exchanges {
          if exchange.phase == .ended { ids.remove(exchange.id) } else { ids.insert(exchange.id) }
        }
      default: break
      }
    }
    return hasNews ? ids.isEmpty : nil
  }
}

extension Duration {
  var microseconds: Int64 { count(perSecond: 1_000_000) }

  var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(count(perSecond: 1_000_000_000))) }

  /// In that part of a second, cut off; the largest there is where it is more than that.
  private func count(perSecond units: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let whole = seconds.multipliedReportingOverflow(by: units)
    let sum = whole.partialValue.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / units))
    guard whole.overflow || sum.overflow else { return sum.partialValue }
    return seconds < 0 ? .min : .max
  }
}
