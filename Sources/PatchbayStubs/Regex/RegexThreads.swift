/// The threads of a program: where each stands, and what becomes of them with the next scalar.
///
/// Not `Sendable`: belongs to one `RegexMatcher`.
final class RegexThreads {
  private let count: Int
  private let anchored: Bool
  private let code: UnsafeMutableBufferPointer<RegexProgram.Instruction>
  private let stack: UnsafeMutableBufferPointer<Int32>
  private let marks: UnsafeMutableBufferPointer<UInt64>
  private let held: UnsafeMutableBufferPointer<Int32>
  private let spare: UnsafeMutableBufferPointer<Int32>
  @exclusivity(unchecked) private var isSwapped = false
  @exclusivity(unchecked) private var length = 0
  @exclusivity(unchecked) private var round: UInt64 = 0
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
    held = .allocate(capacity: count)
    held.initialize(repeating: 0)
    spare = .allocate(capacity: count)
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
    round += 1
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
}

/// Sets of threads that were met, and what each becomes with each symbol. Bounded: when it is full it says so.
///
/// Not `Sendable`: belongs to one `RegexMatcher`.
final class RegexStates {
  /// In the table, in the place of a state.
  static let unknown = -1
  static let found = -2
  static let dead = -3

  /// For each state a row: the number of the state that follows each symbol. A state's number is where its row begins.
  @exclusivity(unchecked) private(set) var table: UnsafeMutablePointer<Int32>
  @exclusivity(unchecked) private(set) var count = 0
  private let stride: Int
  private var capacity: Int
  private var numbers: [Key: Int] = [:]
  private var befores: [RegexSymbols.Before] = []
  private var starts: [Int] = [0]
  private var kernels: [Int32] = []
  @exclusivity(unchecked) private var first: Int?

  /// So many entries all rows have together, and so many threads all states: half a megabyte.
  private static let limit = 65_536

  private struct Key: Hashable {
    var kernel: [Int32]
    var before: UInt8
  }

  init(stride: Int) {
    self.stride = stride
    capacity = 4
    table = .allocate(capacity: capacity * stride)
    table.initialize(repeating: Int32(Self.unknown), count: capacity * stride)
  }

  deinit { table.deallocate() }

  /// The state at the start of a text, where the threads are always the same.
  func start(_ kernel: UnsafeBufferPointer<Int32>) -> Int {
    if let first { return first }
    if number(of: kernel, .textStart) == nil { removeAll() }
    first = number(of: kernel, .textStart)
    return first ?? 0
  }

  /// The number of the state, a new one where it was not met before; nil where there is no room for it.
  func number(of kernel: UnsafeBufferPointer<Int32>, _ before: RegexSymbols.Before) -> Int? {
    let key = Key(kernel: Array(kernel), before: before.rawValue)
    if let known = numbers[key] { return known }
    let isFirst = count == 0
    guard isFirst || ((count + 1) * stride <= Self.limit && kernels.count + kernel.count <= Self.limit) else {
      return nil
    }
    if count == capacity { grow() }
    let number = count * stride
    numbers[key] = number
    befores.append(before)
    kernels.append(contentsOf: kernel)
    starts.append(kernels.count)
    count += 1
    return number
  }

  func before(_ state: Int) -> RegexSymbols.Before { befores[state / stride] }

  func kernel(_ state: Int) -> ArraySlice<Int32> {
    kernels[starts[state / stride]..<starts[state / stride + 1]]
  }

  func removeAll() {
    table.update(repeating: Int32(Self.unknown), count: count * stride)
    numbers.removeAll(keepingCapacity: true)
    befores.removeAll(keepingCapacity: true)
    kernels.removeAll(keepingCapacity: true)
    starts = [0]
    count = 0
    first = nil
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * capacity * stride)
    larger.initialize(repeating: Int32(Self.unknown), count: 2 * capacity * stride)
    larger.update(from: table, count: capacity * stride)
    table.deallocate()
    table = larger
    capacity *= 2
  }
}
