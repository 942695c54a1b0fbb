/// A regular expression as instructions for `RegexMatcher`.
struct RegexProgram: Sendable {
  enum Instruction: Sendable {
    case set(Int)
    case split(Int, Int)
    case jump(Int)
    case assert(RegexNode.Assertion)
    case accept
  }

  private(set) var code: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  /// It can match only from the very beginning of the text.
  let anchored: Bool
  /// It asks what stands before a place.
  private(set) var usesNeighbours = false
  /// The bytes with which a match can begin, a bit each; nil where it can be empty.
  private(set) var firstBytes: [Bool]?

  /// Runs of ASCII characters that every match holds, letter case aside.
  let literals: [[UInt8]]

  private static let limit = 20_000

  init(_ node: RegexNode) throws(StubError) {
    anchored = Self.isAnchored(node)
    var runs: [[UInt8]] = [[]]
    Self.collect(node, into: &runs)
    literals = runs.filter { $0.count > 1 }
    var leaf = 0
    try emit(node, &leaf)
    try append(.accept)
    firstBytes = beginnings()
  }

  private static func isAnchored(_ node: RegexNode) -> Bool {
    switch node {
    case .assert(.textStart): true
    case .concat(let parts): parts.first.map { isAnchored($0) } ?? false
    case .either(let branches): branches.allSatisfy { isAnchored($0) }
    case .group(let inner, _): isAnchored(inner)
    default: false
    }
  }

  /// What stands in the regular expression whatever branch is taken.
  private static func collect(_ node: RegexNode, into runs: inout [[UInt8]]) {
    switch node {
    case .set(let set):
      if let byte = set.onlyASCII {
        runs[runs.count - 1].append(byte)
      } else {
        runs.append([])
      }
    case .concat(let parts): for part in parts { collect(part, into: &runs) }
    case .group(let inner, _): collect(inner, into: &runs)
    case .counted(let inner, let min, _, _):
      runs.append([])
      if min > 0 {
        collect(inner, into: &runs)
        runs.append([])
      }
    case .either: runs.append([])
    case .empty, .assert: break
    }
  }

  private mutating func append(_ instruction: Instruction) throws(StubError) {
    guard code.count < Self.limit else {
      throw StubError("the regular expression cannot be used: it is too large; use smaller counts")
    }
    code.append(instruction)
  }

  /// - Parameter leaf: the number of the next set as it stands in the regular expression; repeated ones are kept once.
  private mutating func emit(_ node: RegexNode, _ leaf: inout Int) throws(StubError) {
    switch node {
    case .empty: break
    case .set(let set):
      if leaf == sets.count { sets.append(set) }
      try append(.set(leaf))
      leaf += 1
    case .assert(let assertion):
      if assertion != .textStart, assertion != .textEnd, assertion != .lastLineEnd { usesNeighbours = true }
      try append(.assert(assertion))
    case .concat(let parts): for part in parts { try emit(part, &leaf) }
    case .either(let branches): try emitEither(branches, &leaf)
    case .group(let inner, _): try emit(inner, &leaf)
    case .counted(let inner, let min, let max, _): try emitCounted(inner, min, max, &leaf)
    }
  }

  private mutating func emitEither(_ branches: [RegexNode], _ leaf: inout Int) throws(StubError) {
    var ends: [Int] = []
    for (index, branch) in branches.enumerated() {
      guard index < branches.count - 1 else {
        try emit(branch, &leaf)
        break
      }
      let split = code.count
      try append(.split(split + 1, 0))
      try emit(branch, &leaf)
      ends.append(code.count)
      try append(.jump(0))
      code[split] = .split(split + 1, code.count)
    }
    for end in ends { code[end] = .jump(code.count) }
  }

  private mutating func emitCounted(
    _ inner: RegexNode, _ min: Int, _ max: Int?, _ leaf: inout Int
  ) throws(StubError) {
    let first = leaf
    for _ in 0..<min {
      leaf = first
      let before = code.count
      try emit(inner, &leaf)
      // What is empty once is so however often.
      if code.count == before { break }
    }
    guard let max else {
      let loop = code.count
      try append(.split(loop + 1, 0))
      leaf = first
      try emit(inner, &leaf)
      try append(.jump(loop))
      code[loop] = .split(loop + 1, code.count)
      return
    }
    var splits: [Int] = []
    for _ in min..<Swift.max(min, max) {
      splits.append(code.count)
      try append(.split(code.count + 1, 0))
      leaf = first
      try emit(inner, &leaf)
    }
    for split in splits { code[split] = .split(split + 1, code.count) }
  }

  private func beginnings() -> [Bool]? {
    var result = [Bool](repeating: false, count: 256)
    var seen = Set<Int>()
    var open = [0]
    while let at = open.popLast() {
      guard seen.insert(at).inserted else { continue }
      switch code[at] {
      case .accept: return nil
      case .jump(let target): open.append(target)
      case .split(let one, let other): open += [one, other]
      case .assert: open.append(at + 1)
      case .set(let index):
        let set = sets[index]
        for value in UInt8(0)..<128 where set.contains(Unicode.Scalar(value)) { result[Int(value)] = true }
        for value in 128..<256 { result[value] = true }
      }
    }
    return result
  }
}
