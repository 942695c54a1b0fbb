import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
  static func makeAll(_ path: String) throws(LaunchError) {
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
