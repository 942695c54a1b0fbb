import PatchbayStubs

/// A regular expression of a filter. Runs in time linear in the text, within a budget of steps.
///
/// A class, so that handing it on counts one reference.
package final class FilterRegex: Hashable, Sendable {
  private let pattern: String
  private let ignoresCase: Bool
  private let compiled: PatternRegex

  /// Why a regular expression cannot be read.
  package struct Problem: Error, Hashable, Sendable {
    package var message: String
  }

  init(_ pattern: String, ignoresCase: Bool) throws(Problem) {
    self.pattern = pattern
    self.ignoresCase = ignoresCase
    do {
      compiled = try PatternRegex(ignoresCase ? Self.ignoringCase + pattern : pattern)
    } catch {
      throw Problem(message: Self.mistake(in: pattern) ?? error.message)
    }
  }

  private static let ignoringCase = "(?i)"

  /// What is wrong with it as it was written: its place in the sentence is not one behind what was put before it.
  private static func mistake(in pattern: String) -> String? {
    do {
      _ = try PatternRegex(pattern)
      return nil
    } catch {
      return error.message
    }
  }

  /// Whether it is found. What takes more steps than 64 for each byte is not.
  func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    compiled.search(bytes, budget: max(PatternRegex.stepBudget, bytes.count * 64)) == .found
  }

  /// What every match holds, the longest first.
  var prefilters: [RegexPrefilter] { compiled.prefilters }

  package static func == (left: FilterRegex, right: FilterRegex) -> Bool {
    left.pattern == right.pattern && left.ignoresCase == right.ignoresCase
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(pattern)
    hasher.combine(ignoresCase)
  }
}

/// Something that stands in every text that a pattern fits.
package struct RequiredLiteral: Sendable {
  private enum Kind: Sendable {
    case text(TextSearch)
    /// All of them.
    case runs([RegexPrefilter])
  }

  private let kind: Kind

  /// nil where there is nothing, as with an empty pattern.
  init?(_ kind: CompiledFilterText.Kind) {
    switch kind {
    case .substring(let search), .exact(let search):
      guard !search.isEmpty else { return nil }
      self.kind = .text(search)
    case .glob(let pieces):
      guard let longest = pieces.max(by: { $0.length < $1.length }), !longest.isEmpty else { return nil }
      self.kind = .text(longest)
    case .regex(let regex):
      guard !regex.prefilters.isEmpty else { return nil }
      self.kind = .runs(regex.prefilters)
    }
  }

  /// Where it stands first, at or after `start`; from 0 also nil where a part of it stands nowhere.
  package func place(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    switch kind {
    case .text(let search): search.find(in: bytes, from: start)?.lowerBound
    case .runs(let runs):
      if start == 0, runs.dropFirst().contains(where: { $0.place(in: bytes, from: 0) == nil }) {
        nil
      } else {
        runs[0].place(in: bytes, from: start)
      }
    }
  }
}
