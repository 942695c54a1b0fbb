import PatchbayStubs

/// A regular expression of a filter. Runs in time linear in the text, within a budget of steps.
///
/// A class, so that handing it on counts one reference.
public final class FilterRegex: Hashable, Sendable {
  private let pattern: String
  private let ignoresCase: Bool
  private let compiled: PatternRegex

  /// Why a regular expression cannot be read.
  public struct Problem: Error, Hashable, Sendable {
    public var message: String
  }

  init(_ pattern: String, ignoresCase: Bool) throws(Problem) {
    self.pattern = pattern
    self.ignoresCase = ignoresCase
    do {
      compiled = try PatternRegex(ignoresCase ? "(?i)" + pattern : pattern)
    } catch {
      throw Problem(message: error.message)
    }
  }

  /// Whether it is found. What takes more steps than 64 for each byte is not.
  func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    compiled.search(bytes, budget: max(PatternRegex.stepBudget, bytes.count * 64)) == .found
  }

  /// What every match holds, the longest first.
  var prefilters: [RegexPrefilter] { compiled.prefilters }

  public static func == (left: FilterRegex, right: FilterRegex) -> Bool {
    left.pattern == right.pattern && left.ignoresCase == right.ignoresCase
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(pattern)
    hasher.combine(ignoresCase)
  }
}
