import Synchronization

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
