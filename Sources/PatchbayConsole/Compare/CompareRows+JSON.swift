import PatchbayStubs

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
