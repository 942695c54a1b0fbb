import Dispatch
import Foundation
import PatchbayConsole
import PatchbayServer
import PatchbayStubs
import PatchbaySystem
import PatchbayWire
import Synchronization

/// Keeps the stubs that were changed on screen in the state folder, so that the end of the console, however it comes,
/// loses none. Each console has a file of its own, mode 0600, locked while it lives.
final class KeptStubsStore: Sendable {
  private struct State {
    var board = StubBoard()
    var draft: KeptDraft?
    var isScheduled = false
    /// Rises with each change, so that what is kept already is not written again.
    var changes = 0
    var onProblem: (@Sendable (String) -> Void)?

    /// Takes a board that is newer, or the first one. Returns whether it did: each board comes twice, before and after
    /// it is in force.
    mutating func replace(with board: StubBoard) -> Bool {
      guard board.revision > self.board.revision || changes == 0 else { return false }
      self.board = board
      return true
    }
  }

  /// What was last written, and how that went. Used on the queue only.
  private struct Writing {
    var changes = 0
    var failed = false
    var took = Duration.zero
  }

  private let folder: String
  /// The working folder and the stub files: only a console for the same ones is offered what is kept.
  private let place: String
  private let path: String
  private let lock: HeldLock
  private let state = Mutex(State())
  private let writing = Mutex(Writing())
  private let queue = DispatchQueue(label: "patchbay.kept-stubs")
  /// Boards that take longer to write are written beside what goes on.
  private static let brief = Duration.milliseconds(30)
  private static let briefBody = 2 << 20

