/// When the next frame may be shown: at most one every 16 ms, over any longer while.
///
/// What the person does is not to wait for the next frame of what comes by itself: it may take that frame's turn ahead
/// of time, and the one after it comes so much later.
struct FramePacer {
  typealias Instant = ContinuousClock.Instant

  static let interval: Duration = .milliseconds(16)
  /// Frames that may be shown now; whole at two, of which what comes by itself leaves one.
  private var credit = 2.0
  private var counted: Instant

  init(now: Instant) { counted = now }

  /// How long a frame has to wait; zero if it may be shown now.
  ///
  /// - Parameter isInput: the person did something that it shows.
  mutating func wait(isInput: Bool, now: Instant) -> Duration {
    count(now)
    let missing = (isInput ? 1 : 2) - credit
    // A rounding error is not worth a timer.
    return missing < 0.001 ? .zero : Self.interval * missing
  }

  /// A frame is shown.
  mutating func show(now: Instant) {
    count(now)
    credit = max(0, credit - 1)
  }

  private mutating func count(_ now: Instant) {
    credit = min(2, credit + max(0, (now - counted) / Self.interval))
    counted = now
  }
}
