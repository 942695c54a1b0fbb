/// Cuts a filter into words and signs.
struct FilterLexer {
  struct Token: Hashable {
    var kind: Kind
    var range: Range<Int>
  }

  enum Kind: Hashable {
    case open
    case close
    case or
    case not
    case word(FilterWord)
  }

  private let text: [Character]
  private var index = 0

  private init(_ text: [Character]) { self.text = text }

  static func tokens(_ text: String) throws(FilterError) -> [Token] {
    var lexer = FilterLexer(Array(text))
    var tokens: [Token] = []
    while let token = try lexer.next() { tokens.append(token) }
    return tokens
  }

  private mutating func next() throws(FilterError) -> Token? {
    while index < text.count, text[index].isWhitespace { index += 1 }
    guard index < text.count else { return nil }
    let start = index
    switch text[index] {
    case "(": return sign(.open)
    case ")": return sign(.close)
    case "|": return sign(.or)
    case "-", "!": return sign(.not)
    default: return Token(kind: .word(try word()), range: start..<index)
    }
  }

  private mutating func sign(_ kind: Kind) -> Token {
    index += 1
    return Token(kind: kind, range: index - 1..<index)
  }

  private mutating func word() throws(FilterError) -> FilterWord {
    var word = FilterWord()
    let start = index
    if let colon = keyEnd() {
      word.key = String(text[index..<colon])
      word.keyRange = index..<colon
      index = colon + 1
    }
    word.valueStart = index
    var depth = 0
    while index < text.count {
      let character = text[index]
      if character == "\"" {
        try quoted(into: &word)
        continue
      }
      if character.isWhitespace || (character == ")" || character == "|") && depth == 0 { break }
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      word.append(character, at: index)
      index += 1
    }
    word.range = start..<index
    return word
  }

  /// Where the colon of `key:` stands, if the word begins with letters and a colon.
  private func keyEnd() -> Int? {
    var end = index
    while end < text.count, text[end].isASCII, text[end].isLetter { end += 1 }
    guard end > index, end < text.count, text[end] == ":" else { return nil }
    return end
  }

  /// Takes a quoted stretch; `\"` is a quote in it.
  private mutating func quoted(into word: inout FilterWord) throws(FilterError) {
    let start = index
    index += 1
    word.isQuoted = true
    while index < text.count, text[index] != "\"" {
      if text[index] == "\\", index + 1 < text.count, text[index + 1] == "\"" { index += 1 }
      word.append(text[index], at: index, quoted: true)
      index += 1
    }
    guard index < text.count else { throw FilterError("this quote is not closed", at: start..<text.count) }
    index += 1
  }
}
