import Foundation

/// Finds a run of bytes in linear time, whatever the text (Knuth, Morris and Pratt).
struct ByteSearch: Sendable {
  let needle: [UInt8]
  /// For each prefix the length of its longest proper border.
  private let borders: [Int]

  init(_ needle: [UInt8]) {
    self.needle = needle
    var borders = [Int](repeating: 0, count: needle.count)
    var length = 0
    for index in needle.indices.dropFirst() {
      while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
      if needle[index] == needle[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  /// Where it begins for the first time between the two offsets.
  func first(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
    if needle.isEmpty { return start }
    guard end - start >= needle.count, let base = text.baseAddress else { return nil }
    return needle.withUnsafeBufferPointer { needle in
      var length = 0
      var index = start
      while index < end {
        if length == 0 {
          guard let found = memchr(base + index, Int32(needle[0]), end - index) else { return nil }
          index = base.distance(to: UnsafePointer(found.assumingMemoryBound(to: UInt8.self))) + 1
          length = 1
        } else if text[index] == needle[length] {
          length += 1
          index += 1
        } else {
          length = borders[length - 1]
          continue
        }
        if length == needle.count { return index - length }
      }
      return nil
    }
  }

  func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    first(in: text, from: 0, to: text.count) != nil
  }
}
