import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Two bodies side by side: JSON by key path, forms by field, text by line, other bytes by where they begin to differ.
enum BodyRows {
  /// A body with what its header says of it.
  struct Side {
    var body: Data?
    var contentType: String?
    var truncated: Bool

    init(_ body: Data?, _ headers: [HeaderField], truncated: Bool) {
      self.body = body
      contentType = headers.first(named: "Content-Type")
      self.truncated = truncated
    }

    var kind: BodyKind { BodyKind(of: body ?? Data(), contentType: contentType) }
    /// In UTF-8; nil where it is no text.
    var text: Data? {
      let text = BodyText.utf8(body ?? Data(), contentType: contentType)
      return text.isEmpty || String(validating: text, as: UTF8.self) != nil ? text : nil
    }
    var size: String { body.map { Wording.size(Int64($0.count)) } ?? "none" }
  }

  /// Longer JSON is compared by line, for its values would not fit into memory.
  private static let jsonLimit = 32 << 20
  private static let wholeLimit = 64 << 10

  static func rows(_ left: Side, _ right: Side) -> [CompareRow] {
    let length = max(left.body?.count ?? 0, right.body?.count ?? 0)
    guard length > 0 else { return [] }
    var rows: [CompareRow] = []
    if left.truncated || right.truncated {
      let side = left.truncated ? right.truncated ? "Both were" : "The left one was" : "The right one was"
      rows.append(.note("\(side) recorded only in part."))
    }
    if left.body != nil, left.body == right.body, length > wholeLimit {
      return rows + [CompareRow("the same", left.size, right.size)]
    }
    if length <= jsonLimit, let values = json(left, right) {
      return rows + JSONRows.rows(values.0, values.1, showsSame: length <= wholeLimit)
    }
    if let fields = fields(left, right) { return rows + fields }
    if let one = left.text, let other = right.text { return rows + LineRows.rows(one, other) }
    return rows + bytes(left, right)
  }

  private static func json(_ left: Side, _ right: Side) -> (JSONValue?, JSONValue?)? {
    let values = [left, right].map { side -> JSONValue?? in
      guard let body = side.text, !body.isEmpty else { return .some(nil) }
      return (try? JSONValue(parsing: body)).map { .some($0) }
    }
    guard let one = values[0], let other = values[1], one != nil || other != nil else { return nil }
    return (one, other)
  }

  private static func fields(_ left: Side, _ right: Side) -> [CompareRow]? {
    let kinds = Set([left.kind, right.kind]).subtracting([.empty])
    guard kinds == [.form], let one = left.text, let other = right.text else { return nil }
    let pairs = [one, other].map { FormFields.parse(String(decoding: $0, as: UTF8.self)).map { HeaderField($0, $1) } }
    return PairRows.rows(pairs[0], pairs[1], isSame: { $0 == $1 })
  }

  private static func bytes(_ left: Side, _ right: Side) -> [CompareRow] {
    let (one, other) = (left.body ?? Data(), right.body ?? Data())
    guard let place = firstDifference(one, other) else { return [CompareRow("the same", left.size, right.size)] }
    var rows = [CompareRow("size", left.size, right.size)]
    for row in 0..<16 {
      let from = place / 8 * 8 + row * 8
      guard from < max(one.count, other.count) else { break }
      rows.append(CompareRow("byte \(Wording.count(from))", hex(one, from), hex(other, from)))
    }
    rows.append(
      .note("They differ from byte \(Wording.count(place)) on; the bytes before are the same.", differs: true))
    return rows
  }

  private static func hex(_ data: Data, _ from: Int) -> String {
    data.dropFirst(from).prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: " ")
  }

  /// Offset of the first byte that is not the same in both; nil where all are.
  private static func firstDifference(_ left: Data, _ right: Data) -> Int? {
    let length = min(left.count, right.count)
    let place = left.withUnsafeBytes { (one: UnsafeRawBufferPointer) in
      right.withUnsafeBytes { (other: UnsafeRawBufferPointer) in
        (0..<length).first { (offset: Int) in one[offset] != other[offset] }
      }
    }
    return place ?? (left.count == right.count ? nil : length)
  }
}

