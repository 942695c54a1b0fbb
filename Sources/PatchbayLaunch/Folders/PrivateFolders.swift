import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where Patchbay keeps what is the user's own: sockets, the history, the configuration. The places follow the XDG Base
/// Directory Specification; folders that are made here have mode 0700.
public struct PrivateFolders: Sendable {
  let runtimeHome: String?
  let stateHome: String
  let configHome: String
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
    let home = absolute("HOME") ?? Self.homeOfAccount(user) ?? "/"
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

  private static func homeOfAccount(_ user: uid_t) -> String? {
    guard let account = getpwuid(user), let home = account.pointee.pw_dir else { return nil }
    return String(cString: home)
  }
}
