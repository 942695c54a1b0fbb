import CLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A process below a command that the hook could not get into and whose requests may have reached the network, where
/// none was to.
public struct Escaped: Sendable, Hashable {
  public let process: Int32
  public let name: String
  /// Why, in a clause.
  public let reason: String

  /// Those that left a note, each once, in the order of the notes.
  ///
  /// - Parameter linked: processes that have the hook all the same, because they link the library.
  public static func all(notes: [LaunchNotes.Note], linked: Set<Int32>) -> [Escaped] {
    var files: [String: Program] = [:]
    var seen: Set<Int32> = []
    return notes.compactMap { note in
      let isElsewhere = [.clearedEnvironment, .staticExecutable, .staticRuntime].contains(note.reason)
      if isElsewhere, linked.contains(note.process) { return nil }
      guard let found = Escaped(note, &files), seen.insert(found.process).inserted else { return nil }
      return found
    }
  }

  /// One that was found running; nil for one that does not count.
  public init(_ unreached: Unreached) {
    process = unreached.process
    name = unreached.name
    switch unreached.reason {
    case .notPreloaded: reason = Self.cleared
    case .staticRuntime: reason = Self.runtime
    case .otherUser(let user): reason = "it runs with the rights of another user (\(user))"
    }
  }

  private static let cleared = "LD_PRELOAD did not reach it"
  private static let runtime = "the Swift runtime is linked into it"

  private init?(_ note: LaunchNotes.Note, _ files: inout [String: Program]) {
    process = note.process
    let file = String(note.detail.split(separator: "/").last ?? "")
    func program() -> Program {
      if let known = files[note.detail] { return known }
      let found = Program(note.detail)
      files[note.detail] = found
      return found
    }
    switch note.reason {
    case .differentRuntime: (name, reason) = (note.name, "it runs on another Swift runtime (\(note.detail))")
    case .notLoaded, .notAHook, .noHook: (name, reason) = (note.name, "the hook could not be loaded (\(note.detail))")
    case .notTaken: (name, reason) = (note.name, "a session of it does not take the hook")
    // The hook is there and has made its requests fail.
    case .fewDescriptors: return nil
    case .clearedEnvironment:
      switch program() {
      case .asks: (name, reason) = (file, Self.cleared)
      case .starts: (name, reason) = (file, "\(Self.cleared), and so not what it started")
      case .other: return nil
      }
    case .staticExecutable, .staticRuntime:
      guard program() == .asks else { return nil }
      (name, reason) = (file, Self.runtime)
    }
  }

  /// What is to be expected of a program's file.
  private enum Program {
    /// It has URLSession.
    case asks
    /// It can start other programs.
    case starts
    case other

    init(_ path: String) {
      guard let file = ElfFile(path: path) else {
        self = .starts  // A script.
        return
      }
      let asks =
        file.isSwift
        && (!LibrarySearch().images([SwiftRuntime.networking], loadedBy: path).isEmpty
          || file.hasStaticRuntime && Self.contains("FoundationNetworking", path))
      self = asks ? .asks : file.startsOthers ? .starts : .other
    }

    private static func contains(_ text: String, _ path: String) -> Bool {
      guard let bytes = FileBytes.read(path, atMost: 256 << 20) else { return false }
      return bytes.withUnsafeBytes { bytes in
        Array(text.utf8).withUnsafeBytes { wanted in
          guard let base = bytes.baseAddress, let wantedBase = wanted.baseAddress else { return false }
          return launch_find(base, bytes.count, wantedBase, wanted.count) != nil
        }
      }
    }
  }
}
