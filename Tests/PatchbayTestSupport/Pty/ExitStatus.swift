/// How a process ended.
public enum ExitStatus: Hashable, Sendable {
  case exited(Int32)
  case signaled(Int32)

  /// From what `waitpid` gives.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .signaled(signal)
  }
}
