/// A regular expression that runs in time linear in the text (Thompson's construction), within a budget of steps.
/// It says only whether something is found, which is all that patterns ask.
///
/// Syntax: classes (`[a-z]`, `\d \w \s`, `\p{L}`), `.`, `^ $ \A \z \b`, groups, `|`, `* + ? {n,m}` greedy or lazy,
/// `(?i) (?m) (?s)`, the usual escapes. Back references and looking around are refused.
package struct PatternRegex: Sendable {
  package let pattern: String
  private let program: RegexProgram
  private let pool: RegexPool

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
    program = try RegexProgram(try parser.parse())
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
