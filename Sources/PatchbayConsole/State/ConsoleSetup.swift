/// What is known when the console starts and does not change.
package struct ConsoleSetup: Sendable, Equatable {
  /// How the console was started: it decides what the empty screens say.
  package enum Mode: Sendable, Equatable {
    case run(command: String)
    case listen
    case demo
  }

  package var mode: Mode
  /// The harness socket's path.
  package var socket: String
  /// Seconds east of UTC.
  package var utcOffset: Int
  /// The filter to begin with.
  package var filter: String

  package init(mode: Mode = .listen, socket: String = "", utcOffset: Int = 0, filter: String = "") {
    self.mode = mode
    self.socket = socket
    self.utcOffset = utcOffset
    self.filter = filter
  }
}
