import Foundation

/// The facts of an image, then its bytes.
public struct ImageLayout: BodyLayout {
  private let facts: [BodyLine]
  private let hex: HexLayout

  public init(_ body: Data) {
    let image = ImageFacts(body)
    var lines = [BodyLine(runs: [.init(.key, "format  "), .init(.text, image?.format ?? "unknown")])]
    if let width = image?.width, let height = image?.height {
      lines.append(BodyLine(runs: [.init(.key, "size    "), .init(.text, "\(width) × \(height) pixels")]))
    }
    lines.append(BodyLine(runs: [.init(.key, "bytes   "), .init(.text, String(body.count))]))
    lines.append(BodyLine(runs: []))
    facts = lines
    hex = HexLayout(body)
  }

  public var lineCount: Int { facts.count + hex.lineCount }
  public var isComplete: Bool { true }
  public mutating func layOut(bytes: Int) {}
  public func line(showing offset: Int) -> Int? { hex.line(showing: offset).map { $0 + facts.count } }

  public func lines(_ range: Range<Int>) -> [BodyLine] {
    let range = range.clamped(to: 0..<lineCount)
    let head = range.clamped(to: 0..<facts.count)
    let tail = range.lowerBound - facts.count..<max(range.lowerBound, range.upperBound) - facts.count
    return Array(facts[head]) + hex.lines(max(0, tail.lowerBound)..<max(0, tail.upperBound))
  }
}
