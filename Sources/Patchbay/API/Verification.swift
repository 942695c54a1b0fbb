import PatchbayStubs
import PatchbayWire

extension Patchbay {
  /// Checks how many requests that fit the pattern were made, as far as ``exchanges`` knows of them.
  ///
  /// ```swift
  /// try Patchbay.verify(.get("*/users/*"), count: 2)
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like, as for stubs.
  ///   - count: How many there must be; nil is at least one.
  /// - Throws: ``PatchbayError/unverified(_:)``, with how many there were and which came nearest.
  public static func verify(_ pattern: RequestPattern, count: Int? = nil) throws(PatchbayError) {
    try Verification(pattern, exchanges).check(count)
  }

  /// Checks how many requests that fit the pattern were made: `1...3`, `2...`.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like, as for stubs.
  ///   - count: How many there may be.
  /// - Throws: ``PatchbayError/unverified(_:)``, with how many there were and which came nearest.
  public static func verify(_ pattern: RequestPattern, count: some RangeExpression<Int>) throws(PatchbayError) {
    try Verification(pattern, exchanges).check(count)
  }
}

extension SessionScope {
  /// Checks how many requests of this scope's sessions fit the pattern; see ``Patchbay/verify(_:count:)-(_,Int?)``.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like, as for stubs.
  ///   - count: How many there must be; nil is at least one.
  /// - Throws: ``PatchbayError/unverified(_:)``, with how many there were and which came nearest.
  public func verify(_ pattern: RequestPattern, count: Int? = nil) throws(PatchbayError) {
    try Verification(pattern, exchanges).check(count)
  }

  /// Checks how many requests of this scope's sessions fit the pattern: `1...3`, `2...`.
  ///
  /// - Parameters:
  ///   - pattern: What a request must look like, as for stubs.
  ///   - count: How many there may be.
  /// - Throws: ``PatchbayError/unverified(_:)``, with how many there were and which came nearest.
  public func verify(_ pattern: RequestPattern, count: some RangeExpression<Int>) throws(PatchbayError) {
    try Verification(pattern, exchanges).check(count)
  }
}

/// Holds requests that were made against a pattern.
private struct Verification {
  private let name: String
  private var found = 0
  /// Those that do not fit, each with why, the last made first.
  private var others: [String] = []

  /// So many that do not fit are said.
  private static let shown = 3

  init(_ pattern: RequestPattern, _ exchanges: [Exchange]) {
    name = pattern.summary
    let matcher = StubMatcher(StubSet(stubs: [Stub(name: "verified", when: pattern, then: .code)]))
    for exchange in exchanges {
      let request = exchange.request
      let facts = RequestFacts(
        method: request.method, url: request.url, headers: request.headers, body: request.body,
        process: exchange.process.name, pid: exchange.process.pid)
      guard let why = matcher.explain(facts).first else { continue }
      if why.matches { found += 1 } else { others.insert("\(request.method) \(request.url) (\(why.reason))", at: 0) }
    }
  }

  func check(_ count: Int?) throws(PatchbayError) {
    guard let count else { return try check(1..., "at least 1") }
    try check(count...count, "\(count)")
  }

  func check(_ count: some RangeExpression<Int>) throws(PatchbayError) { try check(count, Self.words(count)) }

  private func check(_ count: some RangeExpression<Int>, _ words: String) throws(PatchbayError) {
    guard !count.contains(found) else { return }
    let made = "\(found) \(found == 1 ? "request fits" : "requests fit") \(name), not \(words)"
    guard !others.isEmpty else { throw .unverified(made + ".") }
    throw .unverified(made + "; there were also " + others.prefix(Self.shown).joined(separator: ", ") + ".")
  }

  private static func words(_ count: some RangeExpression<Int>) -> String {
    switch count {
    case let range as ClosedRange<Int>: "\(range.lowerBound) to \(range.upperBound)"
    case let range as Range<Int>: "\(range.lowerBound) to \(range.upperBound - 1)"
    case let range as PartialRangeFrom<Int>: "at least \(range.lowerBound)"
    case let range as PartialRangeThrough<Int>: "at most \(range.upperBound)"
    case let range as PartialRangeUpTo<Int>: "less than \(range.upperBound)"
    default: "\(count)"
    }
  }
}
