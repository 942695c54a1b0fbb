import PatchbayStubs

/// Something that stands in every text that a pattern fits.
package struct Hallmark: Sendable {
  private enum Kind: Sendable {
    case text(ByteSearch)
    case run(RegexPrefilter)
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
      guard let prefilter = regex.prefilter else { return nil }
      self.kind = .run(prefilter)
    }
  }

  /// Where it stands first, at or after `start`.
  package func place(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    switch kind {
    case .text(let search): search.find(in: bytes, from: start)?.lowerBound
    case .run(let prefilter): prefilter.place(in: bytes, from: start)
    }
  }
}
