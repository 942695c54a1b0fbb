/// The threads of a program: where each stands, and what becomes of them with the next scalar.
///
/// Not `Sendable`: belongs to one `RegexMatcher`.
final class RegexThreads {
  private let count: Int
  private let anchored: Bool
  private let code: UnsafeMutableBufferPointer<RegexProgram.Instruction>
  private let stack: UnsafeMutableBufferPointer<Int32>
  private let marks: UnsafeMutableBufferPointer<UInt32>
  private let held: UnsafeMutableBufferPointer<Int32>
  private let spare: UnsafeMutableBufferPointer<Int32>
  @exclusivity(unchecked) private var isSwapped = false
  @exclusivity(unchecked) private var length = 0
  @exclusivity(unchecked) private var round: UInt32 = 0
  /// How many may still be taken.
  @exclusivity(unchecked) var steps = 0

  init(_ program: RegexProgram) {
    count = program.code.count
    anchored = program.anchored
    code = .allocate(capacity: count)
    _ = code.initialize(from: program.code)
    // Each instruction puts at most one more on the stack than it takes off.
    stack = .allocate(capacity: count + 2)
    stack.initialize(repeating: 0)
    marks = .allocate(capacity: count)
    marks.initialize(repeating: 0)
    held = .allocate(capacity: count + 1)
    held.initialize(repeating: 0)
    spare = .allocate(capacity: count + 1)
    spare.initialize(repeating: 0)
  }

  deinit {
    code.deallocate()
    stack.deallocate()
    marks.deallocate()
    held.deallocate()
    spare.deallocate()
  }

  /// Where the threads stand, before what costs no scalar. Where a match may begin anywhere, the one that begins here
  /// is not among them.
  var kernel: UnsafeBufferPointer<Int32> { UnsafeBufferPointer(rebasing: current[..<length]) }

  private var current: UnsafeMutableBufferPointer<Int32> { isSwapped ? spare : held }

  func begin() {
    length = anchored ? 1 : 0
    current[0] = 0
  }

  func load(_ kernel: ArraySlice<Int32>) {
    length = kernel.count
    _ = current.update(fromContentsOf: kernel)
  }

  /// The same threads in rising order.
  func sortedKernel() -> UnsafeBufferPointer<Int32> {
    if length > 1 {
      var slice = UnsafeMutableBufferPointer(rebasing: current[..<length])
      slice.sort()
    }
    return kernel
  }

  /// Moves all threads over the symbol. Whether one had come to the end before it.
  func advance(_ before: RegexSymbols.Before, _ symbol: Int, _ symbols: RegexSymbols) -> Bool {
    newRound()
    let from = current
    let to = isSwapped ? held : spare
    var moved = 0
    for index in 0...length {
      if index == length, anchored { break }
      var depth = 1
      stack[0] = index == length ? 0 : from[index]
      while depth > 0 {
        depth -= 1
        let at = Int(stack[depth])
        guard marks[at] != round else { continue }
        marks[at] = round
        steps -= 1
        switch code[at] {
        case .accept: return true
        case .jump(let target):
          stack[depth] = Int32(truncatingIfNeeded: target)
          depth += 1
        case .split(let one, let other):
          stack[depth] = Int32(truncatingIfNeeded: other)
          stack[depth + 1] = Int32(truncatingIfNeeded: one)
          depth += 2
        case .assert(let assertion):
          guard symbols.holds(assertion, before, symbol) else { continue }
          stack[depth] = Int32(truncatingIfNeeded: at + 1)
          depth += 1
        case .set(let set):
          guard symbols.holds(set, symbol) else { continue }
          to[moved] = Int32(truncatingIfNeeded: at + 1)
          moved += 1
        }
      }
    }
    isSwapped.toggle()
    length = moved
    return false
  }

  private func newRound() {
    round &+= 1
    guard round == 0 else { return }
    round = 1
    marks.update(repeating: 0)
  }
}
