/// A body laid out in lines. The lines are found piece by piece, so that a large body opens at once, and made again
/// from the bytes when they are shown, so that memory stays small.
public protocol BodyLayout: Sendable {
  /// The lines found so far.
  var lineCount: Int { get }
  /// Whether all of the body has been gone through.
  var isComplete: Bool { get }
  /// Goes through at least that many more bytes, or to the end.
  mutating func layOut(bytes: Int)
  /// The lines of that range, as far as they have been found.
  func lines(_ range: Range<Int>) -> [BodyLine]
  /// The line that shows the byte at that offset, as far as it has been found.
  func line(showing offset: Int) -> Int?
  /// Where the line's container ends, when the line opens one: the number of the closing line.
  func foldEnd(of line: Int) -> Int?
  /// The place of the line in the document, such as `$.books[2].title`; nil where the format has none.
  func path(of line: Int) -> String?
}

extension BodyLayout {
  public func foldEnd(of line: Int) -> Int? { nil }
  public func path(of line: Int) -> String? { nil }

  /// Goes through the whole body.
  public mutating func layOutAll() {
    while !isComplete { layOut(bytes: 1 << 24) }
  }
}
