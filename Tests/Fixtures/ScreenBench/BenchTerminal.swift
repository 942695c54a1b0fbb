import Foundation
import PatchbayTestSupport
import Synchronization

/// The real binary in a pseudo terminal, read by a thread of its own that notes when each piece of output came.
final class BenchTerminal: Sendable {
  /// When a condition was awaited and when the screen first fulfilled it.
  private struct Watch: Sendable {
    var condition: @Sendable (VTScreen) -> Bool
    var fulfilled: ContinuousClock.Instant?
  }

  private struct State: Sendable {
    var screen: VTScreen
    var watch: Watch?
    var onOutput: (@Sendable (VTScreen, ContinuousClock.Instant) -> Void)?
    var firstFrame: ContinuousClock.Instant?
    var lastOutput: ContinuousClock.Instant?
    var frames = 0
  }

  /// What comes this long after what came before belongs to another frame.
  private static let pause: Duration = .milliseconds(3)

  let process: pid_t
  let started: ContinuousClock.Instant
  private let master: Int32
  private let state: Mutex<State>

  init(_ command: [String], environment: [String: String], columns: Int = 120, rows: Int = 36) throws {
    state = Mutex(State(screen: VTScreen(columns: columns, rows: rows)))
    started = .now
    let spawned = try PtySpawn(
      command, environment: PtySession.environment(environment), columns: columns, rows: rows, folder: nil,
      redirect: [:])
    master = spawned.master
    process = spawned.process
    Thread.detachNewThread { [self] in readAll() }
  }

  /// Until the first row of the screen was drawn.
  var firstFrame: Duration? { state.withLock { $0.firstFrame }.map { $0 - started } }
  var screen: VTScreen { state.withLock { $0.screen } }
  /// How many frames have been drawn.
  var frames: Int { state.withLock { $0.frames } }

  /// Called with the screen after each piece of output.
  func onOutput(_ body: (@Sendable (VTScreen, ContinuousClock.Instant) -> Void)?) {
    state.withLock { $0.onOutput = body }
  }

  /// Sends bytes and waits until the screen is as wanted; nil if it is not within two seconds.
  func time(_ bytes: [UInt8], until condition: @escaping @Sendable (VTScreen) -> Bool) -> Duration? {
    let began = state.withLock { state in
      state.watch = Watch(condition: condition)
      return ContinuousClock.now
    }
    send(bytes)
    return waitForWatch(.seconds(2)).map { $0 - began }
  }

  /// Waits until the screen is as wanted; nil if it is not in that time.
  @discardableResult
  func wait(_ limit: Duration = .seconds(20), until condition: @escaping @Sendable (VTScreen) -> Bool)
    -> ContinuousClock.Instant?
  {
    state.withLock { state in
      state.watch = Watch(condition: condition, fulfilled: condition(state.screen) ? .now : nil)
    }
    return waitForWatch(limit)
  }

  func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }

  /// Ends the program and waits for it.
  func end() {
    var status: Int32 = 0
    // Again, for it may not have been listening yet.
    repeat {
      kill(process, SIGTERM)
      usleep(50_000)
    } while waitpid(process, &status, WNOHANG) == 0
  }

  private func waitForWatch(_ limit: Duration) -> ContinuousClock.Instant? {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if let moment = state.withLock({ $0.watch?.fulfilled }) { return moment }
      usleep(200)
    }
    return nil
  }

  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var poller = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      poll(&poller, 1, -1)
      let count = read(master, &buffer, buffer.count)
      let now = ContinuousClock.now
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return }
      state.withLock { state in
        if state.lastOutput.map({ now - $0 > Self.pause }) != false { state.frames += 1 }
        state.lastOutput = now
        state.screen.feed(buffer[..<count])
        if state.firstFrame == nil, state.screen.contains("1 Requests") { state.firstFrame = now }
        if let watch = state.watch, watch.fulfilled == nil, watch.condition(state.screen) {
          state.watch?.fulfilled = now
        }
        state.onOutput?(state.screen, now)
      }
    }
  }
}
