import Synchronization

/// Searches texts for a program, one after the other, without asking for memory once it is warm.
///
/// It runs all threads of the program a scalar at a time. What a set of threads becomes with the next scalar is
/// remembered (`RegexStates`), so that a text which meets known states costs a look into a table for each byte. Where
/// the states are too many to be remembered, the threads are run one by one; only that, and the making of states,
/// spends the budget.
///
/// `@unchecked Sendable`: `RegexPool` hands it to one search at a time. For the same reason accesses to what each search
/// touches are not watched for overlapping (`@exclusivity(unchecked)`), here and in its parts: that costs more than the
/// search of a short text.
final class RegexMatcher: @unchecked Sendable {
  private let program: RegexProgram
  private let threads: RegexThreads
  private let symbols: RegexSymbols
  private let states: RegexStates
  private let prefilter: RegexPrefilter?
  /// The states were too many for texts like these.
  @exclusivity(unchecked) private(set) var runsThreads: Bool
  /// How many bytes were looked at since the states were forgotten.
  @exclusivity(unchecked) private var passed = 0

  init(_ program: RegexProgram, runsThreads: Bool = false) {
    self.program = program
    self.runsThreads = runsThreads
    threads = RegexThreads(program)
    symbols = RegexSymbols(program)
    states = RegexStates(stride: symbols.limit)
    prefilter = program.anchored ? nil : RegexPrefilter(program.literals)
  }

  func search(_ text: UnsafeBufferPointer<UInt8>, budget: Int) -> PatternRegex.Result {
    if let prefilter, !prefilter.mayHold(text) { return .notFound }
    threads.steps = budget
    threads.begin()
    return runsThreads ? runThreads(text, from: 0, .textStart) : runStates(text)
  }

  private func runStates(_ text: UnsafeBufferPointer<UInt8>) -> PatternRegex.Result {
    // The line end that closes the text is a symbol of its own.
    let end = text.last == 0x0A ? text.count - 1 : text.count
    var state = states.start(threads.kernel)
    var at = 0
    defer { passed += text.count }
    while true {
      let symbol = walk(text, to: end, &at, &state)
      if symbol >= symbols.limit {
        threads.load(states.kernel(state))
        return giveUp(text, from: at, states.before(state))
      }
      if states.table[state + symbol] == RegexStates.unknown {
        let before = states.before(state)
        threads.load(states.kernel(state))
        let isFound = threads.advance(before, symbol, symbols)
        if threads.steps < 0 { return .overBudget }
        if !learn(from: state, symbol, isFound) {
          let after = program.usesNeighbours ? symbols.before(symbol) : .other
          at += at < end ? RegexScalar(text, at: at).length : 1
          if passed + at < 10 * states.count { return giveUp(text, from: at, after) }
          passed = -at
          states.removeAll()
          state = states.number(of: threads.sortedKernel(), after) ?? 0
          continue
        }
      }
      let following = Int(states.table[state + symbol])
      if following == RegexStates.found { return .found }
      if following == RegexStates.dead { return .notFound }
      state = following
      at += at < end ? RegexScalar(text, at: at).length : 1
    }
  }

  /// Goes on through known states; the symbol for which none is known, or which decides.
  private func walk(
    _ text: UnsafeBufferPointer<UInt8>, to end: Int, _ at: inout Int, _ state: inout Int
  ) -> Int {
    let table = states.table
    let classes = symbols.ascii
    var (place, here) = (at, state)
    defer { (at, state) = (place, here) }
    while place < end {
      let byte = text[place]
      var symbol = 0
      var length = 1
      if byte < 0x80 {
        symbol = Int(classes[Int(byte)])
      } else {
        let scalar = RegexScalar(text, at: place)
        length = scalar.length
        symbol = symbols.symbol(of: scalar.scalar, &threads.steps)
        if symbol >= symbols.limit { return symbol }
      }
      let following = Int(table[here + symbol])
      if following < 0 { return symbol }
      here = following
      place += length
    }
    return place < text.count ? RegexSymbols.finalNewline : RegexSymbols.end
  }

  /// Remembers what the threads have become; false where there is no room for it.
  private func learn(from state: Int, _ symbol: Int, _ isFound: Bool) -> Bool {
    var following = RegexStates.dead
    if isFound {
      following = RegexStates.found
    } else if symbol != RegexSymbols.end, !program.anchored || !threads.kernel.isEmpty {
      let after = program.usesNeighbours ? symbols.before(symbol) : .other
      guard let number = states.number(of: threads.sortedKernel(), after) else { return false }
      following = number
    }
    states.table[state + symbol] = Int32(truncatingIfNeeded: following)
    return true
  }

  private func giveUp(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ before: RegexSymbols.Before
  ) -> PatternRegex.Result {
    runsThreads = true
    return runThreads(text, from: start, before)
  }

  private func runThreads(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ before: RegexSymbols.Before
  ) -> PatternRegex.Result {
    var at = start
    var before = before
    while true {
      var symbol = RegexSymbols.end
      var length = 0
      if at < text.count {
        if threads.kernel.isEmpty, !program.anchored, let first = program.firstBytes {
          let from = at
          while at < text.count, !first[Int(text[at])] { at += 1 }
          if at == text.count { return .notFound }
          if at > from { before = symbols.before(Int(symbols.ascii[Int(text[at - 1])])) }
        }
        let here = RegexScalar(text, at: at)
        length = here.length
        symbol =
          here.scalar.value == 0x0A && at == text.count - 1
          ? RegexSymbols.finalNewline : symbols.symbol(of: here.scalar, &threads.steps)
      }
      if threads.advance(before, symbol, symbols) { return .found }
      if threads.steps < 0 { return .overBudget }
      if symbol == RegexSymbols.end || (program.anchored && threads.kernel.isEmpty) { return .notFound }
      before = symbols.before(symbol)
      at += length
    }
  }
}

/// The matchers of one regular expression: each search takes one that is free and gives it back warm.
///
/// Never waits, also where this process was forked while another thread searched: where none is free, the search makes
/// one for itself.
final class RegexPool: Sendable {
  private let program: RegexProgram
  // Each holds one reference to a matcher, as the number of its address, or 0: who takes it out has it alone.
  private let first = Atomic<UInt>(0)
  private let second = Atomic<UInt>(0)
  private let third = Atomic<UInt>(0)
  private let fourth = Atomic<UInt>(0)

  init(_ program: RegexProgram) { self.program = program }

  deinit { while take() != nil {} }

  func search(_ text: UnsafeBufferPointer<UInt8>, budget: Int) -> PatternRegex.Result {
    let matcher = take() ?? RegexMatcher(program)
    let result = matcher.search(text, budget: budget)
    giveBack(matcher)
    return result
  }

  private func take() -> RegexMatcher? {
    var address = first.exchange(0, ordering: .acquiring)
    if address == 0 { address = second.exchange(0, ordering: .acquiring) }
    if address == 0 { address = third.exchange(0, ordering: .acquiring) }
    if address == 0 { address = fourth.exchange(0, ordering: .acquiring) }
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<RegexMatcher>.fromOpaque(pointer).takeRetainedValue()
  }

  private func giveBack(_ matcher: RegexMatcher) {
    let reference = Unmanaged.passRetained(matcher)
    let address = UInt(bitPattern: reference.toOpaque())
    if first.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    if second.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    if third.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    if fourth.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    reference.release()
  }
}