  /// - Parameter place: what the stubs belong to.
  /// - Throws: a sentence where the folder cannot be used.
  init(folder: String, place: String) throws {
    self.folder = folder + "/stubs"
    self.place = place
    mkdir(self.folder, 0o700)
    path = "\(self.folder)/\(Self.digest(place))-\(getpid()).json"
    let file = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let reason = String(cString: strerror(errno))
      if file >= 0 { close(file) }
      throw RuntimeError("Stubs changed on screen cannot be kept in \(self.folder) (\(reason)); write them with w.")
    }
    lock = HeldLock(file)
    // Left by a console that had this process's number.
    rename(path, "\(self.folder)/\(Self.digest(place))-\(getpid())-\(Timestamp.now.microseconds).json")
  }

  /// What earlier consoles for the same place left, the newest first.
  func found() -> [KeptStubs] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let own = names.filter { $0.hasPrefix(Self.digest(place)) && $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
    return own.filter(isLeft).compactMap { file in
      if let kept = KeptStubsFile.read(file, place: place) { return kept }
      setAside(file)
      return nil
    }.sorted { $0.savedAt > $1.savedAt }
  }

  /// What cannot be read is told of once, and left for the person to look at.
  private func setAside(_ file: String) {
    let aside = file + ".unreadable"
    guard rename(file, aside) == 0 else { return }
    unlink(file + ".lock")
    state.withLock { $0.onProblem }?("The stubs that an earlier console kept cannot be read: look into \(aside).")
  }

  /// Who is told, once, when what was changed cannot be kept.
  func onProblem(_ tell: @escaping @Sendable (String) -> Void) { state.withLock { $0.onProblem = tell } }

  func received(_ event: ServerEvent) {
    guard case .board(let board, _) = event else { return }
    change { $0.replace(with: board) }
  }

  /// Called with each change before it is in force: it is kept when this returns, unless it is so large that whoever
  /// made it would wait.
  func keep(_ board: StubBoard) {
    state.withLock { if $0.replace(with: board) { $0.changes += 1 } }
    let isBrief = writing.withLock { $0.took < Self.brief } && board.largestBody <= Self.briefBody
    if isBrief { queue.sync { write() } } else { queue.async { [self] in write() } }
  }

  func keep(draft: KeptDraft?) {
    change {
      $0.draft = draft
      return true
    }
  }

  /// Deletes what an earlier console left, after what is in force now was kept.
  func drop(_ id: String) {
    queue.async { [self] in
      write()
      unlink(id)
      unlink(id + ".lock")
    }
  }

  /// Writes what an earlier console left once more, as it was.
  func keepAgain(_ left: KeptStubs) {
    queue.async { [self] in
      write()
      guard let problem = put(left), let tell = state.withLock({ $0.onProblem }) else { return }
      tell(
        "What an earlier console kept cannot be kept again: \(problem). Bring it back with B and write it with w, or it "
          + "is gone with this console.")
    }
  }

  /// The end of the session, which comes once.
  ///
  /// - Parameter forgetting: nothing is kept, for the stubs end with the session.
  func end(forgetting: Bool) {
    queue.sync {
      guard lock.isHeld else { return }
      forgetting ? remove() : write()
      unlink(path + ".lock")
      lock.release()
    }
  }

  /// - Parameter change: returns whether there is something new to be written.
  private func change(_ change: (inout State) -> Bool) {
    let schedules = state.withLock { state in
      guard change(&state) else { return false }
      state.changes += 1
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if schedules { queue.async { [self] in write() } }
  }

  /// On the queue only.
  private func write() {
    let (board, draft, changes) = state.withLock { state in
      state.isScheduled = false
      return (state.board, state.draft, state.changes)
    }
    guard writing.withLock({ $0.changes != changes || $0.failed }) else { return }
    var problem: String?
    let took = ContinuousClock().measure {
      guard board.isUnwritten || draft != nil else { return remove() }
      let kept = KeptStubs(id: path, savedAt: .now, board: board, draft: draft)
      problem = put(kept)
    }
    let isNew = writing.withLock { writing in
      defer { writing = Writing(changes: changes, failed: problem != nil, took: took) }
      return !writing.failed
    }
    guard let problem, isNew, let tell = state.withLock({ $0.onProblem }) else { return }
    tell("What is changed on screen cannot be kept for the next start: \(problem). Write it to a stub file with w.")
  }

  /// Returns what was wrong.
  private func put(_ kept: KeptStubs) -> String? {
    do {
      try OutputFile.write(KeptStubsFile.text(kept, place: place).utf8, to: kept.id, access: .secret)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func remove() { unlink(path) }

  /// Whether the console that wrote a file has gone.
  private func isLeft(_ file: String) -> Bool {
    guard file != path else { return false }
    let other = open(file + ".lock", O_RDWR | O_CLOEXEC)
    guard other >= 0 else { return true }
    defer { close(other) }
    return flock(other, LOCK_EX | LOCK_NB) == 0
  }

  /// FNV-1a, as 16 digits.
  private static func digest(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension StubBoard {
  /// The bytes of the largest body whose size is known at once.
  fileprivate var largestBody: Int { entries.lazy.map { $0.stub.then.largestBody }.max() ?? 0 }
}

extension Action {
  fileprivate var largestBody: Int {
    switch self {
    case .respond(let response): response.knownSize
    case .fail(let fault): fault.after?.response.knownSize ?? 0
    case .sequence(let steps, _): steps.lazy.map(\.largestBody).max() ?? 0
    case .pass, .hold, .code: 0
    }
  }
}

extension CannedResponse {
  fileprivate var knownSize: Int {
    switch body {
    case .text(let text): text.utf8.count
    case .data(let data): data.count
    case .none, .json, .file, .filler, .folder, .events: 0
    }
  }
}

/// The text of a file that keeps stubs over the end of a console.
enum KeptStubsFile {
  static func text(_ kept: KeptStubs, place: String) -> String {
    JSONValue.members([
      "patchbay": 1, "place": .string(place), "savedAt": .number("\(kept.savedAt.microseconds)"),
      "board": kept.board.json,
      "draft": kept.draft.map {
        .members(["base": $0.base.map { .string($0) } ?? .null, "stub": $0.stub.json])
      } ?? .null,
    ]).compact
  }

  /// What a file holds; nil where it is for another place or cannot be read.
  static func read(_ path: String, place: String) -> KeptStubs? {
    guard let data = FileManager.default.contents(atPath: path), let json = try? JSONValue(parsing: data),
      json["place"]?.text == place, case .number(let digits)? = json["savedAt"], let savedAt = Int64(digits),
      let value = json["board"], let board = try? StubBoard(json: value)
    else { return nil }
    var draft: KeptDraft?
    if let kept = json["draft"], let value = kept["stub"], let stub = try? Stub(json: value, checked: false) {
      draft = KeptDraft(base: kept["base"]?.text, stub: stub)
    }
    return KeptStubs(id: path, savedAt: Timestamp(microseconds: savedAt), board: board, draft: draft)
  }
}
