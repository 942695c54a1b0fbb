import PatchbayStubs

/// Something that stands in every text that a pattern fits.
package struct Hallmark: Sendable {
  private enum Kind: Sendable {
    case text(ByteSearch)
    /// All of them.
    case runs([RegexPrefilter])
  }

  private let kind: Kind

  /// nil where there is nothing, as with an empty pattern.
  init?(_ kind: TextMatcher.Kind) {
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
