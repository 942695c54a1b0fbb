import PatchbayStubs

/// Puts stubs into a JSON file; those that did not change keep their bytes.
enum JSONSplice {
  static func text(_ text: String, _ document: DocumentNode, _ slots: [StubFileWriter.Slot]) -> String? {
    let bytes = Array(text.utf8)
    guard let list = document["stubs"], case .list(let items) = list.value, let range = list.bytes else {
      return adding(bytes, document, slots)
    }
    let indent = items.first?.position.map { $0.column - 1 } ?? lineIndent(bytes, range.lowerBound) + 2
    let parts = slots.map { slot -> [UInt8] in
      if !slot.isChanged, let source = slot.source, let range = items[source].bytes { return Array(bytes[range]) }
      return Array(rendered(slot.stub, indent: indent).utf8)
    }
    let isOneLine = !items.isEmpty && !bytes[range].contains(0x0A)
    let array = joined(parts, isOneLine ? nil : indent, close: lineIndent(bytes, range.lowerBound))
    return String(decoding: bytes[..<range.lowerBound] + array + bytes[range.upperBound...], as: UTF8.self)
  }

  private static func adding(
    _ bytes: [UInt8], _ document: DocumentNode, _ slots: [StubFileWriter.Slot]
  ) -> String? {
    guard case .map(let entries) = document.value, document["stubs"] == nil, let last = entries.last?.value.bytes else {
      return nil
    }
    let parts = slots.map { Array(rendered($0.stub, indent: 4).utf8) }
    let member = Array(",\n  \"stubs\": ".utf8) + joined(parts, 4, close: 2)
    return String(decoding: bytes[..<last.upperBound] + member + bytes[last.upperBound...], as: UTF8.self)
  }

  private static func rendered(_ stub: Stub, indent: Int) -> String {
    let lines = stub.json.indented().split(separator: "\n", omittingEmptySubsequences: false)
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  private static func joined(_ parts: [[UInt8]], _ indent: Int?, close: Int) -> [UInt8] {
    if parts.isEmpty { return Array("[]".utf8) }
    guard let indent else { return Array("[".utf8) + parts.joined(separator: Array(", ".utf8)) + Array("]".utf8) }
    let gap = Array(("\n" + String(repeating: " ", count: indent)).utf8)
    let end = Array(("\n" + String(repeating: " ", count: close) + "]").utf8)
    return Array("[".utf8) + gap + parts.joined(separator: Array(",".utf8) + gap) + end
  }

  /// How far the line of that byte is indented.
  private static func lineIndent(_ bytes: [UInt8], _ offset: Int) -> Int {
    let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return bytes[start...].prefix { $0 == 0x20 }.count
  }
}
