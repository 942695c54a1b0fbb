import Foundation
import PatchbayLaunch
import PatchbayServer
import Synchronization

/// The command of `run`: found, checked, started with the hook, and what is to be said of it at its end.
final class HookedCommand: Sendable {
  let words: [String]
  private let check: ExecutableCheck
  private let environment: ChildEnvironment
  private let notes: LaunchNotes
  private let hasLinked = Atomic(false)

  /// Finds the command and the hook's libraries.
  ///
  /// - Throws: `LaunchError` with the exit status to end with.
  init(words: [String], socket: String, folders: PrivateFolders) throws(LaunchError) {
    self.words = words
    let libraries = try HookLibraries.find()
    let base = ChildEnvironment.current()
    notes = try LaunchNotes(folders: folders)
    environment = try libraries.environment(base, socket: socket, notes: notes.path, folders: folders)
    check = try ExecutableCheck(
      command: words.first ?? "", environment: environment, runtime: libraries.runtime(environment: base))
  }

  /// Sentences about why it may not be hooked.
  var cautions: [String] { check.cautions.map(\.description) }

  /// As they were given, which need not be UTF-8.
  private var arguments: [ByteString] {
    let given = ByteString.lastArguments(words.count)
    return given.map(\.description) == words ? given : words.map { ByteString($0) }
  }

  func watch(_ fan: EventFan) {
    fan.add { [self] event in
      if case .linked = event { hasLinked.store(true, ordering: .relaxed) }
    }
  }

  func start(
    streams: CommandLaunch.Streams, queue: DispatchQueue, events: @escaping @Sendable (CommandEvent) -> Void
  ) throws(LaunchError) -> PatchbayLaunch.Command {
    let launch = CommandLaunch(
      path: check.path, arguments: arguments, environment: environment, streams: streams)
    return try PatchbayLaunch.Command.start(launch, queue: queue, events: events)
  }

  /// Takes away what was left for the hook; nothing is known of it afterwards.
  func forget() { notes.remove() }

  /// Why nothing linked, where nothing did; nil where something did.
  var silence: String? {
    guard !hasLinked.load(ordering: .relaxed) else { return nil }
    let name = words.first ?? "The command"
    if let note = notes.read().first {
      switch note.reason {
      case .differentRuntime:
        return "The hook stayed out of \(note.name) (\(note.process)) because it runs on another Swift runtime "
          + "(\(note.detail)): build patchbay and the program with the same toolchain."
      case .notLoaded, .notAHook, .noHook:
        return "The hook could not be loaded into \(note.name) (\(note.process)): \(note.detail)."
      }
    }
    if check.kind == .swift(networking: false) {
      return "\(name) made no URLSession: it does not load FoundationNetworking. AsyncHTTPClient, libcurl and other "
        + "clients are invisible to Patchbay."
    }
    return "Nothing linked: \(name) made no URLSession. AsyncHTTPClient, libcurl and programs that are not Swift are "
      + "invisible to Patchbay."
  }
}
