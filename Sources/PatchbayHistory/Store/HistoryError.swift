import GRDB
import GRDBSQLite
import PatchbayInspect
import PatchbaySystem

/// Why the history cannot be used.
package struct HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
  package var kind: Kind
  /// The file; `:memory:` where there is none.
  package var path: String
  /// What the system says of it; may be empty.
  package var detail: String
  /// Whether it was only to be read, so that memory is no way out.
  package var isReading = false

  package enum Kind: Hashable, Sendable {
    /// Another console has it open.
    case inUse(pid: Int32?)
    /// Another program holds a lock on it.
    case locked
    case readOnly
    case full
    /// Not a database, or a broken one.
    case corrupt
    /// A database of another program.
    case foreign
    /// Made by a newer version.
    case newer
    /// Not there, or not to be opened or made.
    case cannotOpen
    case missing
    case inputOutput
    /// In a place that cannot be written, and not closed properly, so that a part of it cannot be read.
    case unfinished
    /// While it was in use somebody removed it, put something else in its place, or cut it off.
    case removed
    case replaced
    case cut
    case closed
    case other
  }

  /// Whether the file that was opened is lost.
  var isLoss: Bool { [.removed, .replaced, .cut].contains(kind) }

  package init(_ kind: Kind, path: String, detail: String = "") {
    self.kind = kind
    self.path = path
    self.detail = detail
  }

  /// One sentence: what, where, what to do.
  package var description: String {
    let said = detail.isEmpty ? "" : " (\(detail))"
    let way = "name another file with --history PATH" + (isReading ? "" : ", or :memory:")
    switch kind {
    case .inUse(let pid):
      let who = pid.map { " (process \($0))" } ?? ""
      return "The history \(path) is in use by another console\(who): end that one, or \(way)."
    case .locked: return "The history \(path) is locked by another program\(said): end that one, or \(way)."
    case .readOnly: return "The history \(path) cannot be written\(said): change its permissions, or \(way)."
    case .full: return "There is no room to write the history \(path)\(said): free some space, or \(way)."
    case .corrupt: return "The history \(path) is damaged or is no database\(said): move it away, or \(way)."
    case .foreign: return "The file \(path) is a database of another program: \(way)."
    case .newer: return "The history \(path) was made by a newer Patchbay: update this one, or \(way)."
    case .cannotOpen: return "The history \(path) cannot be opened\(said): check the folder, or \(way)."
    case .missing: return "There is no history at \(path): record something first, or \(way)."
    case .inputOutput: return "The history \(path) could not be read or written\(said): check the disk, or \(way)."
    case .unfinished:
      return """
        The history \(path) lies where nothing can be written and was not closed properly: copy it and \(path)-wal \
        elsewhere, and name the copy with --history PATH.
        """
    case .removed: return "The history \(path) was removed while it was in use."
    case .replaced: return "The history \(path) was replaced while it was in use."
    case .cut: return "The history \(path) was cut off by another program while it was in use: move it away."
    case .closed: return "The history \(path) has been closed: open it again."
    case .other: return "The history \(path) failed\(said): \(way)."
    }
  }

  init(_ error: any Error, path: String) {
    guard let error = error as? DatabaseError else {
      self = (error as? HistoryError) ?? HistoryError(.other, path: path, detail: "\(error)")
      return
    }
    let kind: Kind =
      switch error.resultCode.primaryResultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
      case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
      case .SQLITE_FULL: .full
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
      case .SQLITE_CANTOPEN: .cannotOpen
      case .SQLITE_IOERR: .inputOutput
      case .SQLITE_MISUSE: .closed
      default: .other
      }
    self.init(kind, path: path, detail: error.message ?? "")
  }
}

/// What the history has to say without being asked. Each is to be shown to the person.
package enum HistoryEvent: Hashable, Sendable, CustomStringConvertible {
  /// That many of the oldest exchanges were removed, as the retention asks.
  case retired(exchanges: Int, why: Limit)
  /// Writing failed; exchanges are kept in memory and it is tried again each second.
  case failed(HistoryError)
  /// Writing works again; nothing but what was said to be shed is lost.
  case recovered
  /// Lost in all since writing failed, because memory is bounded.
  case shed(bodies: Int, exchanges: Int)

  /// The file was lost, and recording goes on in a new one; or in memory, and why.
  ///
  /// - Parameters:
  ///   - exchanges: how many of this session were in it.
  ///   - below: all that is to be seen has this id or a higher one.
  case lostFile(HistoryError, exchanges: Int, below: Int64, inMemory: HistoryError?)
  /// Others could read the file, and can no more.
  case closedToOthers(path: String)

  /// That many had not been written when the history was closed, and are lost.
  case lost(exchanges: Int, HistoryError)

  package enum Limit: String, Hashable, Sendable {
    case count
    case size
  }

  package var description: String {
    switch self {
    case .retired(let count, .count):
      "The history is full: its oldest \(Self.exchanges(count)) removed."
    case .retired(let count, .size):
      "The history's file is as large as it may be: its oldest \(Self.exchanges(count)) removed."
    case .failed(let error): "\(error.description) Until then exchanges are kept in memory."
    case .recovered: "The history is written again."
    case .lost(let count, let error):
      "\(count == 1 ? "1 " : "")\(Self.exchanges(count)) not recorded. \(error.description)"
    case .closedToOthers(let path): OutputFile.sentence(closedToOthers: path)
    case .lostFile(let loss, let count, _, let why):
      loss.description
        + (count == 0 ? "" : " \(Quantity.count(count)) \(count == 1 ? "exchange is" : "exchanges are") lost with it.")
        + (why == nil
          ? " Recording goes on in a new file there."
          : " From now on exchanges are kept in memory only." + (why == loss ? "" : " \(why?.description ?? "")"))
    case .shed(let bodies, let exchanges):
      """
      The history cannot be written and memory is short: \(Quantity.count(bodies)) \(bodies == 1 ? "body" : "bodies") and \(Quantity.count(exchanges)) \
      \(exchanges == 1 ? "exchange" : "exchanges") were not kept.
      """
    }
  }

  /// `exchange was`, `12 exchanges were`.
  private static func exchanges(_ count: Int) -> String {
    count == 1 ? "exchange was" : "\(Quantity.count(count)) exchanges were"
  }
}
