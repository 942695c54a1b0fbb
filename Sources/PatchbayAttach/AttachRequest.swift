/// The block's request, in the program's memory: `PatchbayAttachBlock.h` of the preload library says the same in C.
struct AttachRequest {
  enum Phase: UInt32 { case begun, ready, failed }
  enum Order: UInt32 { case wait, hook, leave, done }

  private static let version: UInt8 = 2
  static let sessionLimit = 32_768
  private static let orderOffset: UInt64 = 8, countOffset: UInt64 = 12, hookedOffset: UInt64 = 16,
    slotsOffset: UInt64 = 20
  private static let mappingOffset = 24
  private static let texts: [(offset: Int, size: Int)] = [(40, 4096), (4136, 512), (4648, 512)]
  private static let message: (offset: UInt64, size: Int) = (5160, 1024)
  private static let sessionsOffset: UInt64 = 6184
  static let size = sessionsOffset + UInt64(sessionLimit) * 8

  let memory: TargetMemory
  let address: UInt64

  /// - Parameters:
  ///   - hook: the hook's path, as the program sees it.
  ///   - runtime: what it was built for, `NAME=HEX,NAME=HEX`.
  ///   - rendezvous: where it finds its consoles, as the program sees it.
  ///   - mapping: what is to be unmapped at the end.
  static func bytes(hook: String, runtime: String, rendezvous: String, mapping: Range<UInt64>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(sessionsOffset))
    bytes[0] = version
    bytes.replaceSubrange(
      mappingOffset..<mappingOffset + 16,
      with: mapping.lowerBound.littleEndianBytes + (mapping.upperBound - mapping.lowerBound).littleEndianBytes)
    for (text, place) in zip([hook, runtime, rendezvous], texts) {
      let utf8 = Array(text.utf8.prefix(place.size - 1))
      bytes.replaceSubrange(place.offset..<place.offset + utf8.count, with: utf8)
    }
    return bytes
  }

  var phase: Phase { Phase(rawValue: memory.half(at: address + 4) ?? 0) ?? .begun }
  /// The last list of sessions was done.
  var isListDone: Bool { memory.half(at: address + Self.orderOffset) == Order.wait.rawValue }
  var hooked: Int { Int(memory.half(at: address + Self.hookedOffset) ?? 0) }
  var slots: Int { Int(memory.half(at: address + Self.slotsOffset) ?? 0) }

  /// Why the hook could not be used.
  var reason: String {
    let parts = memory.text(at: address + Self.message.offset, atMost: Self.message.size)
      .split(separator: "\t", maxSplits: 1).map(String.init)
    let detail = parts.count > 1 ? parts[1] : ""
    return switch parts.first ?? "" {
    case "different-runtime":
      "it runs on another build of Swift (\(detail)); build Patchbay with the toolchain that built the program"
    case "not-loaded": "it could not be loaded (\(detail))"
    case "another-version": "another version of Patchbay is in the program; start the program again"
    case "": "there is none"
    default: "\(parts[0]) (\(detail))"
    }
  }

  /// Has the block and its code stay for ever.
  func keepMapped() { try? memory.write(UInt64(0), at: address + UInt64(Self.mappingOffset) + 8) }

  func order(_ order: Order) { try? memory.write(order.rawValue, at: address + Self.orderOffset) }

  /// At most `sessionLimit`.
  func list(_ sessions: [UInt64]) throws(AttachError) {
    try memory.write(sessions.flatMap(\.littleEndianBytes), at: address + Self.sessionsOffset)
    try memory.write(UInt32(sessions.count), at: address + Self.countOffset)
  }
}
