/// The one limit of Unix sockets that bites: `sockaddr_un` has room for a short path only, and what is longer would be
/// cut without a word.
public enum SocketPath {
  #if canImport(Darwin)
    /// The longest path in bytes (`sun_path` less its NUL).
    public static let limit = 103
  #else
    /// The longest path in bytes (`sun_path` less its NUL).
    public static let limit = 107
  #endif

  /// What is put behind a harness socket's path for the controllers' socket.
  public static let controlSuffix = ".control"

  /// `path`, if both it and its control socket's path can be bound.
  public static func checked(_ path: String) throws(LaunchError) -> String {
    let length = path.utf8.count
    let longest = limit - controlSuffix.utf8.count
    guard !path.isEmpty else { throw LaunchError("the socket's path is empty; give one with --socket PATH") }
    guard length <= limit else {
      throw LaunchError(
        "the socket's path is \(length) bytes long and the system takes \(limit): \(path); give a shorter one with --socket PATH"
      )
    }
    guard length <= longest else {
      throw LaunchError(
        "the socket's path is \(length) bytes long, which leaves no room for \(controlSuffix) behind it (\(longest) at most): "
          + "\(path); give a shorter one with --socket PATH")
    }
    return path
  }
}
