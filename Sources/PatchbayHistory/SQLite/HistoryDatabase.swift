import Foundation
import GRDB
import PatchbayInspect
import PatchbaySystem
import Synchronization

/// The connections: one that writes, several that read. In memory it is one for all.
///
/// The file can be taken away under them; what is written then would be lost. Each transaction looks first, and `HistoryStore`
/// has them connected anew.
final class HistoryDatabase: Sendable {
  let path: String
  let isReadOnly: Bool
  private let current: Mutex<Current>

  /// What is in use now.
  private struct Current {
    var connection: any DatabaseWriter
    var texts = InternedTexts()
    /// What lies at the path; nil in memory, or where nothing is written.
    var place: HistoryPlace?
  }

  /// How many searches may read at the same time; others are kept free for pages.
  static let searchers = 4
  /// Of a file made new.
  private static let pageSize = 8_192

  init(path: String, isReadOnly: Bool, pageLimit: Int? = nil) throws(HistoryError) {
    self.path = path
    self.isReadOnly = isReadOnly
    if !isReadOnly { try Self.refuseForeign(path) }
    current = Mutex(Current(connection: try Self.pool(path, isReadOnly: isReadOnly, pageLimit: pageLimit)))
    try prepare()
    if !isReadOnly { current.withLock { $0.place = HistoryPlace(path) } }
  }

  /// Before it is opened to be written, which makes it a database with a log and leaves a page in it.
  private static func refuseForeign(_ path: String) throws(HistoryError) {
    var configuration = Configuration()
    configuration.readonly = true
    // Where it cannot be read, whoever opens it says why.
    let queue = try? DatabaseQueue(path: path, configuration: configuration)
    let isForeign = try? queue?.read { try !isOurs($0) && !isEmpty($0) }
    if isForeign == true { throw HistoryError(.foreign, path: path) }
  }

