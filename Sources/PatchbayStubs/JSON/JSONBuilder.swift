/// Makes the nodes that `JSONParser` reads; ranges are bytes of the text.
protocol JSONBuilder {
  associatedtype Node
  associatedtype Member
  func null(_ range: Range<Int>) -> Node
  func bool(_ value: Bool, _ range: Range<Int>) -> Node
  func number(_ digits: String, _ range: Range<Int>) -> Node
  func string(_ text: String, _ range: Range<Int>) -> Node
  func array(_ elements: [Node], _ range: Range<Int>) -> Node
  func object(_ members: [Member], _ range: Range<Int>) -> Node
  func member(_ name: String, _ nameRange: Range<Int>, _ value: Node) -> Member
}

struct JSONValueBuilder: JSONBuilder {
  func null(_ range: Range<Int>) -> JSONValue { .null }
  func bool(_ value: Bool, _ range: Range<Int>) -> JSONValue { .bool(value) }
  func number(_ digits: String, _ range: Range<Int>) -> JSONValue { .number(digits) }
  func string(_ text: String, _ range: Range<Int>) -> JSONValue { .string(text) }
  func array(_ elements: [JSONValue], _ range: Range<Int>) -> JSONValue { .array(elements) }
  func object(_ members: [JSONValue.Member], _ range: Range<Int>) -> JSONValue { .object(members) }
  func member(_ name: String, _ nameRange: Range<Int>, _ value: JSONValue) -> JSONValue.Member {
    JSONValue.Member(name, value)
  }
}

/// Makes nodes with their places.
struct DocumentBuilder: JSONBuilder {
  let lines: LineTable
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    lines = LineTable(bytes)
  }

  private func node(_ value: DocumentNode.Value, _ range: Range<Int>) -> DocumentNode {
    DocumentNode(value, at: lines.position(of: range.lowerBound, in: bytes), bytes: range)
  }

  func null(_ range: Range<Int>) -> DocumentNode { node(.scalar("null", .null), range) }
  func bool(_ value: Bool, _ range: Range<Int>) -> DocumentNode {
    node(.scalar(value ? "true" : "false", .bool), range)
  }
  func number(_ digits: String, _ range: Range<Int>) -> DocumentNode { node(.scalar(digits, .number), range) }
  func string(_ text: String, _ range: Range<Int>) -> DocumentNode { node(.scalar(text, .text), range) }
  func array(_ elements: [DocumentNode], _ range: Range<Int>) -> DocumentNode { node(.list(elements), range) }
  func object(_ members: [DocumentNode.Entry], _ range: Range<Int>) -> DocumentNode { node(.map(members), range) }
  func member(_ name: String, _ nameRange: Range<Int>, _ value: DocumentNode) -> DocumentNode.Entry {
    DocumentNode.Entry(
      name, at: lines.position(of: nameRange.lowerBound, in: bytes), bytes: nameRange, value: value)
  }
}

/// Where the lines of a text begin, to tell line and column of a byte. A line may be the whole of a large text.
struct LineTable {
  private let starts: [Int]
  /// How many scalars begin before each `stride`th byte.
  private let counts: [Int]

  private static let stride = 64

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var starts = [0]
    var counts: [Int] = []
    counts.reserveCapacity(bytes.count / Self.stride + 1)
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.stride == 0 { counts.append(count) }
      // Continuation bytes do not begin a scalar.
      if byte & 0xC0 != 0x80 { count += 1 }
      if byte == 0x0A { starts.append(offset + 1) }
    }
    if bytes.count % Self.stride == 0 { counts.append(count) }
    self.starts = starts
    self.counts = counts
  }

  func position(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> SourcePosition {
    let line = max(1, starts.partitioningIndex { $0 > offset })
    return SourcePosition(line: line, column: scalars(offset, bytes) - scalars(starts[line - 1], bytes) + 1)
  }

  /// How many scalars begin before the byte.
  private func scalars(_ offset: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = counts[offset / Self.stride]
    var index = offset - offset % Self.stride
    while index < offset {
      if bytes[index] & 0xC0 != 0x80 { count += 1 }
      index += 1
    }
    return count
  }
}
