import Foundation
import PatchbayStubs

/// A body cut into the pieces in which it is handed over, and the seconds before each.
struct PacedBody {
  let pieces: [Data]
  let pause: Double

  /// How long a throttled body's pieces are apart.
  private static let tick = 0.05

  init(_ body: Data, pace: Pace?) {
    switch pace {
    case .throttle(let bytesPerSecond) where bytesPerSecond > 0 && !body.isEmpty:
      let size = max(1, Int(Double(bytesPerSecond) * Self.tick))
      pieces = Self.cut(body, size: size)
      pause = Double(size) / Double(bytesPerSecond)
    case .dribble(let count, let over) where count > 0 && over.seconds > 0 && !body.isEmpty:
      let size = max(1, (body.count + count - 1) / count)
      pieces = Self.cut(body, size: size)
      pause = over.seconds / Double(pieces.count)
    default:
      pieces = body.isEmpty ? [] : [body]
      pause = 0
    }
  }

  private static func cut(_ body: Data, size: Int) -> [Data] {
    stride(from: body.startIndex, to: body.endIndex, by: size).map { start in
      body[start..<min(start + size, body.endIndex)]
    }
  }
}
