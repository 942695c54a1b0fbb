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
