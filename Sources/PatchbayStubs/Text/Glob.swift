/// A glob: `*` is any run of bytes, everything else is literal, the whole text must fit. Linear in the text.
package struct Glob: Sendable {
  /// The literal pieces between the stars; at least one.
  let pieces: [[UInt8]]
  /// The pieces in small letters, where they differ, for texts of which the front knows no letter case.
  private let folded: [[UInt8]]?
  private let searches: [ByteSearch]

  package init(_ pattern: some Collection<UInt8>) {
    pieces = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
    searches = pieces.count > 2 ? pieces.map { ByteSearch($0) } : []
    let small = pieces.map { $0.map { NormalURL.lowered($0) } }
    folded = small == pieces ? nil : small
  }

  /// The text that alone fits, where there is no star.
  var literal: [UInt8]? { pieces.count == 1 ? pieces[0] : nil }

  /// Whether the whole text fits. The first `folding` bytes are in small letters and compare without regard to case.
  func matches(_ text: UnsafeBufferPointer<UInt8>, folding: Int = 0) -> Bool {
    let first = pieces[0]
    guard fits(0, text, at: 0, folding) else { return false }
    if pieces.count == 1 { return text.count == first.count }
    let last = pieces.count - 1
    let end = text.count - pieces[last].count
    guard end >= first.count, fits(last, text, at: end, folding) else { return false }
    var position = first.count
    for index in 1..<last {
      guard let found = find(index, text, from: position, to: end, folding) else { return false }
      position = found + pieces[index].count
    }
    return true
  }

  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) }
  }

  func matches(_ text: [UInt8], folding: Int = 0) -> Bool {
    text.withUnsafeBufferPointer { matches($0, folding: folding) }
  }

  /// Whether the piece stands at that place.
  private func fits(_ index: Int, _ text: UnsafeBufferPointer<UInt8>, at start: Int, _ folding: Int) -> Bool {
    let piece = pieces[index]
    guard start >= 0, start + piece.count <= text.count else { return false }
    guard let folded, start < folding else {
      return piece.withUnsafeBufferPointer { piece in
        for offset in 0..<piece.count where text[start + offset] != piece[offset] { return false }
        return true
      }
    }
    let small = folded[index]
    for offset in 0..<piece.count {
      let expected = start + offset < folding ? small[offset] : piece[offset]
      if text[start + offset] != expected { return false }
    }
    return true
  }

  /// The first place of the piece between the two.
  private func find(
    _ index: Int, _ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ folding: Int
  ) -> Int? {
    let piece = pieces[index]
    if piece.isEmpty { return start }
    guard folded != nil, start < folding else {
      return searches[index].first(in: text, from: start, to: end)
    }
    guard end - start >= piece.count else { return nil }
    // Only URLs and hosts fold, and only patterns with capitals come here.
    for candidate in start...(end - piece.count) where fits(index, text, at: candidate, folding) {
      return candidate
    }
    return nil
  }
}