/// Names and values side by side: header fields, the fields of a form.
enum PairRows {
  /// - Parameter isSame: Whether two names are one.
  static func rows(
    _ left: [HeaderField], _ right: [HeaderField], isSame: (String, String) -> Bool
  ) -> [CompareRow] {
    var names: [String] = []
    for field in left + right where !names.contains(where: { isSame($0, field.name) }) { names.append(field.name) }
    return names.map { name in
      let values = [left, right].map { fields in fields.filter { isSame($0.name, name) }.map(\.value) }
      var row = CompareRow(name, values[0].joined(separator: ", "), values[1].joined(separator: ", "))
      // An empty value is not none.
      if values[0].isEmpty != values[1].isEmpty { row.differs = true }
      return row
    }
  }
}

/// JSON side by side, by key path: both are walked at once, so that nothing is kept but the rows.
struct JSONRows {
  private(set) var rows: [CompareRow] = []
  /// Values that are the same and not shown.
  private var hidden = 0
  /// Values that differ and for which there is no room.
  private var more = 0
  private let showsSame: Bool
  private var path: [Step] = []

  private enum Step {
    case name(String)
    case index(Int)
  }

  private static let limit = 5_000

  /// - Parameter showsSame: Values that are the same are shown too; else they are counted.
  static func rows(_ left: JSONValue?, _ right: JSONValue?, showsSame: Bool) -> [CompareRow] {
    var walk = JSONRows(showsSame: showsSame)
    walk.compare(left, right)
    if walk.hidden > 0 { walk.rows.append(.note("⋯ \(Wording.count(walk.hidden, "value")) the same")) }
    if walk.more > 0 {
      walk.rows.append(.note("\(Wording.count(walk.more, "more value")) differ and are left out.", differs: true))
    }
    return walk.rows
  }

  private init(showsSame: Bool) { self.showsSame = showsSame }

  private mutating func compare(_ left: JSONValue?, _ right: JSONValue?) {
    switch (left, right) {
    case (.object(let one)?, .object(let other)?) where !one.isEmpty && !other.isEmpty: compare(one, other)
    case (.array(let one)?, .array(let other)?) where !one.isEmpty && !other.isEmpty:
      for place in 0..<max(one.count, other.count) {
        step(
          .index(place), place < one.count ? .some(one[place]) : .none,
          place < other.count ? .some(other[place]) : .none)
      }
    // One side alone, or another kind of value: each side's own values.
    case (.object(let members)?, _) where !members.isEmpty:
      for member in members { step(.name(member.name), member.value, nil) }
      if let right { compare(nil, right) }
    case (.array(let elements)?, _) where !elements.isEmpty:
      for (place, element) in elements.enumerated() { step(.index(place), element, nil) }
      if let right { compare(nil, right) }
    case (_, .object(let members)?) where !members.isEmpty:
      if let left { compare(left, nil) }
      for member in members { step(.name(member.name), nil, member.value) }
    case (_, .array(let elements)?) where !elements.isEmpty:
      if let left { compare(left, nil) }
      for (place, element) in elements.enumerated() { step(.index(place), nil, element) }
    default: add(left, right)
    }
  }

  private mutating func compare(_ one: [JSONValue.Member], _ other: [JSONValue.Member]) {
    // Names may repeat: the first of that name on one side goes with the first on the other.
    var places: [String: [Int]] = [:]
    for place in other.indices.reversed() { places[other[place].name, default: []].append(place) }
    var isTaken = [Bool](repeating: false, count: other.count)
    for member in one {
      let place = places[member.name]?.popLast()
      if let place { isTaken[place] = true }
      step(.name(member.name), member.value, place.map { other[$0].value })
    }
    for place in other.indices where !isTaken[place] { step(.name(other[place].name), nil, other[place].value) }
  }

  private mutating func step(_ step: Step, _ left: JSONValue?, _ right: JSONValue?) {
    path.append(step)
    compare(left, right)
    path.removeLast()
  }

  private mutating func add(_ left: JSONValue?, _ right: JSONValue?) {
    let differs = left != right
    guard differs || showsSame else {
      hidden += 1
      return
    }
    guard rows.count < Self.limit else {
      if differs { more += 1 } else { hidden += 1 }
      return
    }
    rows.append(CompareRow(label, left?.compact ?? "", right?.compact ?? ""))
  }

  private var label: String {
    path.reduce(into: "$") { text, step in
      switch step {
      case .index(let index): text += "[\(index)]"
      case .name(let name):
        let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "-" }
        text += isPlain ? ".\(name)" : "[\(JSONValue.string(name).compact)]"
      }
    }
  }
}
