#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files that only this user may read: mode 0600 whatever the umask is, replaced in one step.
public enum PrivateFile {
  /// Writes `bytes` beside `path`, then puts the file in its place: a reader sees the old one or the new one, whole.
  public static func write(_ bytes: some Collection<UInt8>, to path: String) throws(LaunchError) {
    try AtomicFile.write(Array(bytes), to: path, mode: 0o600)
  }

  /// Makes an empty file at `path`, or empties the one there, and returns a close-on-exec descriptor that appends to it.
  public static func create(_ path: String) throws(LaunchError) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("write \(path)", errno) }
    guard fchmod(file, 0o600) == 0 else {
      let code = errno
      close(file)
      throw .system("keep others out of \(path)", code)
    }
    return file
  }
}
