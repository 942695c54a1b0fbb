import CLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command that was found and can be started, and what is to be expected of it.
public struct ExecutableCheck: Sendable {
  /// What the file is.
  public enum Kind: Sendable, Equatable {
    /// A program that loads a Swift runtime when it starts, and with it FoundationNetworking or not.
    case swift(networking: Bool)
    /// A program of another kind; what it starts may be hooked.
    case native
    /// A text that another program runs; its programs may be hooked.
    case script
  }

  /// The file that is run.
  public let path: String
  public let kind: Kind
  /// Why the hook will stay out although the command can be started: sentences for the person.
  public let cautions: [LaunchError]

  /// Finds `command` and looks at it.
  ///
  /// - Parameters:
  ///   - command: a path, or a name that is looked for in `environment`'s PATH.
  ///   - environment: the one that the command will get (PATH, LD_LIBRARY_PATH).
  ///   - runtime: the Swift runtime that the hook needs (`HookLibraries.runtime`); nil compares nothing.
  /// - Throws: `LaunchError` with the exit status of env(1): 127 for a file that is not there, 126 for one that cannot be
  ///   executed, and for a static executable or a static Swift runtime, into which nothing can be preloaded.
  public init(command: String, environment: ChildEnvironment, runtime: SwiftRuntime?) throws(LaunchError) {
    path = try CommandSearch.find(command, searchPath: environment["PATH"])
    guard let file = ElfFile(path: path) else {
      kind = .script
      cautions = []
      return
    }
    try Self.refuseStatic(file, path)
    let search = LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"])
    let own = SwiftRuntime(loadedBy: path, search)
    let isSwift = own.library(SwiftRuntime.core) != nil
    kind = isSwift ? .swift(networking: own.library(SwiftRuntime.networking) != nil) : .native
    cautions = [Self.foreign(file, path), Self.privileged(path), Self.different(own, runtime, path)].compactMap { $0 }
  }

  private static func refuseStatic(_ file: ElfFile, _ path: String) throws(LaunchError) {
    let way = "link the library Patchbay into it and call Patchbay.attach()"
    // The dynamic linker itself, which is a way to start a program, has no interpreter either.
    if file.isLoadable, file.interpreter == nil, file.name?.hasPrefix("ld") != true {
      throw LaunchError("\(path) is a static executable, into which nothing can be preloaded; \(way)", exitStatus: 126)
    }
    if file.hasStaticRuntime {
      throw LaunchError(
        "\(path) has the Swift runtime linked into it (-static-stdlib), where the hook cannot reach it; build it without "
          + "that, or \(way)", exitStatus: 126)
    }
  }

  private static func foreign(_ file: ElfFile, _ path: String) -> LaunchError? {
    guard let ours = ElfFile(path: "/proc/self/exe"), ours.machine != file.machine || ours.is64Bit != file.is64Bit
    else {
      return nil
    }
    return LaunchError(
      "\(path) is for another processor than patchbay, so it cannot be hooked; build it for this machine")
  }

  private static func privileged(_ path: String) -> LaunchError? {
    guard let status = Path.status(path, following: true) else { return nil }
    // Such as those of servers that listen on low ports: root has them anyway.
    if geteuid() != 0, launch_has_capabilities(path) != 0 {
      return LaunchError(
        "\(path) has rights of its own (setcap), so the system keeps preloaded libraries out of it; run a copy without them, or "
          + "link the library Patchbay into it and call Patchbay.attach()")
    }
    let asAnotherUser = status.mode & S_ISUID != 0 && status.owner != geteuid()
    let asAnotherGroup = status.mode & S_ISGID != 0 && status.group != getegid()
    guard asAnotherUser || asAnotherGroup else { return nil }
    let (whose, bit) = asAnotherUser ? ("user", "set-uid") : ("group", "set-gid")
    return LaunchError(
      "\(path) runs with another \(whose)'s rights (\(bit)), so the system keeps preloaded libraries out of it; run a "
        + "copy without that, or link the library Patchbay into it and call Patchbay.attach()")
  }

  private static func different(_ own: SwiftRuntime, _ needed: SwiftRuntime?, _ path: String) -> LaunchError? {
    guard let (ours, theirs) = needed?.difference(from: own) else { return nil }
    return LaunchError(
      "\(path) loads another Swift runtime (\(theirs.path)) than the hook was built for (\(ours.path)), so the hook stays "
        + "out of it; build patchbay and the program with the same toolchain, or link the library Patchbay into the program"
    )
  }
}

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

/// Why a file that is there cannot be started: the program that is to run it is not.
enum MissingInterpreter {
  /// A clause that names the program and says what to do; nil where the file names none.
  static func reason(_ path: String) -> String? {
    if let interpreter = ElfFile(path: path)?.interpreter {
      return "its dynamic linker \(interpreter) is not there; build it for this system"
    }
    guard let interpreter = script(path) else { return nil }
    if interpreter.hasSuffix("\r") {
      return "its first line ends with a carriage return; save it with Unix line ends"
    }
    return
      "the interpreter \(interpreter) that it names in its first line is not there; install it, or correct that line"
  }

  /// What a script names in its first line, of which Linux reads 256 bytes.
  private static func script(_ path: String) -> String? {
    guard let bytes = FileBytes.read(path, atMost: 256), bytes.starts(with: Array("#!".utf8)) else { return nil }
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return words.first.map { String(decoding: $0, as: UTF8.self) }
  }
}
