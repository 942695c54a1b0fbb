/// The bytes of a bracketed paste up to its end mark, which may be split anywhere.
struct PasteBuffer: Sendable {
  private static let end: [UInt8] = Array("\u{1B}[201~".utf8)
  private var bytes: [UInt8] = []

  var count: Int { bytes.count }

  /// The pasted text; CR and CR LF, as terminals send line ends, become LF, invalid UTF-8 becomes U+FFFD.
  var text: String {
    var unified: [UInt8] = []
    unified.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
      unified.append(byte == 0x0D ? 0x0A : byte)
    }
    return String(decoding: unified, as: UTF8.self)
  }

  /// Takes input up to the end mark; returns the index after what was taken and whether the mark was there.
  mutating func append(_ input: ArraySlice<UInt8>) -> (next: Int, ended: Bool) {
    var searched = max(0, bytes.count - Self.end.count + 1)
    let before = bytes.count
    bytes.append(contentsOf: input)
    while let escape = bytes[searched...].firstIndex(of: 0x1B) {
      if bytes[escape...].starts(with: Self.end) {
        let next = input.startIndex + escape + Self.end.count - before
        bytes.removeSubrange(escape...)
        return (next, true)
      }
      searched = escape + 1
    }
    return (input.endIndex, false)
  }
}
