import PatchbayStubs
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

/// Makes a condition of a word.
enum FilterTermReader {
  /// How other languages join words; here they would be looked for in the URL, and hardly ever found.
  private static let foreign = [
    "AND": "words beside each other must all hold, without AND (which is looked for in quotes)",
    "&&": "words beside each other must all hold, without && (which is looked for in quotes)",
    "OR": "“or” is written | here (OR is looked for in quotes)",
    "NOT": "“not” is a - before the word here (NOT is looked for in quotes)",
  ]

  static func term(_ word: FilterWord) throws(FilterError) -> FilterTerm {
    guard let name = word.key else {
      if !word.isQuoted, let sentence = foreign[word.value] { throw FilterError(sentence, at: word.range) }
      return try text(.url, word, list: false)
    }
    guard let key = FilterKey(named: name) else {
      if name.lowercased() == "count" {
        throw FilterError("`count:` says how many must fit in --expect and --forbid only", at: word.range)
      }
      if isAddress(word, name) {
        return .text(.url, [try pattern(name + ":" + word.value, at: word.range)])
      }
      let suggestion = NearestName.find(name, among: FilterKey.allCases.map(\.rawValue), orPrefix: true)
      throw FilterError("unknown key \"\(name)\"", at: word.keyRange, suggestion: suggestion)
    }
    return try key.term(word)
  }

  /// `http://…`, and `localhost:8080` as long as it is no misspelt key.
  private static func isAddress(_ word: FilterWord, _ name: String) -> Bool {
    if word.value.hasPrefix("//") { return true }
    guard NearestName.find(name, among: FilterKey.allCases.map(\.rawValue), orPrefix: true) == nil else { return false }
    return word.value.first?.isNumber ?? false
  }

  static func text(_ field: FilterField, _ word: FilterWord, list: Bool) throws(FilterError) -> FilterTerm {
    let value = word.value
    guard list, !value.hasPrefix("~") else { return .text(field, [try pattern(value, at: word.valueRange)]) }
    var patterns: [FilterText] = []
    for item in word.list where !item.text.isEmpty || word.list.count == 1 {
      patterns.append(try pattern(item.text, at: item.range))
    }
    return .text(field, patterns)
  }

  private static func pattern(_ source: String, at range: Range<Int>) throws(FilterError) -> FilterText {
    do {
      return try FilterText(source)
    } catch {
      throw FilterError(error.message, at: range)
    }
  }

  static func each<Value>(
    _ word: FilterWord, _ read: (FilterWord.Item) throws(FilterError) -> Value
  ) throws(FilterError) -> [Value] {
    var values: [Value] = []
    let items = word.list.filter { !$0.text.isEmpty }
    guard !items.isEmpty else {
      throw FilterError("\"\(word.key ?? "")\" needs a value", at: word.range.upperBound..<word.range.upperBound)
    }
    for item in items { values.append(try read(item)) }
    return values
  }

  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ item: FilterWord.Item
  ) throws(FilterError) -> Choice where Choice.RawValue == String {
    let choices = Choice.allCases
    if let found = choices.first(where: { $0.rawValue == item.text.lowercased() }) { return found }
    let names = choices.map(\.rawValue)
    throw FilterError(
      "\"\(item.text)\" is none of \(names.joined(separator: ", "))", at: item.range,
      suggestion: NearestName.find(item.text, among: names, orPrefix: true))
  }

  static func yesOrNo(_ word: FilterWord) throws(FilterError) -> Bool {
    switch word.value.lowercased() {
    case "yes", "true", "y": return true
    case "no", "false", "n": return false
    default: throw FilterError("expected yes or no", at: word.valueRange, suggestion: "yes")
    }
  }

  static func run(_ item: FilterWord.Item) throws(FilterError) -> FilterRun {
    if item.text.lowercased() == "last" { return .last }
    do {
      return .numbers(try FilterNumber.plain(item))
    } catch {
      throw FilterError("expected last, or a number such as 3, >3 or 2..4", at: item.range)
    }
  }

  static func moment(_ word: FilterWord) throws(FilterError) -> FilterMoment {
    guard let moment = MomentReader.moment(word.value) else {
      throw FilterError(
        "expected a time such as 10m, 2h, 1d, 12:30, 2026-01-31 or 2026-01-31T12:30:00Z", at: word.valueRange)
    }
    return moment
  }
}
