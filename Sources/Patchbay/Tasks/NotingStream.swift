import Foundation

/// Reads another stream and notes what was read.
final class NotingStream: InputStream {
  private let stream: InputStream
  private let tee: StreamTee

  init(_ stream: InputStream, _ tee: StreamTee) {
    self.stream = stream
    self.tee = tee
    super.init(data: Data())
  }

  override func open() { stream.open() }
  override func close() { stream.close() }
  override var streamStatus: Stream.Status { stream.streamStatus }
  override var hasBytesAvailable: Bool { stream.hasBytesAvailable }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    let count = stream.read(buffer, maxLength: maxLength)
    tee.note(UnsafeBufferPointer(start: buffer, count: max(0, count)))
    return count
  }
}
