import PatchbayWire

/// Reads the filter language: `or` of `and` of terms.
struct FilterParser {
  private let tokens: [FilterLexer.Token]
  private let length: Int
  private var index = 0
  private var depth = 0

  /// Groups within groups go this deep at most.
  private static let deepest = 64

  static func parse(_ text: String) throws(FilterError) -> FilterExpression {
    var parser = FilterParser(tokens: try FilterLexer.tokens(text), length: text.count)
    if parser.tokens.isEmpty { return .and([]) }
    let expression = try parser.alternatives()
    if let extra = parser.peek { throw FilterError("this parenthesis closes nothing", at: extra.range) }
    return expression
  }

  private init(tokens: [FilterLexer.Token], length: Int) {
    self.tokens = tokens
    self.length = length
  }

  private var peek: FilterLexer.Token? { index < tokens.count ? tokens[index] : nil }

  private mutating func alternatives() throws(FilterError) -> FilterExpression {
    var branches = [try conjunction()]
    while let token = peek, token.kind == .or {
      index += 1
      branches.append(try conjunction())
    }
    return branches.count == 1 ? branches[0] : .or(branches)
  }

  private mutating func conjunction() throws(FilterError) -> FilterExpression {
    var parts: [FilterExpression] = []
    while let token = peek, token.kind != .or, token.kind != .close { parts.append(try negation(token)) }
    guard !parts.isEmpty else {
      let place = peek?.range ?? length..<length
      throw FilterError("something to look for is missing here", at: place)
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation(_ first: FilterLexer.Token) throws(FilterError) -> FilterExpression {
    var negated = false
    var token = first
    while token.kind == .not {
      index += 1
      negated.toggle()
      guard let following = peek, following.kind != .or, following.kind != .close else {
        throw FilterError("\"not\" needs something to negate", at: token.range)
      }
      token = following
    }
    let expression = try primary(token)
    return negated ? .not(expression) : expression
  }

  private mutating func primary(_ token: FilterLexer.Token) throws(FilterError) -> FilterExpression {
    index += 1
    guard case .word(let word) = token.kind else {
      depth += 1
      guard depth <= Self.deepest else { throw FilterError("groups are nested too deeply", at: token.range) }
      let inner = try alternatives()
      guard let close = peek, close.kind == .close else {
        throw FilterError("this parenthesis is not closed", at: token.range)
      }
      index += 1
      depth -= 1
      return inner
    }
    return .term(try FilterTermReader.term(word))
  }
}
