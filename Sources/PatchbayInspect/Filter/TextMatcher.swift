/// The compiled form of a `FilterText`: one object, so that a comparison counts one reference and not several.
final class TextMatcher: Sendable {
  let kind: Kind
  /// The same text as JSON and URLs may have it in ASCII; none for what is ASCII anyway.
  let escaped: [ByteSearch]

  enum Kind: Sendable {
    case substring(ByteSearch)
    /// The pieces between the stars; first and last are anchored.
    case glob([ByteSearch])
    case regex(FilterRegex)
    /// The whole text.
    case exact(ByteSearch)
  }

  init(_ kind: Kind, escaped: [ByteSearch] = []) {
    self.kind = kind
    self.escaped = escaped
  }

  /// - Parameter bytes: UTF-8; bytes that are none match nothing but a star.
  func matches(_ bytes: Bytes) -> Bool {
    switch kind {
    case .substring(let search): search.find(in: bytes) != nil
    case .glob(let pieces): Self.matches(bytes, glob: pieces)
    case .regex(let regex): regex.isFound(in: bytes)
    case .exact(let search): search.match(bytes, at: 0) == bytes.count
    }
  }

  /// False only where no part of these bytes can match.
  func mayMatch(partOf bytes: Bytes) -> Bool {
    switch kind {
    case .substring(let search), .exact(let search): search.find(in: bytes) != nil
    case .glob(let pieces): pieces.allSatisfy { $0.find(in: bytes) != nil }
    case .regex(let regex): regex.prefilters.allSatisfy { $0.place(in: bytes, from: 0) != nil }
    }
  }

  private static func matches(_ bytes: Bytes, glob pieces: [ByteSearch]) -> Bool {
    guard var place = pieces[0].match(bytes, at: 0), let last = pieces[pieces.count - 1].matchAtEnd(of: bytes)
    else { return false }
    for piece in pieces.dropFirst().dropLast() {
      guard let found = piece.find(in: bytes, from: place) else { return false }
      place = found.upperBound
    }
    return place <= last
  }
}
