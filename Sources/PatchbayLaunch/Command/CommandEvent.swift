/// What a running command does, in the order in which it happens.
public enum CommandEvent: Sendable, Hashable {
  /// Bytes that it wrote to its own terminal, at most 64 KiB.
  case output([UInt8])
  /// It has ended, and what it wrote before has been reported: its exit status, or 128 + N if signal N ended it. What it
  /// started may still be there and write on.
  case ended(status: Int32)
}
