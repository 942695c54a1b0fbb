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
