import Foundation

/// What the machine's environment says of proxies, which are not for loopback.
public enum ProxySettings {
  /// Takes `http_proxy` and the like out of this process's environment, and so out of that of what it starts.
  public static func forget() { forgotten }

  private static let forgotten: Void = {
    for name in ProcessInfo.processInfo.environment.keys where name.lowercased().hasSuffix("_proxy") { unsetenv(name) }
  }()
}
