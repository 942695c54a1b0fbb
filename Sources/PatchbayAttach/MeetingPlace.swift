import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder in which a program and a console find each other.
package struct MeetingPlace: Sendable {
  /// As the program sees it, and as we do.
  package let path: String
  package let ownPath: String
  /// What was made for this program alone, to be removed at the end. It is the program's user's soon, who may put a link in
  /// its place.
  private let made: FileIdentity?
  private let facts: TargetFacts

  /// The runtime folder where the program is the same user's and sees the same files; else a folder in its temporary one.
  package init(for facts: TargetFacts, folders: PrivateFolders) throws(AttachError) {
    self.facts = facts
    if facts.sharesFiles, facts.user == geteuid() {
      do {
        path = try folders.runtime()
      } catch {
        throw AttachError(error.description)
      }
      ownPath = path
      made = nil
      return
    }
    let target = TargetProcess(facts.process)
    for folder in ForgottenPlaces.folders where target.sharesNumbers {
      ForgottenPlaces.remove(in: target.ownPath(folder))
    }
    for folder in ForgottenPlaces.folders {
      let path = Path.join(folder, ForgottenPlaces.name(console: getpid(), program: facts.process))
      let own = target.ownPath(path)
      guard mkdir(own, 0o700) == 0 else { continue }
      guard Self.mayRun(own) else {
        rmdir(own)
        continue
      }
      self.path = path
      ownPath = own
      made = FileIdentity(path: own)
      return
    }
    throw AttachError(
      "\(facts.title) sees other files than Patchbay, and nowhere in its /tmp, /dev/shm and /var/tmp can the hook be put. Start "
        + "it there with: patchbay run")
  }

  /// ST_NOEXEC of statvfs(3), which Glibc hides without `_GNU_SOURCE`.
  private static let noexec: UInt = 8

  private static func mayRun(_ folder: String) -> Bool {
    var facts = statvfs()
    return statvfs(folder, &facts) == 0 && facts.f_flag & noexec == 0
  }

  /// The name of the link by which a program finds its console.
  static func link(of process: pid_t) -> String { "at-\(process).sock" }
  static func isLink(_ name: String) -> Bool {
    let number = name.dropFirst(3).dropLast(5)
    return pid_t(number).map(link) == name
  }
  package var rendezvous: Rendezvous { Rendezvous(file(Self.link(of: facts.process)), of: facts) }

  /// A file in it, as the program sees it.
  package func file(_ name: String) -> String { Path.join(path, name) }
  package func ownFile(_ name: String) -> String { Path.join(ownPath, name) }

  /// Whether a console's usual socket is of no use to the program.
  package var needsOwnSocket: Bool { made != nil }

  /// The folder of its own, unless something else has taken its place.
  private var folder: OpenFolder? {
    guard let made, let folder = OpenFolder(ownPath), folder.identity == made else { return nil }
    return folder
  }

  /// The libraries as the program sees them: where they are, or copies. Before `giveToUser`.
  package func libraries(_ ours: HookLibraries) throws(AttachError) -> HookLibraries {
    guard !facts.sharesFiles || facts.user != geteuid() else { return ours }
    if facts.sharesFiles, [ours.preload, ours.hook].allSatisfy(Self.isOpenToAll) { return ours }
    for library in [ours.preload, ours.hook] {
      guard let bytes = FileBytes.read(library, atMost: 1 << 28) else { throw .system("read \(library)", errno) }
      let name = Path.name(of: library)
      do throws(FileWriteError) {
        guard let folder else { throw FileWriteError(path: name, code: ENOENT) }
        try folder.make(name, of: bytes, mode: 0o755)
      } catch {
        throw AttachError(
          "\(ownFile(name)) cannot be written (\(error.reason)), so the hook cannot be put where \(facts.title) sees it."
        )
      }
    }
    return HookLibraries(preload: file(HookLibraries.preloadName), hook: file(HookLibraries.hookName))
  }

  /// Whether any user can read a file and reach it.
  static func isOpenToAll(_ path: String) -> Bool {
    guard let file = Path.status(path, following: true), file.permissions & 0o004 != 0 else { return false }
    var folder = Path.folder(of: Path.resolved(path) ?? path)
    while true {
      guard let status = Path.status(folder, following: true), status.permissions & 0o001 != 0 else { return false }
      if folder == "/" { return true }
      folder = Path.folder(of: folder)
    }
  }

  /// Gives what lies in it, and then it, to the program's user: nobody else can have put anything there before.
  package func giveToUser() {
    guard facts.user != geteuid(), let folder else { return }
    for name in folder.names { folder.give(name, to: facts.user, facts.group) }
    folder.give(to: facts.user, facts.group)
  }

  /// Takes away what a console has put there. The folder stays where the program waits in it for the next one.
  package func remove(waitingIn rendezvous: Rendezvous?) {
    guard let folder else { return }
    for name in folder.names { folder.remove(name) }
    if rendezvous?.folder != path { rmdir(ownPath) }
  }
}
