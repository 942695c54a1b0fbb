/// What went wrong with a program in a pseudo terminal, with the screen as it was.
public enum PtyError: Error, CustomStringConvertible {
  case cannotStart(String, errno: Int32)
  case timedOut(waitingFor: String, screen: String)
  case ended(ExitStatus, waitingFor: String, screen: String)
  case unknownKey(String)

  public var description: String {
    switch self {
    case .cannotStart(let path, let errno): "cannot start \(path) in a pty: error \(errno)"
    case .timedOut(let what, let screen): "waited in vain for \(what); the screen:\n\(screen)"
    case .ended(let status, let what, let screen): "ended (\(status)) while \(what) was awaited; the screen:\n\(screen)"
    case .unknownKey(let name): "no key is called \(name)"
    }
  }
}
