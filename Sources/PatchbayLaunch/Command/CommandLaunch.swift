import CLaunch

/// What to start.
public struct CommandLaunch: Sendable {
  /// Where the command's standard streams lead.
  public enum Streams: Sendable, Hashable {
    /// To where ours lead, in our own group: the terminal's Ctrl-C reaches the command as it would without us.
    case inherited
    /// Output and error to a terminal of its own, in a session of its own; input too, unless ours is to be kept (a pipe).
    case terminal(columns: Int, rows: Int, ownInput: Bool = true)
  }

  /// The file to run (`ExecutableCheck.path`).
  public var path: String
  /// All arguments; the first is the command's name as it was given.
  public var arguments: [ByteString]
  public var environment: ChildEnvironment
  public var streams: Streams

  public init(
    path: String, arguments: [ByteString], environment: ChildEnvironment = .current(), streams: Streams = .inherited
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.streams = streams
  }
}

/// What a running command does, in the order in which it happens.
public enum CommandEvent: Sendable, Hashable {
  /// Bytes that it wrote to its own terminal, at most 64 KiB.
  case output([UInt8])
  /// It has ended, and what it wrote before has been reported: its exit status, or 128 + N if signal N ended it. What it
  /// started may still be there and write on.
  case ended(status: Int32)
}

/// Makes this process transparent for signals while a command runs with our standard streams: INT, QUIT, TERM, HUP, USR1,
/// USR2, WINCH and TSTP that another process sends to us are passed on to the command; those that the terminal sends reach it by
/// itself, and we only outlive them. A signal that was ignored when we were started stays ignored for both.
///
/// There is one relay a process at a time, because handlers are the process's.
public final class SignalRelay: Sendable {
  private init() {}

  /// From now on signals wait until `follow` says for whom. nil if there is a relay already. It lasts until `end`.
  public static func begin() -> SignalRelay? {
    launch_relay_begin() == 0 ? SignalRelay() : nil
  }

  /// Passes on what came and what will come, until its id is given back.
  public func follow(_ command: Command) {
    launch_relay_to(command.processIdentifier)
  }

  /// Puts back the handlers that were there before.
  public func end() {
    launch_relay_end()
  }
}
