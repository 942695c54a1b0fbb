import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds a command as env(1) and the shells do (POSIX, execvp): a name with a slash is a path, any other is looked for in
/// PATH, where an empty entry is the working directory.
enum CommandSearch {
  static func find(_ command: String, searchPath: String?) throws(LaunchError) -> String {
    guard !command.isEmpty else {
      throw LaunchError("the command's name is empty; give one after --", exitStatus: 127)
    }
    if command.contains("/") {
      try check(command)
      return command
    }
    var refused: LaunchError?
    for folder in (searchPath ?? "/bin:/usr/bin").split(separator: ":", omittingEmptySubsequences: false) {
      let candidate = Path.join(folder.isEmpty ? "." : String(folder), command)
      guard let status = Path.status(candidate, following: true), !status.isFolder else { continue }
      do {
        try check(candidate)
        return candidate
      } catch { refused = refused ?? error }
    }
    if let refused { throw refused }
    throw LaunchError(
      "there is no command \(command) in PATH; give its path (./\(command)) if it is elsewhere", exitStatus: 127)
  }

  private static func check(_ path: String) throws(LaunchError) {
    guard let status = Path.status(path, following: true) else {
      let code = errno
      guard code == ENOENT || code == ENOTDIR else {
        throw .system("look at \(path)", code, exitStatus: 126)
      }
      throw LaunchError(
        "there is no file \(path); check the path of the command", exitStatus: code == ENOENT ? 127 : 126)
    }
    if status.isFolder { throw LaunchError("\(path) is a folder; give the program in it", exitStatus: 126) }
    guard status.isFile else {
      throw LaunchError("\(path) is a device, a pipe or a socket; give a program", exitStatus: 126)
    }
    guard access(path, X_OK) == 0 else {
      throw LaunchError("\(path) may not be executed; chmod +x it, or name its interpreter first", exitStatus: 126)
    }
  }
}
