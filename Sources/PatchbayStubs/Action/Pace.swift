/// How long an answer waits before it begins.
public enum Delay: Hashable, Sendable {
  case fixed(Duration)
  /// A time between the two, drawn anew for each request.
  case random(from: Duration, to: Duration)
}

/// How fast a body is handed over.
public enum Pace: Hashable, Sendable {
  /// At most that many bytes a second.
  case throttle(bytesPerSecond: Int)
  /// In that many pieces of about the same size, spread evenly over the time.
  case dribble(pieces: Int, over: Duration)
}
