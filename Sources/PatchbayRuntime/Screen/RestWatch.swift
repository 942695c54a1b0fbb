import CWorkerMonitor
import Dispatch

/// Lets the process sleep without a wake-up when nothing has happened for a while: Dispatch's monitor of its worker
/// threads, a timer that comes every second, rests until something happens again.
@MainActor
final class RestWatch {
  private let quiet: Duration
  private let suspend: () -> Void
  private let resume: () -> Void
  private var last = ContinuousClock.now
  private var isWatching = false

  /// - Parameters:
  ///   - quiet: how long nothing must have happened.
  ///   - suspend: begins the rest.
  ///   - resume: ends it.
  init(
    after quiet: Duration = .seconds(3), suspend: @escaping () -> Void = { _ = patchbay_worker_monitor_suspend() },
    resume: @escaping () -> Void = patchbay_worker_monitor_resume
  ) {
    self.quiet = quiet
    self.suspend = suspend
    self.resume = resume
  }

  /// Something happened.
  func stir() {
    last = .now
    guard !isWatching else { return }
    isWatching = true
    resume()
    look(in: quiet)
  }

  private func look(in wait: Duration) {
    DispatchQueue.main.asyncAfter(deadline: .now() + wait.dispatchInterval) { [weak self] in
      MainActor.assumeIsolated { self?.look() }
    }
  }

  private func look() {
    let rest = quiet - (ContinuousClock.now - last)
    guard rest <= .zero else { return look(in: rest) }
    isWatching = false
    suspend()
  }
}
