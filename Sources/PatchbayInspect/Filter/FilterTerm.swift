import PatchbayWire

/// One condition of a filter.
public enum FilterTerm: Hashable, Sendable {
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
}

/// The texts that a filter looks at.
public enum FilterField: Hashable, Sendable, CaseIterable {
  /// As recorded, or with percent-encoding undone.
  case url
  case host
  case path
  case query
  case type
  case stub
  case process
  case error
  /// Each header field, as `name: value`.
  case header
  case requestBody
  case responseBody
  /// Either body.
  case body
}

/// A moment that a filter names.
public enum FilterMoment: Hashable, Sendable {
  /// Microseconds before now.
  case ago(Int64)
  case at(Timestamp)

  public func resolved(now: Timestamp) -> Timestamp {
    switch self {
    case .ago(let microseconds): Timestamp(microseconds: now.microseconds &- microseconds)
    case .at(let moment): moment
    }
  }
}

/// A filter as a tree.
public indirect enum FilterExpression: Hashable, Sendable {
  /// All must hold; empty holds always.
  case and([FilterExpression])
  case or([FilterExpression])
  case not(FilterExpression)
  case term(FilterTerm)

  /// What it says where each term says what `term` says; nil is "cannot be said".
  public func evaluated(_ term: (FilterTerm) -> Bool?) -> Bool? {
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
  public func contains(_ condition: (FilterTerm) -> Bool) -> Bool {
    switch self {
    case .term(let term): condition(term)
    case .not(let inner): inner.contains(condition)
    case .and(let inner), .or(let inner): inner.contains { $0.contains(condition) }
    }
  }
}
