import Foundation
import PatchbayWire

/// Turns batches of reports into bytes, a bounded amount at a time, so that a large backlog is not encoded twice over.
/// Used by the link's thread alone.
struct ReportWriter {
  private(set) var encoder = FrameEncoder()
  private var written = 0
  private var batch: ReportQueue.Batch?
  private var nextReport = 0
  private var pieces: [ExchangeUpdate] = []
  /// The process is ending and the console is slow: from now on facts only.
  var shedsBodies = false

  /// How many bytes are encoded before they are sent.
  private static let chunk = 256 << 10

  /// The bytes to send next.
  var hasBytes: Bool { written < encoder.bytes.count }
  /// Whether everything given was encoded.
  var isEmpty: Bool { batch == nil && !hasBytes }

  mutating func append(_ message: HookMessage) { encoder.append(message) }

  mutating func begin(_ batch: ReportQueue.Batch) {
    self.batch = batch
    nextReport = 0
    for message in batch.messages { encoder.append(message) }
  }

  /// Encodes more of the batch when all bytes are sent. Returns the batch once it is done.
  mutating func fill(bodyLimit: Int) -> ReportQueue.Batch? {
    guard !hasBytes else { return nil }
    encoder.removeAll()
    written = 0
    guard let batch else { return nil }
    while encoder.bytes.count < Self.chunk {
      if let piece = pieces.popLast() {
        guard let piece = shedsBodies ? Self.withoutBody(piece) : piece else { continue }
        encoder.append(piece)
      } else if nextReport < batch.reports.count {
        let update = batch.reports[nextReport].update(bodyLimit: bodyLimit)
        nextReport += 1
        if !shedsBodies, (update.data?.count ?? 0) <= Wire.pieceLimit {
          encoder.append(update)
        } else {
          pieces = Self.pieces(of: update).reversed()
        }
      } else {
        self.batch = nil
        return batch
      }
    }
    return nil
  }

  /// Sends what the socket takes.
  mutating func send(to socket: LinkSocket) -> LinkSocket.Transfer {
    while hasBytes {
      let result = encoder.bytes.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[written...])) }
      guard case .bytes(let count) = result else { return result }
      written += count
    }
    return .bytes(0)
  }

  /// The update without its piece of the body; nil where nothing else is in it.
  static func withoutBody(_ update: ExchangeUpdate) -> ExchangeUpdate? {
    guard update.data != nil else { return update }
    var update = update
    update.data = nil
    update.end?.responseTruncated = true
    return update == ExchangeUpdate(key: update.key) ? nil : update
  }

  /// An update with a large body as several: the first with all that comes before the body's end, the last with the end.
  static func pieces(of update: ExchangeUpdate) -> [ExchangeUpdate] {
    guard let data = update.data, data.count > Wire.pieceLimit else { return [update] }
    var first = update
    first.end = nil
    first.data = data.prefix(Wire.pieceLimit)
    var pieces = [first]
    var position = Wire.pieceLimit
    while position < data.count {
      let next = min(position + Wire.pieceLimit, data.count)
      pieces.append(
        ExchangeUpdate(key: update.key, data: data[data.startIndex + position..<data.startIndex + next]))
      position = next
    }
    pieces[pieces.count - 1].end = update.end
    return pieces
  }
}
