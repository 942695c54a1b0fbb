import PatchbayStubs

/// How a filter compares one text: a substring, an anchored glob, or a regular expression. All on UTF-8.
///
/// Letter case counts only where the pattern has a capital.
package struct FilterText: Hashable, Sendable {
  /// The pattern as it was written, `~` included.
  package let source: String
  let isCaseSensitive: Bool
  /// The whole text is meant, without regard to case.
  private let isExact: Bool
  private let matcher: CompiledFilterText

  /// - Throws: a sentence, where it is a regular expression that cannot be read.
  package init(_ source: String) throws(FilterRegex.Problem) {
    self.source = source
    isExact = false
    if source.hasPrefix("~") {
      let pattern = String(source.dropFirst())
      isCaseSensitive = Self.hasCapital(inRegex: pattern)
      matcher = CompiledFilterText(.regex(try FilterRegex(pattern, ignoresCase: !isCaseSensitive)))
      return
    }
    let isCaseSensitive = Self.hasCapital(source)
    self.isCaseSensitive = isCaseSensitive
    let pieces = Self.pieces(source)
    let searches = pieces.map { TextSearch($0, isCaseSensitive: isCaseSensitive) }
    matcher =
      pieces.count == 1
      ? CompiledFilterText(
        .substring(searches[0]), escaped: TextEscapes.forms(of: pieces[0], isCaseSensitive: isCaseSensitive))
      : CompiledFilterText(.glob(searches))
  }

  private init(exactly source: String) {
    self.source = source
    isCaseSensitive = false
    isExact = true
    let searches = Self.pieces(source).map { TextSearch($0, isCaseSensitive: false) }
    matcher = CompiledFilterText(searches.count == 1 ? .exact(searches[0]) : .glob(searches))
  }

  /// The whole text or, with stars, an anchored glob; letter case never counts.
  static func exactly(_ source: String) -> FilterText { FilterText(exactly: source) }

  /// The same pattern that shares no memory with this one: threads that compare with one object each do not wait for
  /// one another's reference counts.
  package func unshared() -> FilterText {
    if isExact { return FilterText(exactly: source) }
    return (try? FilterText(source)) ?? self
  }

  package static func == (left: FilterText, right: FilterText) -> Bool {
    left.source == right.source && left.isExact == right.isExact
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(isExact)
  }

  /// Whether it fits every text, as an empty one does.
  package var isEmpty: Bool {
    guard case .substring(let search) = matcher.kind else { return false }
    return search.isEmpty
  }

  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matcher.matches($0) }
  }

  /// - Parameter bytes: UTF-8; bytes that are none match nothing but a star.
  package func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { matcher.matches(bytes) }

  /// False only where no part of these bytes can match, so that the parts need not be looked at.
  package func mayMatch(partOf bytes: UnsafeBufferPointer<UInt8>) -> Bool { matcher.mayMatch(partOf: bytes) }

  /// Something that every text has which it fits, for looking through many at once; nil where there is no such thing.
  package var requiredLiteral: RequiredLiteral? { RequiredLiteral(matcher.kind) }

  /// Whether a body has it as an escape: `\u65e5` in JSON, `%E6%97%A5` in a form.
  func matchesEscaped(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    matcher.escaped.contains { $0.find(in: bytes) != nil }
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

/// The compiled form of a `FilterText`: one object, so that a comparison counts one reference and not several.
final class CompiledFilterText: Sendable {
  let kind: Kind
  /// The same text as JSON and URLs may have it in ASCII; none for what is ASCII anyway.
  let escaped: [TextSearch]

  enum Kind: Sendable {
    case substring(TextSearch)
    /// The pieces between the stars; first and last are anchored.
    case glob([TextSearch])
    case regex(FilterRegex)
    /// The whole text.
    case exact(TextSearch)
  }

  init(_ kind: Kind, escaped: [TextSearch] = []) {
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

  private static func matches(_ bytes: Bytes, glob pieces: [TextSearch]) -> Bool {
    guard var place = pieces[0].match(bytes, at: 0), let last = pieces[pieces.count - 1].matchAtEnd(of: bytes)
    else { return false }
    for piece in pieces.dropFirst().dropLast() {
      guard let found = piece.find(in: bytes, from: place) else { return false }
      place = found.upperBound
    }
    return place <= last
  }
}
