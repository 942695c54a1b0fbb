import Foundation
import PatchbayAttach
import PatchbayGrid
import PatchbayInspect
import PatchbayLaunch
import PatchbayWire

/// A running program that a console is to attend to, and how: looked at, and nothing changed yet.
package struct AttachTarget: Sendable {
  enum Way: Sendable {
    /// It is linked already; its hook finds whoever listens there.
    case linked(socket: String)
    /// Its hook is there and waits.
    case again(Rendezvous)
    /// The hook has to be brought in, or somebody began to and did not end.
    case new(Rendezvous)
  }

  let facts: TargetFacts
  let way: Way
  private let libraries: HookLibraries
  private let runtime: SwiftRuntime
  private let place: MeetingPlace?

  /// Such as `shop 4711`.
  package var title: String { facts.title }
  var process: pid_t { facts.process }

  /// - Parameter text: a number or a name.
  /// - Throws: why that program cannot be attached to, as a sentence, or which ones are meant.
  package init(_ text: String, folders: PrivateFolders) throws {
    let found = RunningPrograms.named(text)
    guard let program = found.first else { throw Self.nobody(text) }
    guard found.count == 1 else { throw Self.several(found, named: text) }
    try self.init(process: program.process, folders: folders)
  }

  package init(process: pid_t, folders: PrivateFolders) throws {
    guard let facts = TargetProcess(process).facts() else { throw Self.nobody(String(process)) }
    self.facts = facts
    libraries = try HookLibraries.find().loadable(in: folders)
    runtime = libraries.runtime()
    if let refusal = facts.refusal(TargetProcess(facts.process).rights(), hookRuntime: runtime.buildIDs) {
      throw refusal
    }
    switch facts.hooked {
    case .linked:
      let socket = TargetProcess(facts.process).linkedSocket(facts)
      if SocketProbe.isListening(socket) {
        throw AttachError(
          "\(facts.title) is linked already: it was started by patchbay run, or links Patchbay, and the console at \(socket) "
            + "shows it.")
      }
      place = nil
      way = .linked(socket: socket)
    case .attached(let state):
      let rendezvous = Rendezvous(state.rendezvous, of: facts)
      if let socket = rendezvous.console(of: facts.process) {
        throw AttachError(
          "\(facts.title) is attached to by the console at \(socket). End that one, or say: patchbay detach \(facts.process)"
        )
      }
      place = try MeetingPlace(for: facts, folders: folders)
      way = state.isWhole ? .again(rendezvous) : .new(rendezvous)
    case .no:
      let place = try MeetingPlace(for: facts, folders: folders)
      self.place = place
      way = .new(place.rendezvous)
    }
  }

  private static func nobody(_ text: String) -> AttachError {
    let able = RunningPrograms.attachable()
    let hint =
      able.isEmpty
      ? "No running program can be attached to."
      : "These can be attached to:"
    return AttachError("\(AttachError.nobody(text)) \(hint)", programs: list(able))
  }

  private static func several(_ found: [RunningProgram], named text: String) -> AttachError {
    AttachError("\(found.count) programs are called \(text). Say which by its number:", programs: list(found))
  }

  /// A row each, on one line of a terminal: a program may have been given megabytes of arguments.
  static func list(_ programs: [RunningProgram]) -> [String] {
    programs.map { truncated(SafeText.line("  " + $0.columns.joined(separator: "  ")), toWidth: rowWidth) }
  }

  private static let rowWidth = 100

  /// The socket that the console has to have so that the program finds it; nil where its usual one serves.
  package var socket: String? {
    switch way {
    case .linked(let socket): socket
    case .again, .new: place.flatMap { $0.needsOwnSocket ? $0.ownFile("console.sock") : nil }
    }
  }

  /// The program's user, where that is another one.
  package var otherUser: uid_t? { facts.user == geteuid() ? nil : facts.user }

  /// Where the program sees the console's socket.
  func socketSeen(_ socket: String) -> String {
    place.flatMap { $0.needsOwnSocket ? $0.file("console.sock") : nil } ?? socket
  }

  /// The libraries of a hook that has to be brought in, as the program sees them; copied where they have to be, which is
  /// before `open`. None where it is in the program.
  func makeLibraries() throws(AttachError) -> HookLibraries? {
    guard case .new = way else { return nil }
    // A library that is in the program already has to be the same one again.
    var seen = try place?.libraries(libraries) ?? libraries
    if let there = facts.preload {
      guard !there.hasSuffix(" (deleted)") else {
        throw AttachError(
          "\(facts.title) has the hook of another build of Patchbay in it, which did not get into all of its sessions. Start it "
            + "again with: patchbay run")
      }
      seen = HookLibraries(preload: there, hook: seen.hook)
    }
    return seen
  }

  /// Brings the hook in. Blocks for tenths of a second, on a thread of its own.
  ///
  /// - Parameters:
  ///   - libraries: those of `makeLibraries`.
  ///   - isStopped: whether it is not wanted any more, asked as long as nothing was changed.
  func bringIn(
    _ libraries: HookLibraries, _ rendezvous: Rendezvous, unless isStopped: () -> Bool
  ) throws(AttachError) -> Attachment.Report {
    try Attachment(
      facts: facts, libraries: libraries, runtime: runtime.environmentValue, rendezvous: rendezvous.path
    ).begin(unless: isStopped)
  }

  /// The socket is bound and the libraries are there: they are the program's user's from now on.
  func open() { place?.giveToUser() }

  /// - Parameter rendezvous: where the program waits for the next console; nil where it has ended.
  func close(waitingIn rendezvous: Rendezvous?) { place?.remove(waitingIn: rendezvous) }
}

extension RunningProgram {
  /// Number, start, user and command, as lists show them.
  package var columns: [String] {
    let user = getpwuid(user).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? String(user)
    let started = Timestamp(microseconds: Int64(startedAt * 1e6))
    return [String(process), LocalTime.withDate(started), user, command]
  }
}
