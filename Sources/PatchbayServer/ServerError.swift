/// What the server cannot do, as a sentence for the person.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case pathTooLong(path: String, bytes: Int, limit: Int)
  case noFolder(path: String, folder: String)
  case folderNotWritable(path: String, folder: String)
  case notASocket(path: String)
  case otherConsole(path: String)
  case socket(path: String, action: String, reason: String)
  case notHeld(id: Int64)
  case notHeldThere(id: Int64, phase: String)
  case noSuchLink
  case notRunning
  case badFault(String)
  case badRequest(String)
  case noConsole(folder: String)
  case severalConsoles([String])
  case noControl(path: String)
  case controlLost(path: String)
  /// It is there and says nothing.
  case noAnswer(path: String)
  /// Whoever listens there is not who we are.
  case otherUser(path: String)
  /// The console refused what a controller asked for; its sentence.
  case refused(String)

  package var description: String {
    switch self {
    case .pathTooLong(let path, let bytes, let limit):
      """
      The socket path \(path) has \(bytes) bytes and the system allows \(limit): choose a shorter one with --socket.
      """
    case .noFolder(let path, let folder):
      "The socket \(path) cannot be made because there is no folder \(folder): make it, or choose another --socket."
    case .folderNotWritable(let path, let folder):
      """
      The socket \(path) cannot be made because you may not write to the folder \(folder): \
      choose a --socket in a folder of yours.
      """
    case .notASocket(let path):
      "\(path) exists and is not a socket: remove it, or choose another --socket."
    case .otherConsole(let path):
      "Another console is already listening on \(path): use that one, end it, or choose another --socket."
    case .socket(let path, let action, let reason):
      "The socket \(path) cannot be \(action) (\(reason)): choose another --socket."
    case .notHeld(let id):
      "Exchange \(id) is not held: see `patchbay hold list` for those that are."
    case .notHeldThere(let id, let phase):
      "Exchange \(id) is held at its \(phase), so a decision for the other side does not fit: look at it again."
    case .noSuchLink:
      "That process is no longer linked: choose one that is."
    case .notRunning:
      "The console's server is not running: start it first."
    case .badFault(let name):
      "There is no fault named “\(name)”: use a URLError code such as timedOut, or a name from the fault menu."
    case .badRequest(let reason):
      reason
    case .noConsole(let folder):
      "No console is running in \(folder): start `patchbay`, or name its socket with --socket."
    case .severalConsoles(let paths):
      "Several consoles are running (\(paths.joined(separator: ", "))): name one with --socket."
    case .noControl(let path):
      "No console answers on \(path): start `patchbay`, or name the socket of one that runs with --socket."
    case .controlLost(let path):
      "The console on \(path) went away before it answered: look whether it still runs, and try again."
    case .noAnswer(let path):
      "The console on \(path) does not answer: it may be suspended (ctrl-z; `fg` has it go on), or very busy."
    case .otherUser(let path):
      "The console on \(path) belongs to another user: name one of yours with --socket, or take it with --trust-peer."
    case .refused(let sentence):
      sentence
    }
  }
}
