import PatchbayStubs
import PatchbayWire

/// A filter of `--expect` or `--forbid`: with how many exchanges have to fit.
///
/// `count:3`, `count:>=2` or `count:1..3` stands in it once, at the top level; without it one is enough.
package struct CountedFilter: Hashable, Sendable {
  /// As it was written.
  package let text: String
  /// Without the count.
  package let filter: Filter
  /// How many have to fit; nil where nothing is said, which means at least one.
  package let count: ClosedRange<Int64>?
  /// As it was written, such as `>=2`.
  private let countText: String
  /// What must hold one beside the other, each with its text.
  private let parts: [Part]

  private struct Part: Hashable, Sendable {
    var text: String
    var filter: Filter

    /// What stands behind the key, for how like a URL it is; empty where the part is negated or a group.
    var value: [UInt8] {
      guard let first = text.first, !"-!(".contains(first) else { return [] }
      var value = text[...]
      // An address has a colon, too.
      if let colon = text.firstIndex(of: ":"), FilterKey(named: String(text[..<colon])) != nil {
        value = text[text.index(after: colon)...]
      }
      return value.lowercased().utf8.filter { !"*~\"^$".utf8.contains($0) }
    }
  }

  /// - Throws: where and why it cannot be read.
  package init(parsing text: String) throws(FilterError) {
    let tokens = try FilterLexer.tokens(text)
    var characters = Array(text)
    var depth = 0
    var found: FilterWord?
    var alternative: FilterLexer.Token?
    for (place, token) in tokens.enumerated() {
      switch token.kind {
      case .open: depth += 1
      case .close: depth -= 1
      case .or: if depth == 0 { alternative = alternative ?? token }
      case .word(let word) where word.key?.lowercased() == "count":
        let isNegated = place > 0 && tokens[place - 1].kind == .not
        guard depth == 0, !isNegated else {
          throw FilterError("`count:` stands once, outside of all parentheses and without a sign", at: word.range)
        }
        guard found == nil else { throw FilterError("`count:` is there twice", at: word.range) }
        found = word
        for place in word.range { characters[place] = " " }
      case .word, .not: break
      }
    }
    if let found, alternative != nil {
      throw FilterError("with `count:` the alternatives belong in parentheses: (a | b) count:2", at: found.range)
    }
    self.text = text
    filter = try Filter(parsing: String(characters))
    count = try found.map { word throws(FilterError) in try Self.range(word) }
    countText = found?.value ?? ""
    parts = alternative == nil ? Self.parts(tokens, characters) : []
  }

  private static func range(_ word: FilterWord) throws(FilterError) -> ClosedRange<Int64> {
    let items = word.list
    guard items.count == 1, !items[0].text.isEmpty else {
      throw FilterError("expected a number such as 3, >=2 or 1..3", at: word.range)
    }
    let range = try FilterNumber.plain(items[0])
    return max(0, range.lowerBound)...max(0, range.upperBound)
  }

  private static func parts(_ tokens: [FilterLexer.Token], _ characters: [Character]) -> [Part] {
    var parts: [Part] = []
    var depth = 0
    var start: Int?
    for token in tokens {
      if case .word(let word) = token.kind, word.key?.lowercased() == "count", depth == 0 { continue }
      if start == nil { start = token.range.lowerBound }
      switch token.kind {
      case .open: depth += 1
      case .close: depth -= 1
      case .not, .or: continue
      case .word: break
      }
      guard depth == 0, let first = start else { continue }
      let text = String(characters[first..<token.range.upperBound])
      if let filter = try? Filter(parsing: text) { parts.append(Part(text: text, filter: filter)) }
      start = nil
    }
    return parts
  }

  /// Whether that many are as many as are asked for.
  package func fits(_ number: Int64) -> Bool { (count ?? 1...Int64.max).contains(number) }

  /// How many are asked for, in words: `3`, `>=2`, `1..3`.
  package var wanted: String { count == nil ? "at least 1" : countText }

  /// How near an exchange comes that does not fit.
  package struct Miss: Hashable, Sendable {
    /// The conditions that do not hold.
    package var failing: [String]
    /// How many do.
    package var holding: Int
    /// How many letters at the beginning and the end of what was asked for stand in the URL where they should.
    package var likeness: Int
  }

  /// Nil where it does not come near, or nothing can be said.
  package func miss(_ exchange: Exchange, now: Timestamp = .now) -> Miss? {
    guard !parts.isEmpty else { return nil }
    let failing = parts.filter { !$0.filter.matches(exchange, now: now) }
    let holding = parts.count - failing.count
    let url = Array(exchange.request.url.lowercased().utf8)
    let likeness = failing.map { Self.likeness($0.value, url) }.max() ?? 0
    guard holding > 0 || likeness >= Self.nearby else { return nil }
    return Miss(failing: failing.map(\.text), holding: holding, likeness: likeness)
  }

  /// Of fewer letters every URL has some.
  private static let nearby = 3

  /// The text is the whole URL, its host or its path, or begins or ends as one of them does.
  private static func likeness(_ value: [UInt8], _ url: [UInt8]) -> Int {
    guard value.count >= nearby else { return 0 }
    let slash = UInt8(ascii: "/")
    let colon = url.firstIndex(of: UInt8(ascii: ":")) ?? 0
    let host = min(colon + 3, url.count)
    let path = url[host...].firstIndex(of: slash) ?? url.count
    let query = url[path...].firstIndex(of: UInt8(ascii: "?")) ?? url.count
    let front = [0, host, path].map { zip(value, url[$0...]).prefix { $0 == $1 }.count }.max() ?? 0
    let back = [path, query, url.count].map { zip(value.reversed(), url[..<$0].reversed()).prefix { $0 == $1 }.count }
    return min(front + (back.max() ?? 0), value.count)
  }
}
