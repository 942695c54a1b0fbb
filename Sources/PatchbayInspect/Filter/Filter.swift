import PatchbayWire

/// A filter of the one language that screen, history, export and log share.
///
/// Words joined by space must all hold; `|` is or, `-` or `!` not, `( )` groups, `"two words"` quotes. A bare word
/// looks in the URL, `key:value` in what `FilterKey` says. A value without `*` is a substring, with `*` an anchored
/// glob, `~RE` a regular expression (`\*` is a plain star); letter case counts only if the value has capitals. An empty
/// value (`stub:`) asks only whether there is such a text at all.
package struct Filter: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  package let text: String
  package let expression: FilterExpression

  /// Fits every exchange.
  package static let everything = Filter(text: "", expression: .and([]))

  private init(text: String, expression: FilterExpression) {
    self.text = text
    self.expression = expression
  }

  /// - Throws: where and why it cannot be read.
  package init(parsing text: String) throws(FilterError) {
    self.init(text: text, expression: try FilterParser.parse(text))
  }

  /// What is of the newest run and fits a filter, which may be empty; one that speaks of runs itself stays as it is.
  package static func ofLastRun(and text: String) -> String {
    guard let filter = try? Filter(parsing: text), !filter.isEmpty else { return lastRun }
    let speaksOfRuns = filter.expression.contains {
      if case .run = $0 { true } else { false }
    }
    return speaksOfRuns ? text : Filter.text(text, and: lastRun, isFirst: true)
  }

  /// A filter, which may be empty, with one more condition that must hold, too.
  package static func text(_ text: String, and term: String, isFirst: Bool = false) -> String {
    guard let filter = try? Filter(parsing: text), !filter.isEmpty else { return term }
    var whole = text
    if case .or = filter.expression { whole = "(\(text))" }
    return isFirst ? "\(term) \(whole)" : "\(whole) \(term)"
  }

  /// The newest run and nothing else.
  package static let lastRun = "run:last"

  package var isEmpty: Bool { expression == .and([]) }
  package var description: String { text }

  /// Whether it looks into bodies, so that a search in the history takes longer.
  package var needsBodies: Bool {
    expression.contains {
      guard case .text(let field, _) = $0 else { return false }
      return field == .body || field == .requestBody || field == .responseBody
    }
  }
}

/// One condition of a filter.
package enum FilterTerm: Hashable, Sendable {
  /// Any of the patterns fits the field's text.
  case text(FilterField, [FilterText])
  case method([FilterText])
  case status([ClosedRange<Int>])
  case by(Set<Exchange.Answerer>)
  /// Microseconds to the end; what has not ended does not fit.
  case time([ClosedRange<Int64>])
  /// Bytes of the response's body.
  case size([ClosedRange<Int64>])
  case since(FilterMoment)
  case until(FilterMoment)
  case marked(Bool)
  case state(Set<FilterState>)
  case id([ClosedRange<Int64>])
  case run([FilterRun])
}

/// The texts that a filter looks at.
package enum FilterField: Hashable, Sendable, CaseIterable {
  /// As recorded, or with percent-encoding undone.
  case url
  case host
  case path
  case query
  case type
  case stub
  case process
  case error
  /// The name of the GraphQL operation.
  case operation
  /// Each of the words that the person has put to it.
  case tag
  case note
  /// Each header field, as `name: value`.
  case header
  case requestBody
  case responseBody
  /// Either body.
  case body
}

/// Which runs a filter names: consoles' lives on one history.
package enum FilterRun: Hashable, Sendable {
  /// By their numbers, from 1.
  case numbers(ClosedRange<Int64>)
  /// The newest one.
  case last
}

/// A moment that a filter names.
package enum FilterMoment: Hashable, Sendable {
  /// Microseconds before now.
  case ago(Int64)
  case at(Timestamp)

  package func resolved(now: Timestamp) -> Timestamp {
    switch self {
    case .ago(let microseconds): Timestamp(microseconds: now.microseconds &- microseconds)
    case .at(let moment): moment
    }
  }
}

/// A filter as a tree.
package indirect enum FilterExpression: Hashable, Sendable {
  /// All must hold; empty holds always.
  case and([FilterExpression])
  case or([FilterExpression])
  case not(FilterExpression)
  case term(FilterTerm)

  /// What it says where each term says what `term` says; nil is "cannot be said".
  package func evaluated(_ term: (FilterTerm) -> Bool?) -> Bool? {
    switch self {
    case .term(let one): return term(one)
    case .not(let inner): return inner.evaluated(term).map { !$0 }
    case .and(let inner):
      var known: Bool? = true
      for expression in inner {
        guard let holds = expression.evaluated(term) else {
          known = nil
          continue
        }
        if !holds { return false }
      }
      return known
    case .or(let inner):
      var known: Bool? = false
      for expression in inner {
        guard let holds = expression.evaluated(term) else {
          known = nil
          continue
        }
        if holds { return true }
      }
      return known
    }
  }

  /// Whether any of its terms fulfils the condition.
  package func contains(_ condition: (FilterTerm) -> Bool) -> Bool {
    switch self {
    case .term(let term): condition(term)
    case .not(let inner): inner.contains(condition)
    case .and(let inner), .or(let inner): inner.contains { $0.contains(condition) }
    }
  }
}

/// Why a filter cannot be read, and where.
package struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause without column and suggestion, such as `unknown key "hots"`.
  package var message: String
  /// The characters that are wrong, counted from 0; empty at a place where something is missing.
  package var range: Range<Int>
  /// What could stand in the place of `range`.
  package var suggestion: String?

  package init(_ message: String, at range: Range<Int>, suggestion: String? = nil) {
    self.message = message
    self.range = range
    self.suggestion = suggestion
  }

  /// One sentence; columns are counted from 1.
  package var description: String {
    let hint = suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
    return "The filter cannot be read at column \(range.lowerBound + 1): \(message)\(hint)"
  }
}
