import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The file of a finished download.
enum DownloadedFile {
  /// Where the built-in class put it.
  static func location(of loading: URLProtocol, task: URLSessionTask) -> URL? {
    guard task is URLSessionDownloadTask else { return nil }
    return ProtocolProperties.value(named: "temporaryFileURL", of: loading) as? URL
  }

  /// Writes a body where Foundation would have put it; nil if that is not possible.
  static func make(_ body: Data) -> URL? {
    let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(UUID().uuidString).tmp")
    return FileManager.default.createFile(atPath: url.path, contents: body) ? url : nil
  }

  /// Any thread; the file goes soon.
  static func remove(_ location: URL) {
    HookQueue.shared.async { try? FileManager.default.removeItem(at: location) }
  }

  /// Reads the file's beginning on the hook's own queue (the program may move or remove it meanwhile) and tells it. A
  /// process that ends meanwhile tells its length only.
  static func report(_ location: URL, to recorder: ExchangeRecorder, then next: @escaping @Sendable () -> Void) {
    guard let file = try? FileHandle(forReadingFrom: location) else { return next() }
    HookQueue.shared.async {
      let size = (try? file.seekToEnd()).map(Int64.init) ?? 0
      try? file.seek(toOffset: 0)
      while !ProcessHooks.isEnding, recorder.room > 0,
        let data = try? file.read(upToCount: min(recorder.room, pieceSize)), !data.isEmpty
      {
        recorder.piece(data, soon: size <= pieceSize)
      }
      recorder.counted(size)
      next()
      // Of a large file that is removed already, this takes its time.
      try? file.close()
    }
  }

  private static let pieceSize = 1 << 20
}

/// The private notes that the framework's client reads from a `URLProtocol`, by the raw values of their keys.
enum ProtocolProperties {
  private static let field: StoredField? = {
    let field = StoredField("properties", in: URLProtocol.self, size: MemoryLayout<AnyObject>.size)
    return field?.type is any PropertyTable.Type ? field : nil
  }()

  static func value(named name: String, of loading: URLProtocol) -> Any? {
    (field?.value(in: loading) as? any PropertyTable)?.value(named: name)
  }

  /// Sets a note; false if it cannot be done on this version of Foundation.
  static func set(_ name: String, to value: Any, of loading: URLProtocol) -> Bool {
    guard let field, let table = field.type as? any PropertyTable.Type else { return false }
    return table.set(name, to: value, in: field.address(in: loading))
  }
}

/// A dictionary whose key type has no name that could be written here.
private protocol PropertyTable {
  func value(named name: String) -> Any?
  static func set(_ name: String, to value: Any, in address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: PropertyTable where Value == Any {
  fileprivate func value(named name: String) -> Any? {
    Self.key(name).flatMap { self[$0] }
  }

  fileprivate static func set(_ name: String, to value: Any, in address: UnsafeMutableRawPointer) -> Bool {
    guard let key = key(name) else { return false }
    address.assumingMemoryBound(to: Self.self).pointee[key] = value
    return true
  }

  private static func key(_ name: String) -> Key? {
    guard let type = Key.self as? any RawRepresentable<String>.Type else { return nil }
    return type.init(rawValue: name) as? Key
  }
}
