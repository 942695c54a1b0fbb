import Foundation

/// A stream of which the beginning has been read already: gives that once more, and then the rest.
final class ReplayedStream: InputStream {
  private let tee: StreamTee
  private let rest: InputStream
  private var start: Data

  /// Reads until the end or the limit, which may take as long as the stream does.
  ///
  /// - Parameter tee: Notes what is read, and anew when it is read again.
  init(_ stream: InputStream, upTo limit: Int, _ tee: StreamTee) {
    self.tee = tee
    rest = stream
    start = Data()
    super.init(data: Data())
    rest.open()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while start.count < limit {
      let count = rest.read(&buffer, maxLength: min(buffer.count, limit - start.count))
      guard count > 0 else { break }
      start.append(contentsOf: buffer[..<count])
    }
    start.withUnsafeBytes { tee.note($0.bindMemory(to: UInt8.self)) }
  }

  override func open() { tee.restart() }
  override func close() { rest.close() }
  override var streamStatus: Stream.Status { start.isEmpty ? rest.streamStatus : .open }
  override var hasBytesAvailable: Bool { !start.isEmpty || rest.hasBytesAvailable }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard !start.isEmpty else { return rest.read(buffer, maxLength: maxLength) }
    let count = min(maxLength, start.count)
    start.copyBytes(to: buffer, count: count)
    start = start.dropFirst(count)
    return count
  }
}
