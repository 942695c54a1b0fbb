import Foundation
import GRDB
import PatchbayInspect
import PatchbaySystem

/// The connections: one that writes, several that read. In memory it is one for all.
struct HistoryDatabase: Sendable {
  let path: String
  let isReadOnly: Bool
  private let connection: any DatabaseWriter
  let texts = InternedTexts()

  /// How many searches may read at the same time; others are kept free for pages.
  static let searchers = 4
  /// Of a file made new.
  private static let pageSize = 8_192

  init(path: String, isReadOnly: Bool, pageLimit: Int? = nil) throws(HistoryError) {
    self.path = path
    self.isReadOnly = isReadOnly
    do {
      connection = try DatabasePool(
        path: path, configuration: Self.configuration(isReadOnly: isReadOnly, pageLimit: pageLimit))
    } catch {
      throw HistoryError(error, path: path)
    }
    try prepare()
  }

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
  private init(unchanging path: String) throws(HistoryError) {
    self.path = path
    isReadOnly = true
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#"))
    let place = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    do {
      connection = try DatabaseQueue(
        path: "file:\(place)?immutable=1", configuration: Self.configuration(isReadOnly: true, pageLimit: nil))
    } catch {
      throw HistoryError(error, path: path)
    }
    try prepare()
  }

  /// In memory.
  init() throws(HistoryError) {
    path = ":memory:"
    isReadOnly = false
    do {
      connection = try DatabaseQueue(configuration: Self.configuration(isReadOnly: false, pageLimit: nil))
    } catch {
      throw HistoryError(error, path: path)
    }
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
  func write<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    do {
      return try connection.write(body)
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  /// Moves what the log has into the file.
  func checkpoint(_ mode: Database.CheckpointMode) throws(HistoryError) {
    guard connection is DatabasePool, !isReadOnly else { return }
    do {
      _ = try connection.writeWithoutTransaction { try $0.checkpoint(mode) }
    } catch {
      throw HistoryError(error, path: path)
    }
  }

  func close() throws(HistoryError) {
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
      if let pageLimit { try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
    }
    return configuration
  }
}

/// The history's file before SQLite gets it: folder, mode, and the claim to be its only writer.
///
/// The claim lies on `PATH.lock` and ends with the process, however it ends.
struct HistoryFile: Sendable {
  private let lock: Int32

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
    lock = try Self.claim(path)
    do {
      try Self.make(path)
    } catch {
      close(lock)
      throw error
    }
  }

  func release() { close(lock) }

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
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw HistoryError(.cannotOpen, path: path, detail: "it is no file")
    }
    if facts.st_mode & 0o077 != 0 { _ = fchmod(file, 0o600) }
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
