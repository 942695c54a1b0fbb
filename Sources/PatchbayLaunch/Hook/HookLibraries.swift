import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The two libraries that `run` needs: the small one that every child preloads, and the hook which that one loads.
public struct HookLibraries: Sendable {
  public static let preloadName = "libPatchbayPreload.so"
  public static let hookName = "libPatchbayHook.so"

  public let preload: String
  public let hook: String

  /// Looks beside `executable`, then in `../lib/patchbay` from there.
  ///
  /// - Parameter executable: with links followed; this process's own if nil.
  public static func find(beside executable: String? = nil) throws(LaunchError) -> HookLibraries {
    guard let executable = executable ?? Path.resolved("/proc/self/exe") else {
      throw .system("find out where patchbay lies", errno)
    }
    let folder = Path.folder(of: executable)
    let places = [folder, Path.join(Path.folder(of: folder), "lib/patchbay")]
    for place in places {
      let preload = Path.join(place, preloadName)
      let hook = Path.join(place, hookName)
      if access(preload, R_OK) == 0, access(hook, R_OK) == 0 { return HookLibraries(preload: preload, hook: hook) }
    }
    throw LaunchError(
      "\(preloadName) and \(hookName) are neither in \(places[0]) nor in \(places[1]); run swift build -c release "
        + "(without --product), or patchbay install")
  }

  public init(preload: String, hook: String) {
    self.preload = preload
    self.hook = hook
  }

  /// The Swift runtime that the hook was built for; where that is no longer there, the one that this process runs on,
  /// which was built together with the hook.
  public func runtime(environment: ChildEnvironment = .current()) -> SwiftRuntime {
    let search = LibrarySearch(libraryPath: nil)
    let own = SwiftRuntime(loadedBy: hook, search)
    guard own.libraries.isEmpty else { return own }
    return SwiftRuntime(
      loadedBy: "/proc/self/exe", LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"]))
  }

  /// What the dynamic linker takes as one path: it splits `LD_PRELOAD` at spaces and colons and expands `$`.
  static func canBePreloaded(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.utf8.contains { $0 <= 0x20 || [UInt8(ascii: ":"), UInt8(ascii: "$")].contains($0) }
  }

  /// The preload library's path, or a link to it if the path itself cannot stand in `LD_PRELOAD`.
  func preloadPath(in folders: PrivateFolders) throws(LaunchError) -> String {
    Self.canBePreloaded(preload) ? preload : try Self.link(to: preload, named: "preload", in: folders)
  }

  /// The hook's path, or a link to it if `dlopen` would expand the path: it takes `$LIB`, say, for a name of its own.
  func hookPath(in folders: PrivateFolders) throws(LaunchError) -> String {
    hook.utf8.contains(UInt8(ascii: "$")) ? try Self.link(to: hook, named: "hook", in: folders) : hook
  }

  /// The same libraries under paths that `dlopen` takes as they are.
  package func loadable(in folders: PrivateFolders) throws(LaunchError) -> HookLibraries {
    HookLibraries(preload: try preloadPath(in: folders), hook: try hookPath(in: folders))
  }

  /// A link in a runtime folder. It stays: a child that outlives us may still start others.
  private static func link(
    to library: String, named name: String, in folders: PrivateFolders
  ) throws(LaunchError) -> String {
    // One name per library (FNV-1a), so that two installations do not change each other's link.
    let hash = library.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let link = Path.join(try folders.plainRuntime(), "\(name)-\(String(hash, radix: 16)).so")
    if let status = Path.status(link, following: false), status.isLink, Path.resolved(link) == Path.resolved(library) {
      return link
    }
    let new = "\(link).\(getpid())"
    unlink(new)
    guard symlink(library, new) == 0, rename(new, link) == 0 else {
      throw .system("make the link \(link) to \(library), whose path the dynamic linker would misread", errno)
    }
    return link
  }

  /// The environment in which a command and its children are hooked.
  ///
  /// - Parameters:
  ///   - base: what the command would get without us.
  ///   - socket: the console's.
  ///   - notes: where the preload library says why it stayed out (`LaunchNotes.path`).
  ///   - unmatched: that stubs will come, and what becomes of a request that none of them takes (`pass`, `fail`, `hold`);
  ///     nil promises nothing.
  public func environment(
    _ base: ChildEnvironment = .current(), socket: String, notes: String? = nil, unmatched: String? = nil,
    folders: PrivateFolders
  ) throws(LaunchError) -> ChildEnvironment {
    var environment = base
    environment.preload(try preloadPath(in: folders))
    environment["PATCHBAY_SOCKET"] = socket
    environment["PATCHBAY_HOOK"] = try hookPath(in: folders)
    let runtime = runtime(environment: base).environmentValue
    environment["PATCHBAY_RUNTIME"] = runtime.isEmpty ? nil : runtime
    environment["PATCHBAY_NOTES"] = notes
    environment["PATCHBAY_UNMATCHED"] = unmatched
    return environment
  }
}
