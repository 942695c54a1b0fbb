/// What a program can tell of scalars: those that fit the same of its sets are one symbol.
///
/// Not `Sendable`: belongs to one `RegexMatcher`.
final class RegexSymbols {
  /// The end of the text, and the line end that closes it.
  static let end = 0
  static let finalNewline = 1

  /// What stands before a place, as far as `^`, `$` and `\b` can tell.
  enum Before: UInt8 {
    case textStart
    case other
    case newline
    case carriageReturn
    case word
  }

  /// Symbols below this number have a place in the tables of states.
  let limit: Int
  let ascii: UnsafeMutableBufferPointer<UInt8>

  private let sets: [ScalarSet]
  private let words: Int
  /// For each symbol a bit for each set.
  private var members: [UInt64]
  private var befores: [Before]
  private var known: [[UInt64]: Int] = [:]
  private var recent: [(scalar: UInt32, symbol: Int32)] = []
  private var row: [UInt64]

  /// More symbols than these are worked out again each time.
  private static let most = 1_000
  private static let recentSize = 512

  init(_ program: RegexProgram) {
    sets = program.sets
    words = program.sets.count / 64 + 1
    row = [UInt64](repeating: 0, count: words)
    members = []
    befores = []
    ascii = .allocate(capacity: 128)
    ascii.initialize(repeating: 0)
    limit = 2 + Self.tellASCIIApart(program, ascii) + min(64, 2 + 2 * program.sets.count)
    members = [UInt64](repeating: 0, count: limit * words)
    befores = [Before](repeating: .other, count: limit)
    befores[Self.finalNewline] = .newline
    var highest = Self.finalNewline
    for value in (UInt8(0)..<128).reversed() {
      let symbol = Int(ascii[Int(value)])
      highest = max(highest, symbol)
      work(out: Unicode.Scalar(value))
      put(row, at: symbol)
      befores[symbol] = Self.before(Unicode.Scalar(value))
      if value == 0x0A { put(row, at: Self.finalNewline) }
    }
    members.removeLast((limit - highest - 1) * words)
    befores.removeLast(limit - highest - 1)
  }

  deinit { ascii.deallocate() }

  /// The symbol of a scalar in the midst of the text; working out a new one takes steps.
  func symbol(of scalar: Unicode.Scalar, _ steps: inout Int) -> Int {
    if scalar.value < 128 { return Int(ascii[Int(scalar.value)]) }
    if recent.isEmpty { recent = Array(repeating: (0, 0), count: Self.recentSize) }
    let slot = Int(scalar.value) & (Self.recentSize - 1)
    if recent[slot].scalar == scalar.value { return Int(recent[slot].symbol) }
    steps -= 4 * sets.count
    work(out: scalar)
    let before = Self.before(scalar)
    row.append(before == .word ? 1 : 0)
    defer { row.removeLast() }
    if let symbol = known[row] {
      recent[slot] = (scalar.value, Int32(truncatingIfNeeded: symbol))
      return symbol
    }
    let found = min(befores.count, Self.most)
    if found < Self.most {
      known[row] = found
      recent[slot] = (scalar.value, Int32(truncatingIfNeeded: found))
    }
    // The last place serves all that are left.
    if found == befores.count {
      members.append(contentsOf: row.dropLast())
      befores.append(before)
    } else {
      for word in 0..<words { members[found * words + word] = row[word] }
      befores[found] = before
    }
    return found
  }

  func before(_ symbol: Int) -> Before { befores[symbol] }

  func holds(_ set: Int, _ symbol: Int) -> Bool { members[symbol * words + set >> 6] >> UInt64(set & 63) & 1 == 1 }

  /// Whether it holds between what stands before and the symbol.
  func holds(_ assertion: RegexNode.Assertion, _ before: Before, _ symbol: Int) -> Bool {
    switch assertion {
    case .textStart: return before == .textStart
    case .textEnd: return symbol == Self.end
    case .lastLineEnd: return symbol == Self.end || symbol == Self.finalNewline
    case .lineStart: return before == .textStart || before == .newline
    case .lineEnd:
      if symbol == Self.end { return true }
      return befores[symbol] == .newline || (befores[symbol] == .carriageReturn && before != .carriageReturn)
    case .wordEdge: return (before == .word) != (befores[symbol] == .word)
    case .notWordEdge: return (before == .word) == (befores[symbol] == .word)
    }
  }

  private func work(out scalar: Unicode.Scalar) {
    for word in row.indices { row[word] = 0 }
    for (index, set) in sets.enumerated() where set.contains(scalar) { row[index >> 6] |= 1 << UInt64(index & 63) }
  }

  private func put(_ row: [UInt64], at symbol: Int) {
    for (index, word) in row.enumerated() { members[symbol * words + index] = word }
  }

  private static func before(_ scalar: Unicode.Scalar) -> Before {
    switch scalar {
    case "\n": .newline
    case "\r": .carriageReturn
    default: ScalarSet.Class.isWord(scalar) ? .word : .other
    }
  }

  /// Numbers the ASCII characters by what can be told of them; how many numbers there are.
  private static func tellASCIIApart(_ program: RegexProgram, _ ascii: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var classes = [Int](repeating: 0, count: 128)
    var count = 1
    func split(_ holds: (Unicode.Scalar) -> Bool) {
      guard count < 128 else { return }
      var kept = [Bool](repeating: false, count: 128)
      var others = [Int](repeating: -1, count: 128)
      let answers = (UInt8(0)..<128).map { holds(Unicode.Scalar($0)) }
      for value in 0..<128 where !answers[value] { kept[classes[value]] = true }
      for value in 0..<128 where answers[value] && kept[classes[value]] {
        if others[classes[value]] < 0 {
          others[classes[value]] = count
          count += 1
        }
        classes[value] = others[classes[value]]
      }
    }
    if program.usesNeighbours {
      split { $0 == "\n" }
      split { $0 == "\r" }
      split { ScalarSet.Class.isWord($0) }
    }
    for set in program.sets { split { set.contains($0) } }
    for value in 0..<128 { ascii[value] = UInt8(truncatingIfNeeded: classes[value] + 2) }
    return count
  }
}
