import Foundation

/// Finds text in a body, piece by piece, letter case ignored (A to Z) unless the needle has capitals.
package struct BodySearch: Sendable {
  private let needles: [[UInt8]]
  private let foldsCase: Bool
  /// Whether a needle begins with that byte.
  private let firsts: [Bool]
  private var next = 0
  /// Byte offsets of the hits found so far, rising.
  package private(set) var hits: [Int] = []
  package private(set) var isComplete = false

  /// More hits than this are not listed.
  package static let limit = 100_000

  /// - Parameter isJSON: the text is shown as indented JSON, where a blank follows each colon that may not be there.
  package init(_ needle: String, isJSON: Bool = false) {
    foldsCase = !needle.contains { $0.isUppercase }
    let plain = Array((foldsCase ? needle.lowercased() : needle).utf8)
    let escaped = Self.escaped(needle)
    var needles = escaped == plain || needle.isEmpty ? [plain] : [plain, escaped]
    if isJSON, needle.contains("\": ") {
      let close = needle.replacing("\": ", with: "\":")
      needles.append(Array((foldsCase ? close.lowercased() : close).utf8))
    }
    self.needles = needles
    var firsts = [Bool](repeating: false, count: 256)
    for byte in needles.compactMap(\.first) {
      firsts[Int(byte)] = true
      if foldsCase, byte >= 0x61, byte <= 0x7A { firsts[Int(byte & 0xDF)] = true }
    }
    self.firsts = firsts
    isComplete = needle.isEmpty
  }

  /// Goes on through that many more bytes of the body.
  package mutating func search(_ body: Data, bytes count: Int) {
    guard !isComplete else { return }
    let start = next
    let end = min(body.count, start + count)
    var found = hits
    body.withUnsafeBytes { bytes in
      firsts.withUnsafeBufferPointer { firsts in
        var at = start
        while at < end, found.count < Self.limit {
          if firsts[Int(bytes[at])], needles.contains(where: { matches($0, in: bytes, at: at) }) { found.append(at) }
          at += 1
        }
      }
    }
    hits = found
    next = end
    isComplete = end >= body.count || hits.count >= Self.limit
  }

  private func matches(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard folded(bytes[start]) == needle[0], start + needle.count <= bytes.count else { return false }
    for index in 1..<max(1, needle.count) where folded(bytes[start + index]) != needle[index] { return false }
    return true
  }

  private func folded(_ byte: UInt8) -> UInt8 {
    foldsCase && byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  /// As a JSON writer that escapes everything beyond ASCII would have written it.
  private static func escaped(_ needle: String) -> [UInt8] {
    needle.utf16.flatMap { unit -> [UInt8] in
      guard unit >= 0x80 else { return [UInt8(unit)] }
      let digits = String(unit, radix: 16)
      return Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
    }
  }
}
