import CLaunch

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
