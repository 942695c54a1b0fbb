import Foundation
import PatchbayWire

/// Turns batches of reports into bytes, a bounded amount at a time, so that a large backlog is not encoded twice over.
/// Used by the link's thread alone.
struct ReportWriter {
  private var encoder = FrameEncoder(pieceLimit: pieceSize)
  private var written = 0
  private var batch: ReportQueue.Batch?
  private var nextReport = 0
  private var pieces: [ExchangeUpdate] = []
  private var shedder = BodyShedder()
  /// How many reports of each exchange are not encoded yet, once that is counted.
  private var left: [UInt64: Int]?

  /// How many bytes are encoded before they are sent. What does not fit in the socket any more is decoded again at the
  /// stages of the process's end, and the clock is looked at between two chunks: few, so that a busy machine has the time
  /// for it, and that the system takes a chunk as a whole or not at all (Linux: up to 32 KiB).
  private var chunk: Int { shedsBodies ? 16 << 10 : 64 << 10 }
  /// Bodies travel in frames of that many bytes at most: the rest of a frame has to be sent before anything else can be,
  /// also where there is hardly time or room for it.
  static let pieceSize = 64 << 10

  /// The bytes to send next.
  var hasBytes: Bool { written < encoder.bytes.count }
  /// Whether everything given was encoded and sent.
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
    while encoder.bytes.count < chunk {
      if let piece = pieces.popLast() {
        tell(piece)
      } else if nextReport < batch.reports.count {
        let report = batch.reports[nextReport]
        nextReport += 1
        if shedsBodies, let bytes = report.start?.request.body.length, bytes > 0 { shedder.count(Int(bytes)) }
        let update = report.update(bodyLimit: shedsBodies ? 0 : bodyLimit)
        if shedsBodies || (update.data?.count ?? 0) <= Self.pieceSize {
          tell(update)
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

  private mutating func tell(_ update: ExchangeUpdate) {
    encode(update)
    wasTold(update.key)
  }

  private mutating func encode(_ update: ExchangeUpdate) {
    guard shedsBodies || !shedder.isIdle else { return encoder.append(update) }
    var update = update
    shedder.cut(&update, dropsBodies: shedsBodies)
    if update != ExchangeUpdate(key: update.key) { encoder.append(update) }
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

  // MARK: The end of the process

  /// Whether bodies are given up for facts, also those that wait to be sent already.
  var shedsBodies = false {
    didSet {
      guard shedsBodies, !oldValue else { return }
      for message in encoder.takeBack(after: written) {
        if case .exchange(let update) = message { encode(update) } else { encoder.append(message) }
      }
    }
  }

  /// What was given up since the last call.
  mutating func takeShed() -> Shed { shedder.takeShed() }

  /// Counts the exchanges of which something is left, and tells it before everything of which nothing is sent yet, and once
  /// more after what was encoded already. From here on ``leftCount`` follows what is encoded.
  ///
  /// - Parameters:
  ///   - waiting: The exchange of each report that waits to be given to this one.
  ///   - message: Says what is given up and left by now.
  mutating func count(waiting: [UInt64], _ message: (inout Self) -> HookMessage) {
    let back = encoder.takeBack(after: written)
    var keys = waiting + pieces.map(\.key) + (batch?.reports.dropFirst(nextReport) ?? []).map(\.key)
    for case .exchange(let update) in back { keys.append(update.key) }
    left = keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    encoder.append(message(&self))
    guard !back.isEmpty else { return }
    for message in back {
      encoder.append(message)
      if case .exchange(let update) = message { wasTold(update.key) }
    }
    encoder.append(message(&self))
  }

  /// The exchanges of which something is left that is not encoded yet; 0 before that was counted.
  var leftCount: Int { left?.count ?? 0 }

  private mutating func wasTold(_ key: UInt64) {
    guard let count = left?[key] else { return }
    left?[key] = count > 1 ? count - 1 : nil
  }

  /// An update with a large body as several: the first with all that comes before the body's end, the last with the end.
  static func pieces(of update: ExchangeUpdate) -> [ExchangeUpdate] {
    guard let data = update.data, data.count > pieceSize else { return [update] }
    var first = update
    first.end = nil
    first.data = data.prefix(pieceSize)
    var pieces = [first]
    var position = pieceSize
    while position < data.count {
      let next = min(position + pieceSize, data.count)
      pieces.append(
        ExchangeUpdate(key: update.key, data: data[data.startIndex + position..<data.startIndex + next]))
      position = next
    }
    pieces[pieces.count - 1].end = update.end
    return pieces
  }
}
