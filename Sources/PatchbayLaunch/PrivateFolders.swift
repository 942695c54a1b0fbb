import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where Patchbay keeps what is the user's own: sockets, the history, the configuration. The places follow the XDG Base
/// Directory Specification; folders that are made here have mode 0700.
public struct PrivateFolders: Sendable {
  private let runtimeHome: String?
  private let stateHome: String
  private let configHome: String
  let temporary: String
  let user: uid_t

  /// - Parameters:
  ///   - environment: values of `XDG_RUNTIME_DIR`, `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`; a value that is not
  ///     an absolute path counts as absent, as the specification says.
  public init(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
    self.init(environment: environment, temporary: "/tmp", user: geteuid())
  }

  init(environment: (String) -> String?, temporary: String, user: uid_t) {
    func absolute(_ name: String) -> String? {
      guard let value = environment(name), value.hasPrefix("/") else { return nil }
      return Path.withoutTrailingSlash(value)
    }
    let home = Path.home(named: environment("HOME"), user: user)
    runtimeHome = absolute("XDG_RUNTIME_DIR")
    stateHome = absolute("XDG_STATE_HOME") ?? Path.join(home, ".local/state")
    configHome = absolute("XDG_CONFIG_HOME") ?? Path.join(home, ".config")
    self.temporary = temporary
    self.user = user
  }

  /// The folder of the sockets: `$XDG_RUNTIME_DIR/patchbay`, or `/tmp/patchbay-UID` if there is no such folder of this
  /// user's. Made if need be; it is a folder (not a link), ours, and nobody else's to look into.
  public func runtime() throws(LaunchError) -> String {
    guard let home = usableRuntimeHome() else { return try sharedRuntime() }
    return try Self.own(Path.join(home, "patchbay"), user: user)
  }

  /// The socket on which `listen` waits and which a hook looks for by itself.
  public func defaultSocket() throws(LaunchError) -> String {
    try SocketPath.checked(Path.join(try runtime(), "default.sock"))
  }

  /// A socket of one console's own, named after its process: `run-PID.sock`, `demo-PID.sock`.
  public func privateSocket(for purpose: String = "run", process: pid_t = getpid()) throws(LaunchError) -> String {
    try SocketPath.checked(Path.join(try runtime(), "\(purpose)-\(process).sock"))
  }

  /// For bodies that the system's viewer shows: `bodies-PID` beside the sockets, made if need be. It stays when the console
  /// ends, since a viewer may read late; the next console takes it away.
  public func bodies(process: pid_t = getpid()) throws(LaunchError) -> String {
    try Self.own(Path.join(try runtime(), "bodies-\(process)"), user: user)
  }

  /// `$XDG_STATE_HOME/patchbay`, made if need be.
  public func state() throws(LaunchError) -> String {
    let folder = Path.join(stateHome, "patchbay")
    try Self.makeAll(folder)
    return folder
  }

  /// `$XDG_STATE_HOME/patchbay/history.sqlite`; its folder is made if need be.
  public func history() throws(LaunchError) -> String {
    Path.join(try state(), "history.sqlite")
  }

  /// `$XDG_CONFIG_HOME/patchbay`. It is the user's to make.
  public var config: String {
    Path.join(configHome, "patchbay")
  }

  /// A runtime folder whose path `LD_PRELOAD` can name: without spaces, colons and `$`.
  func plainRuntime() throws(LaunchError) -> String {
    let folder = try runtime()
    return HookLibraries.canBePreloaded(folder) ? folder : try sharedRuntime()
  }

  private func sharedRuntime() throws(LaunchError) -> String {
    try Self.own(Path.join(temporary, "patchbay-\(user)"), user: user)
  }

  /// A folder that another user left in the environment (`su`, `sudo`) or that is gone is as good as none.
  private func usableRuntimeHome() -> String? {
    guard let runtimeHome, let status = Path.status(runtimeHome, following: true), status.isFolder,
      status.owner == user
    else { return nil }
    return runtimeHome
  }
}

extension PrivateFolders {
  /// The folder at `path`, made with mode 0700 if it is not there. One that was there must be `user`'s own folder; what
  /// others may do in it is taken away.
  static func own(_ path: String, user: uid_t) throws(LaunchError) -> String {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .system("make the folder \(path) for the sockets", errno, way: runtimeWay)
    }
    guard let status = Path.status(path, following: false) else {
      throw .system("look at the folder \(path)", errno)
    }
    guard status.isFolder else {
      throw LaunchError("\(path) is not a folder; remove it, for the sockets are to lie there")
    }
    guard status.owner == user else {
      throw LaunchError(
        "\(path) belongs to user \(status.owner), not to us (\(user)); remove it, or set XDG_RUNTIME_DIR to a folder of your own"
      )
    }
    if status.permissions & 0o077 != 0 || status.permissions & 0o700 != 0o700 {
      guard chmod(path, 0o700) == 0 else { throw .system("keep others out of the folder \(path)", errno) }
    }
    guard access(path, W_OK | X_OK) == 0 else { throw .system("write to the folder \(path)", errno, way: runtimeWay) }
    return path
  }

  private static let runtimeWay = "set XDG_RUNTIME_DIR to a folder of your own in which you may write"
  private static let stateWay = "set XDG_STATE_HOME to a folder in which you may write"

  /// Makes `path` and the folders above it that are missing, with mode 0700.
  private static func makeAll(_ path: String) throws(LaunchError) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST:
      guard Path.status(path, following: true)?.isFolder == true else {
        throw LaunchError("\(path) is not a folder; remove it or set XDG_STATE_HOME")
      }
    case ENOENT where path != "/" && path != ".":
      try makeAll(Path.folder(of: path))
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("make the folder \(path)", errno, way: stateWay) }
    default:
      throw .system("make the folder \(path)", errno, way: stateWay)
    }
  }
}

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
