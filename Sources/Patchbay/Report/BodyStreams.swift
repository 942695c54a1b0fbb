import Foundation
import Synchronization

/// Keeps the beginning of what passes through a body stream, and counts all of it.
final class StreamCapture: Sendable {
  private struct Seen {
    var start = Data()
    var count = 0
    var isRead = false
  }

  private let seen = Mutex(Seen())
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Notes what one read gave, which is nothing at the end.
  func note(_ bytes: UnsafeBufferPointer<UInt8>) {
    seen.withLock { seen in
      seen.start.append(contentsOf: bytes.prefix(max(0, limit - seen.start.count)))
      seen.count += bytes.count
      seen.isRead = true
    }
  }

  /// Another stream takes the place of the one that was read.
  func restart() { seen.withLock { $0 = Seen() } }

  /// Whether somebody has begun to read.
  var isRead: Bool { seen.withLock { $0.isRead } }

  /// How many bytes have passed so far.
  var count: Int { seen.withLock { $0.count } }

  /// How many of them are kept.
  var keptCount: Int { seen.withLock { $0.start.count } }

  /// What has passed so far, up to the limit. Of a stream that nobody has begun to read, all is missing.
  func bytes(limit: Int) -> (data: Data, truncated: Bool) {
    seen.withLock { ($0.start.prefix(limit), !$0.isRead || $0.count > min(limit, $0.start.count)) }
  }
}

/// Reads another stream and notes what was read.
final class CapturingStream: InputStream {
  private let stream: InputStream
  private let capture: StreamCapture

  init(_ stream: InputStream, _ capture: StreamCapture) {
    self.stream = stream
    self.capture = capture
    super.init(data: Data())
  }

  override func open() { stream.open() }
  override func close() { stream.close() }
  override var streamStatus: Stream.Status { stream.streamStatus }
  override var hasBytesAvailable: Bool { stream.hasBytesAvailable }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    let count = stream.read(buffer, maxLength: maxLength)
    capture.note(UnsafeBufferPointer(start: buffer, count: max(0, count)))
    return count
  }
}

/// A stream of which the beginning has been read already: gives that once more, and then the rest.
final class ReplayedStream: InputStream {
  private let capture: StreamCapture
  private let rest: InputStream
  private var start: Data

  /// Reads until the end or the limit, which may take as long as the stream does.
  ///
  /// - Parameter capture: Notes what is read, and anew when it is read again.
  init(_ stream: InputStream, upTo limit: Int, _ capture: StreamCapture) {
    self.capture = capture
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
    start.withUnsafeBytes { capture.note($0.bindMemory(to: UInt8.self)) }
  }

  override func open() { capture.restart() }
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
