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
