/// A regular expression that runs in time linear in the text (Thompson's construction), within a budget of steps.
/// It says only whether something is found, which is all that patterns ask; what its groups took (`RegexGroups`) is
/// worked out where a template asks for it.
///
/// Syntax: classes (`[a-z]`, `\d \w \s`, `\p{L}`), `.`, `^ $ \A \z \b`, groups, `|`, `* + ? {n,m}` greedy or lazy,
/// `(?i) (?m) (?s)`, the usual escapes. Back references and looking around are refused.
///
/// Why our own: a pattern that somebody types runs inside a stranger's process, for each of its requests. The engines at
/// hand go back over the text, which takes exponential time for some patterns; here the time is bounded, and a search
/// that spends its budget says so. It reads UTF-8 where it lies, and it tells the literals that every match holds, by
/// which `StubIndex` and the filter of the history pass over what cannot match. Measured with 20 usual patterns on 1,000
/// URLs each: 0.14 µs a search, against 6.9 µs of `NSRegularExpression`, which takes a copy in UTF-16 each time.
///
/// The way of an expression: `RegexParser` and `RegexSetReader` make a tree of `RegexNode`s, `RegexProgram` makes
/// instructions of it, `RegexMatcher` runs them: by remembered states (`RegexStates`) as long as these are few, else all
/// threads at once (`RegexThreads`). `RegexSymbols` says which scalars make no difference to the program.
package struct PatternRegex: Sendable {
  package let pattern: String
  private let program: RegexProgram
  private let pool: RegexPool
  let groups: RegexGroups

  /// How many steps one search may take: a few milliseconds. A text costs steps only where it makes states that were
  /// not met before, or too many of them to be remembered; all else is some nanoseconds a byte.
  package static let stepBudget = 500_000

  package enum Result: Hashable, Sendable {
    case found
    case notFound
    /// The budget was spent before the answer was known.
    case overBudget
  }

  /// Runs of ASCII characters that every match holds, letter case aside.
  var literals: [[UInt8]] { program.literals }
  /// What every match holds, the longest first; empty where nothing is known of that.
  package let prefilters: [RegexPrefilter]

  /// The error says what is not supported, and where in the pattern.
  package init(_ pattern: String) throws(StubError) {
    self.pattern = pattern
    var parser = RegexParser(pattern)
    let node = try parser.parse()
    program = try RegexProgram(node)
    groups = RegexGroups(node, names: parser.groupNames, count: parser.groupCount)
    pool = RegexPool(program)
    prefilters = program.literals.sorted { $0.count > $1.count }.prefix(4).compactMap { RegexPrefilter([$0]) }
  }

  package func search(_ text: String, budget: Int = stepBudget) -> Result {
    var text = text
    return text.withUTF8 { search($0, budget: budget) }
  }

  func search(_ text: [UInt8], budget: Int = stepBudget) -> Result {
    text.withUnsafeBufferPointer { search($0, budget: budget) }
  }

  /// Bytes that are not UTF-8 count as U+FFFD each.
  package func search(_ text: UnsafeBufferPointer<UInt8>, budget: Int = stepBudget) -> Result {
    pool.search(text, budget: budget)
  }
}

/// A run of ASCII characters that every match holds: where it is not in a text, nothing else needs to be tried.
///
/// Letter case does not count here, so that it lets through a little more than it could.
package struct RegexPrefilter: Sendable {
  private let run: [UInt8]
  /// The place in the run of the byte that is met least often.
  private let rare: Int

  /// Longer runs are cut, which bounds what comparing costs.
  private static let longest = 24

  /// The longest of the runs; nil where there is none.
  init?(_ runs: [[UInt8]]) {
    guard let longest = runs.max(by: { $0.count < $1.count }) else { return nil }
    let run = longest.prefix(Self.longest).map { Self.folded($0) }
    self.run = run
    rare = run.indices.min { Self.commonness(run[$0]) < Self.commonness(run[$1]) } ?? 0
  }

  func mayHold(_ text: UnsafeBufferPointer<UInt8>) -> Bool { place(in: text, from: 0) != nil }

  /// Where the run stands first, at or after `start`.
  package func place(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard text.count - start >= run.count, let base = text.baseAddress else { return nil }
    return run.withUnsafeBufferPointer { run in
      let byte = run[rare]
      let last = text.count - run.count
      // Setting one bit makes small letters of capitals; of others it makes more bytes alike, never fewer.
      let wanted = SIMD16<UInt8>(repeating: byte | 0x20)
      let bit = SIMD16<UInt8>(repeating: 0x20)
      let raw = UnsafeRawPointer(base)
      var start = start
      while start + rare + 16 <= text.count {
        let hits = (raw.loadUnaligned(fromByteOffset: start + rare, as: SIMD16<UInt8>.self) | bit) .== wanted
        let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
        if words[0] | words[1] != 0 {
          for lane in 0..<16 where hits[lane] && start + lane <= last && stands(run, text, at: start + lane) {
            return start + lane
          }
        }
        start += 16
      }
      while start <= last {
        if text[start + rare] | 0x20 == byte | 0x20, stands(run, text, at: start) { return start }
        start += 1
      }
      return nil
    }
  }

  private func stands(
    _ run: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Bool {
    for index in 0..<run.count where Self.folded(text[start + index]) != run[index] { return false }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// How often a byte is met in URLs and JSON, roughly.
  private static func commonness(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "e"), UInt8(ascii: "a"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: " "): 4
    case UInt8(ascii: "t"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: ":"): 3
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "l"), UInt8(ascii: "p"), UInt8(ascii: "0"): 2
    default: 1
    }
  }
}
