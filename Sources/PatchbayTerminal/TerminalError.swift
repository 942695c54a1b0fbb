/// Why there is no screen. Each is one sentence with the way out.
package enum TerminalError: Error, Hashable, CustomStringConvertible {
  /// Standard output is a file or a pipe.
  case outputIsNotATerminal
  /// Neither standard input nor `/dev/tty` can be read.
  case noKeyboard
  /// `TERM` is unset or empty.
  case typeNotSet
  /// The terminfo database has no such type.
  case unknownType(String)
  /// The type cannot place its cursor.
  case dumbType(String)
  /// ncurses refused to open it.
  case cannotOpen(String)
  /// No pipe could be made.
  case tooManyFiles
  case alreadyOpen
  /// A program such as the editor could not be started.
  case cannotRun(String, reason: String)
  /// Standard error could not be sent to a file.
  case cannotRedirect(String, reason: String)

  package var description: String {
    switch self {
    case .outputIsNotATerminal:
      "Standard output is not a terminal: start this in a terminal, or use --headless."
    case .noKeyboard:
      "There is no keyboard: neither standard input nor /dev/tty is a terminal; use --headless."
    case .typeNotSet:
      "TERM is not set: set it to the terminal's type, such as TERM=xterm-256color, or use --headless."
    case .unknownType(let type):
      "The terminal type ‘\(type)’ (TERM) is not in the terminfo database: set TERM to one that is, "
        + "such as TERM=xterm-256color, or use --headless."
    case .dumbType(let type):
      "A terminal of type ‘\(type)’ (TERM) cannot show a screen: set TERM to its real type, "
        + "such as TERM=xterm-256color, or use --headless."
    case .cannotOpen(let type):
      "ncurses cannot open the terminal of type ‘\(type)’ (TERM): try another terminal, or use --headless."
    case .tooManyFiles:
      "No more files can be opened: close some programs, raise `ulimit -n`, or use --headless."
    case .alreadyOpen:
      "The terminal is open already: close it before it is opened again."
    case .cannotRun(let program, let reason):
      "Cannot run ‘\(program)’: \(reason)."
    case .cannotRedirect(let path, let reason):
      "Cannot write messages to ‘\(path)’: \(reason)."
    }
  }
}
