/// What is known when the console starts and does not change.
public struct ConsoleSetup: Sendable, Equatable {
  /// How the console was started: it decides what the empty screens say.
  public enum Mode: Sendable, Equatable {
    case run(command: String)
    case listen
    case demo
  }

  public var mode: Mode
  /// The harness socket's path.
  public var socket: String
  /// Seconds east of UTC.
  public var utcOffset: Int
  /// The filter to begin with.
  public var filter: String

  public init(mode: Mode = .listen, socket: String = "", utcOffset: Int = 0, filter: String = "") {
    self.mode = mode
    self.socket = socket
    self.utcOffset = utcOffset
    self.filter = filter
  }
}
