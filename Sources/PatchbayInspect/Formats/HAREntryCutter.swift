import Foundation
import PatchbayStubs

/// Finds the list `log.entries` in JSON that comes in pieces, and cuts out its elements without reading them.
///
/// This is no second JSON parser: it knows strings and brackets, and leaves each element to `JSONValue`. `JSONParser` cannot
/// do it: it reads one contiguous text by recursion and ends at the first mistake, while an archive comes in pieces of any
/// size, takes the memory of one entry, and goes on behind an entry that is broken or too long.
struct HAREntryCutter: Sendable {
  private enum Place {
    /// Before the list.
    case head
    /// In the list, between entries.
    case list
    case entry
    case end
  }

  private var place = Place.head
  /// Open brackets, outside of the list's elements in `head`, inside of one in `entry`.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The last string in the head, as it may be the name of the list, or of what it stands in.
  private var lastString: [UInt8] = []
  private var isInLog = false
  private var entry: [UInt8] = []
  private var isTooLong = false
  private var hasBegun = false

  var hasEntries: Bool { place != .head }
  var isAtEnd: Bool { place == .end }

  /// The elements that are complete; nil for one that is too long.
  mutating func feed(_ data: Data) throws(StubError) -> [Data?] {
    var found: [Data?] = []
    var isNoJSON = false
    data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      var index = 0
      while index < bytes.count, !isNoJSON {
        if place == .entry {
          let end = plainEnd(bytes, from: index)
          append(Bytes(rebasing: bytes[index..<end]))
          index = end
          guard index < bytes.count else { break }
        }
        let byte = bytes[index]
        index += 1
        switch place {
        case .head:
          if !hasBegun, !isBlank(byte) {
            hasBegun = true
            if byte != UInt8(ascii: "{") { isNoJSON = true }
          }
          readHead(byte)
        case .list: readList(byte)
        case .entry: if readEntry(byte) { found.append(cut()) }
        case .end: return
        }
      }
    }
    if isNoJSON { throw StubError("This is no HTTP archive: it does not begin with `{`.") }
    return found
  }

  private mutating func readHead(_ byte: UInt8) {
    if isInString {
      readInString(byte)
      if isInString, lastString.count < 16 { lastString.append(byte) }
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      lastString = []
    case UInt8(ascii: "{"):
      if depth == 1 { isInLog = lastString.elementsEqual("log".utf8) }
      depth += 1
    case UInt8(ascii: "["):
      if depth == 1 { isInLog = false }
      if depth == 2, isInLog, lastString.elementsEqual("entries".utf8) {
        place = .list
        depth = 0
      } else {
        depth += 1
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }

  /// Leaves the string at its closing quotation mark.
  private mutating func readInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
  }

  private mutating func readList(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "]"): place = .end
    case UInt8(ascii: ","), 0x09, 0x0A, 0x0D, 0x20: break
    default:
      place = .entry
      entry = []
      isTooLong = false
      depth = 0
      _ = readEntry(byte)
    }
  }

  /// Where bytes end that mean nothing for the entry's end, such as the inside of strings.
  private func plainEnd(_ bytes: Bytes, from start: Int) -> Int {
    guard !isEscaped, depth > 0 || isInString else { return start }
    var index = start
    if isInString {
      while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") { index += 1 }
    } else {
      while index < bytes.count, !Self.signs[Int(bytes[index])] { index += 1 }
    }
    return index
  }

  private static let signs = (0..<256).map { "\"{}[]".utf8.contains(UInt8($0)) }

  private mutating func append(_ bytes: Bytes) {
    if entry.count + bytes.count <= HARReader.entryLimit { entry.append(contentsOf: bytes) } else { isTooLong = true }
  }

  /// Whether the entry ends with this byte. What is no object ends at the comma or bracket behind it.
  private mutating func readEntry(_ byte: UInt8) -> Bool {
    if !isInString, depth == 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
      place = byte == UInt8(ascii: ",") ? .list : .end
      return true
    }
    if entry.count < HARReader.entryLimit { entry.append(byte) } else { isTooLong = true }
    if isInString {
      readInString(byte)
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if depth == 0 {
        place = .list
        return true
      }
    default: break
    }
    return false
  }

  private mutating func cut() -> Data? {
    defer {
      entry = []
      depth = 0
    }
    return isTooLong ? nil : Data(entry)
  }

  /// White space, and the bytes of a byte-order mark.
  private func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0xEF || byte == 0xBB || byte == 0xBF
  }
}
