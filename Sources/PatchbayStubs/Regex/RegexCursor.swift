/// A place in the text of a regular expression that moves on while it is read.
protocol RegexCursor {
  var source: [Unicode.Scalar] { get }
  /// The scalar that is next.
  var at: Int { get set }
}

extension RegexCursor {
  var peek: Unicode.Scalar? { at < source.count ? source[at] : nil }

  /// Whether that scalar is next; then it is passed.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    at += 1
    return true
  }

  /// The sentence that names the place.
  func refuse(_ reason: String) -> StubError {
    StubError("the regular expression cannot be used: \(reason) (character \(min(at, source.count) + 1))")
  }
}
