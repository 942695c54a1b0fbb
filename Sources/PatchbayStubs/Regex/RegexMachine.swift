/// Runs a program over a text: all threads a scalar at a time, each instruction at most once a place.
struct RegexMachine {
  private let program: RegexProgram
  private let text: UnsafeBufferPointer<UInt8>
  private var steps: Int
  private var current = ThreadList()
  private var next = ThreadList()
  private var stack: [Int] = []
  private var accepted = false

  init(_ program: RegexProgram, _ text: UnsafeBufferPointer<UInt8>, budget: Int) {
    self.program = program
    self.text = text
    steps = budget
    current.reset(count: program.code.count)
    next.reset(count: program.code.count)
  }

  mutating func run() -> PatternRegex.Result {
    var at = 0
    var previous: Unicode.Scalar?
    while true {
      if current.isEmpty, let firstBytes = program.firstBytes {
        let start = at
        if program.anchored, at > 0 { return .notFound }
        while at < text.count, !firstBytes[Int(text[at])] { at += 1 }
        if at == text.count { return .notFound }
        if at > start { previous = scalar(before: at) }
      }
      let here = scalar(at: at)
      if at == 0 || !program.anchored { add(0, to: \.current, at: at, previous, here?.scalar) }
      if accepted { return .found }
      if steps < 0 { return .overBudget }
      guard let here else { return .notFound }
      if current.isEmpty, program.anchored { return .notFound }
      let after = at + here.length
      let following = scalar(at: after)?.scalar
      for thread in current.threads {
        steps -= 1
        if case .set(let index) = program.code[thread], program.sets[index].contains(here.scalar) {
          add(thread + 1, to: \.next, at: after, here.scalar, following)
        }
      }
      if accepted { return .found }
      if steps < 0 { return .overBudget }
      swap(&current, &next)
      next.clear()
      previous = here.scalar
      at = after
    }
  }

  private mutating func add(
    _ start: Int, to list: WritableKeyPath<RegexMachine, ThreadList>, at: Int, _ previous: Unicode.Scalar?,
    _ following: Unicode.Scalar?
  ) {
    stack.append(start)
    while let index = stack.popLast() {
      guard self[keyPath: list].insert(index) else { continue }
      steps -= 1
      switch program.code[index] {
      case .accept: accepted = true
      case .jump(let target): stack.append(target)
      case .split(let one, let other):
        stack.append(other)
        stack.append(one)
      case .assert(let assertion):
        if holds(assertion, at: at, previous, following) { stack.append(index + 1) }
      case .set: break
      }
    }
  }

  private func holds(
    _ assertion: RegexNode.Assertion, at: Int, _ previous: Unicode.Scalar?, _ following: Unicode.Scalar?
  ) -> Bool {
    switch assertion {
    case .textStart: at == 0
    case .textEnd: at == text.count
    case .lastLineEnd: at == text.count || (at == text.count - 1 && text[at] == 0x0A)
    case .lineStart: at == 0 || previous == "\n"
    case .lineEnd: at == text.count || text[at] == 0x0A || (text[at] == 0x0D && previous != "\r")
    case .wordEdge: isEdge(previous, following)
    case .notWordEdge: !isEdge(previous, following)
    }
  }

  private func isEdge(_ previous: Unicode.Scalar?, _ following: Unicode.Scalar?) -> Bool {
    (previous.map { ScalarSet.Class.isWord($0) } ?? false) != (following.map { ScalarSet.Class.isWord($0) } ?? false)
  }

  private func scalar(before end: Int) -> Unicode.Scalar? {
    var start = end - 1
    while start > 0, end - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
    guard start >= 0, let found = scalar(at: start) else { return nil }
    return start + found.length == end ? found.scalar : "\u{FFFD}"
  }

  private func scalar(at start: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    guard start < text.count else { return nil }
    let lead = text[start]
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard lead >= 0xC2, lead < 0xF5, start + length <= text.count else { return ("\u{FFFD}", 1) }
    var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    for offset in 1..<length {
      let byte = text[start + offset]
      guard byte & 0xC0 == 0x80 else { return ("\u{FFFD}", 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard let scalar = Unicode.Scalar(value), length == 2 || value >= (length == 3 ? 0x800 : 0x10000) else {
      return ("\u{FFFD}", 1)
    }
    return (scalar, length)
  }
}

/// A set of instruction numbers that is cleared without touching all of it.
struct ThreadList {
  private(set) var threads: [Int] = []
  private var marks: [UInt32] = []
  private var round: UInt32 = 1

  var isEmpty: Bool { threads.isEmpty }

  mutating func reset(count: Int) {
    marks = [UInt32](repeating: 0, count: count)
  }

  mutating func insert(_ index: Int) -> Bool {
    guard marks[index] != round else { return false }
    marks[index] = round
    threads.append(index)
    return true
  }

  mutating func clear() {
    threads.removeAll(keepingCapacity: true)
    round &+= 1
    guard round == 0 else { return }
    round = 1
    for index in marks.indices { marks[index] = 0 }
  }
}
