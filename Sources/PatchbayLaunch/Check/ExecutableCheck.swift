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
