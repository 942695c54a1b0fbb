import PatchbayStubs

/// How a filter compares one text: a substring, an anchored glob, or a regular expression. All on UTF-8.
///
/// Letter case counts only where the pattern has a capital.
public struct FilterText: Hashable, Sendable {
  /// The pattern as it was written, `~` included.
  public let source: String
  let isCaseSensitive: Bool
  private let kind: Kind
  /// The same text as JSON and URLs may have it in ASCII; none for what is ASCII anyway.
  private let escaped: [ByteSearch]

  private enum Kind: Hashable {
    case substring(ByteSearch)
    /// The pieces between the stars; first and last are anchored.
    case glob([ByteSearch])
    case regex(FilterRegex)
    /// The whole text.
    case exact(ByteSearch)
  }

  /// - Throws: a sentence, where it is a regular expression that cannot be read.
  public init(_ source: String) throws(FilterRegex.Problem) {
    self.source = source
    if source.hasPrefix("~") {
      let pattern = String(source.dropFirst())
      let isCaseSensitive = Self.hasCapital(inRegex: pattern)
      self.isCaseSensitive = isCaseSensitive
      kind = .regex(try FilterRegex(pattern, ignoresCase: !isCaseSensitive))
      escaped = []
      return
    }
    let isCaseSensitive = Self.hasCapital(source)
    self.isCaseSensitive = isCaseSensitive
    let pieces = Self.pieces(source)
    kind =
      pieces.count == 1
      ? .substring(ByteSearch(pieces[0], isCaseSensitive: isCaseSensitive))
      : .glob(pieces.map { ByteSearch($0, isCaseSensitive: isCaseSensitive) })
    escaped = pieces.count == 1 ? TextEscapes.forms(of: pieces[0], isCaseSensitive: isCaseSensitive) : []
  }

  private init(source: String, isCaseSensitive: Bool, kind: Kind) {
    self.source = source
    self.isCaseSensitive = isCaseSensitive
    self.kind = kind
    escaped = []
  }

  /// The whole text or, with stars, an anchored glob; letter case never counts.
  static func exactly(_ source: String) -> FilterText {
    let searches = pieces(source).map { ByteSearch($0, isCaseSensitive: false) }
    return FilterText(
      source: source, isCaseSensitive: false, kind: searches.count == 1 ? .exact(searches[0]) : .glob(searches))
  }

  /// Whether it fits every text, as an empty one does.
  public var isEmpty: Bool {
    guard case .substring(let search) = kind else { return false }
    return search.isEmpty
  }

  public func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) }
  }

  /// - Parameter bytes: UTF-8; bytes that are none match nothing but a star.
  public func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch kind {
    case .substring(let search): search.find(in: bytes) != nil
    case .glob(let pieces): Self.matches(bytes, glob: pieces)
    case .regex(let regex): regex.isFound(in: bytes)
    case .exact(let search): search.match(bytes, at: 0) == bytes.count
    }
  }

  /// Whether a body has it as an escape: `\u65e5` in JSON, `%E6%97%A5` in a form.
  func matchesEscaped(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    escaped.contains { $0.find(in: bytes) != nil }
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

  /// The texts between the stars; `\*` is a star, `\\` a backslash.
  private static func pieces(_ source: String) -> [String] {
    var pieces = [""]
    var escaped = false
    for scalar in source.unicodeScalars {
      if escaped {
        if scalar != "*" && scalar != "\\" { pieces[pieces.count - 1].append("\\") }
        pieces[pieces.count - 1].unicodeScalars.append(scalar)
        escaped = false
      } else if scalar == "\\" {
        escaped = true
      } else if scalar == "*" {
        pieces.append("")
      } else {
        pieces[pieces.count - 1].unicodeScalars.append(scalar)
      }
    }
    if escaped { pieces[pieces.count - 1].append("\\") }
    return pieces
  }

  private static func hasCapital(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.isUppercase || $0.properties.generalCategory == .titlecaseLetter }
  }

  /// A letter after a backslash, such as `\S`, is no capital.
  private static func hasCapital(inRegex pattern: String) -> Bool {
    var rest = ""
    var escaped = false
    for scalar in pattern.unicodeScalars {
      if escaped {
        escaped = false
      } else if scalar == "\\" {
        escaped = true
      } else {
        rest.unicodeScalars.append(scalar)
      }
    }
    return hasCapital(rest)
  }
}