  private static func pool(
    _ path: String, isReadOnly: Bool, pageLimit: Int?
  ) throws(HistoryError) -> any DatabaseWriter {
    do {
      return try DatabasePool(
        path: path, configuration: configuration(isReadOnly: isReadOnly, pageLimit: pageLimit))
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  private static func memory() throws(HistoryError) -> any DatabaseWriter {
    do {
      return try DatabaseQueue(configuration: configuration(isReadOnly: false, pageLimit: nil))
    } catch {
      throw HistoryError(error, path: ":memory:")
    }
  }

  private var connection: any DatabaseWriter { current.withLock { $0.connection } }
  var texts: InternedTexts { current.withLock { $0.texts } }
  /// Whether what is written lies in a file.
  var isInFile: Bool { current.withLock { $0.connection is DatabasePool } }

  /// A file that is only read. It may lie where nothing can be written, where SQLite has no place for what processes
  /// share; nobody changes it there.
  static func reading(_ path: String) throws(HistoryError) -> HistoryDatabase {
    do {
      return try HistoryDatabase(path: path, isReadOnly: true)
    } catch {
      guard [.cannotOpen, .readOnly].contains(error.kind), access(Path.folder(of: path), W_OK) != 0,
        access(path, R_OK) == 0
      else { throw error }
      let log = (try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) ?? 0
      guard log == 0 else { throw HistoryError(.unfinished, path: path) }
      return try HistoryDatabase(unchanging: path)
    }
  }

  /// A file that nobody changes.
  init(unchanging path: String) throws(HistoryError) {
    self.path = path
    isReadOnly = true
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#"))
    let place = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    do {
      let queue = try DatabaseQueue(
        path: "file:\(place)?immutable=1", configuration: Self.configuration(isReadOnly: true, pageLimit: nil))
      current = Mutex(Current(connection: queue))
    } catch {
      throw HistoryError(error, path: path)
    }
    try prepare()
  }

  /// In memory.
  init() throws(HistoryError) {
    path = ":memory:"
    isReadOnly = false
    current = Mutex(Current(connection: try Self.memory()))
    try prepare()
  }

  /// Reads. Several may do so at once, each sees one moment's state.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await connection.read(body)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  /// Reads on this thread.
  func readNow<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    do {
      return try connection.read(body)
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  /// One transaction on this thread.
  ///
  /// - Throws: an error with `isLoss` where the file is no longer the one that was opened; then nothing is written.
  func write<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    try look()
    do {
      let value = try connection.write(body)
      current.withLock { $0.place?.noteSizes() }
      return value
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  /// Looks whether the file is still there, the same, and whole. On the thread that writes.
  func look() throws(HistoryError) {
    guard let place = current.withLock({ $0.place }), let loss = place.loss else { return }
    if case .cut = loss, !place.isEmpty, isWhole { return current.withLock { $0.place?.noteSizes() } }
    throw HistoryError(loss, path: path)
  }

  /// Another program may have moved the log into the file, as `sqlite3` does when it is told to: then nothing is missing.
  private var isWhole: Bool {
    let result = try? connection.writeWithoutTransaction { database in
      _ = try database.checkpoint(.passive)
      return try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
    }
    return result == "ok"
  }

  /// Begins again at the path, or in memory. The connections of before are left open to the end of the process: closing
  /// them would write to what is left of their file, and remove by its name what is now another's.
  func connectAnew(inMemory: Bool) throws(HistoryError) {
    if !inMemory { try Self.refuseForeign(path) }
    let next = try inMemory ? Self.memory() : Self.pool(path, isReadOnly: false, pageLimit: nil)
    let before = current.withLock { current in
      defer { current = Current(connection: next) }
      return current
    }
    Self.abandoned.withLock { $0.append(before.connection) }
    try prepare()
    if !inMemory { current.withLock { $0.place = HistoryPlace(path) } }
  }

  /// Does that while nobody else uses the connection that writes; without a transaction, which another program could hold up.
  func withConnection(_ body: () -> Void) { connection.unsafeReentrantWrite { _ in body() } }

  /// Takes away what the lost file has left beside it, so that it is not taken for a part of a new one.
  func removeRemains() { current.withLock { $0.place }?.removeRemains() }

  private static let abandoned = Mutex<[any DatabaseWriter]>([])

  /// Moves what the log has into the file.
  func checkpoint(_ mode: Database.CheckpointMode) throws(HistoryError) {
    try look()
    guard connection is DatabasePool, !isReadOnly else { return }
    do {
      _ = try connection.writeWithoutTransaction { try $0.checkpoint(mode) }
      current.withLock { $0.place?.noteSizes() }
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  /// Closes the file. A search that is under way, or that comes later, ends with a sentence.
  ///
  /// A single connection is left to whoever reads, and goes with the last of them: GRDB ends the process where one that
  /// is closed is read from.
  func close() throws(HistoryError) {
    guard connection is DatabasePool else { return }
    do {
      try look()
    } catch {
      let lost = connection
      Self.abandoned.withLock { $0.append(lost) }
      throw error
    }
    do {
      try connection.close()
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  private func prepare() throws(HistoryError) {
    if isReadOnly {
      let isOurs = try readNow { try Self.isOurs($0) }
      guard isOurs else { throw HistoryError(.foreign, path: path) }
      return
    }
    let migrator = Schema.migrator
    let state: HistoryError.Kind? = try write { database in
      if try migrator.hasBeenSuperseded(database) { return .newer }
      guard try Self.isOurs(database) || Self.isEmpty(database) else { return .foreign }
      try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      return nil
    }
    if let state { throw HistoryError(state, path: path) }
    do {
      try migrator.migrate(connection)
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  private static func isOurs(_ database: Database) throws -> Bool {
    try Int.fetchOne(database, sql: "PRAGMA application_id") == Schema.applicationID
  }

  private static func isEmpty(_ database: Database) throws -> Bool {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
  }

  private static func configuration(isReadOnly: Bool, pageLimit: Int?) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.maximumReaderCount = searchers + 3
    configuration.busyMode = .timeout(3)
    configuration.label = "patchbay.history"
    configuration.prepareDatabase { database in
      try FilterFunction.install(in: database)
      if !database.configuration.readonly { try database.execute(sql: "PRAGMA page_size = \(pageSize)") }
      try database.execute(
        sql: """
          PRAGMA cache_size = \(database.configuration.readonly ? -3_000 : -16_000);
          PRAGMA temp_store = MEMORY;
          PRAGMA synchronous = NORMAL;
          PRAGMA wal_autocheckpoint = 4000;
          PRAGMA journal_size_limit = 33554432;
          """)
      if database.configuration.readonly, try !database.tableExists("remark"), try Self.isOurs(database) {
        try database.execute(sql: Schema.remarks(isTemporary: true))
      }
      if let pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
    }
    return configuration
  }
}

/// The history's file before SQLite gets it: folder, mode, and the claim to be its only writer.
///
/// The claim lies on `PATH.lock` and ends with the process, however it ends.
struct HistoryFile: Sendable {
  private let lock: HeldLock
  /// The lock's file was made for this claim.
  private let isNewLock: Bool
  /// Others could read it before, and can no more.
  private(set) var isClosedToOthers = false

  /// Makes folder and file where they are missing, mode 0700 and 0600, and claims it.
  init(claiming path: String) throws(HistoryError) {
    let folder = Path.folder(of: path)
    if !FileManager.default.fileExists(atPath: folder) {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw HistoryError(.cannotOpen, path: path, detail: "the folder cannot be made")
      }
    }
    // Before anything is made beside it.
    if let status = Path.status(path, following: true), !status.isFile {
      throw HistoryError(.cannotOpen, path: path, detail: "it is no file")
    }
    isNewLock = Path.status(path + ".lock", following: false) == nil
    lock = HeldLock(try Self.claim(path))
    do {
      try Self.make(path)
    } catch {
      giveBack(path)
      throw error
    }
  }

  /// Once it is known to be a history: a file of somebody else's that was named by mistake keeps its mode. By name, since a
  /// second descriptor that is closed would drop SQLite's locks (fcntl(2)).
  mutating func closeToOthers(_ path: String) {
    for name in [path, path + "-wal", path + "-shm"] {
      guard let status = Path.status(name, following: false), status.isFile, status.permissions & 0o077 != 0 else {
        continue
      }
      if chmod(name, 0o600) == 0, name == path { isClosedToOthers = true }
    }
  }

  /// Leaves nothing beside a file that is no history.
  func giveBack(_ path: String) {
    if isNewLock { unlink(path + ".lock") }
    release()
  }

  /// Others may claim it.
  func release() { lock.release() }

  private static func claim(_ path: String) throws(HistoryError) -> Int32 {
    let file = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = read(file, &bytes, bytes.count)
      close(file)
      let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      throw HistoryError(.inUse(pid: Int32(text.prefix { $0.isNumber })), path: path)
    }
    let text = "\(getpid())\n"
    if ftruncate(file, 0) == 0 { _ = text.withCString { write(file, $0, strlen($0)) } }
    return file
  }

  private static func make(_ path: String) throws(HistoryError) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw HistoryError(.cannotOpen, path: path, detail: "it is no file")
    }
  }

  private static func failure(_ path: String) -> HistoryError {
    let code = errno
    let detail = String(cString: strerror(code))
    switch code {
    case EACCES, EPERM, EROFS: return HistoryError(.readOnly, path: path, detail: detail)
    case ENOSPC, EDQUOT: return HistoryError(.full, path: path, detail: detail)
    default: return HistoryError(.cannotOpen, path: path, detail: detail)
    }
  }
}
