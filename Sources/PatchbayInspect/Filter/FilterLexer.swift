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

/// One word of a filter, with where its characters stand.
struct FilterWord: Hashable {
  var key: String?
  var keyRange = 0..<0
  var range = 0..<0
  var valueStart = 0
  /// Whether any part of it stood in quotes.
  var isQuoted = false
  private(set) var characters: [Piece] = []

  struct Piece: Hashable {
    var character: Character
    var place: Int
    var isQuoted: Bool
  }

  mutating func append(_ character: Character, at place: Int, quoted: Bool = false) {
    characters.append(Piece(character: character, place: place, isQuoted: quoted))
  }

  var value: String { String(characters.map(\.character)) }
  var valueRange: Range<Int> { valueStart..<max(valueStart, range.upperBound) }

  /// One value of a list, and where it stands.
  struct Item: Hashable {
    var text: String
    var range: Range<Int>
  }

  /// The value cut at the commas that stand outside of quotes.
  var list: [Item] {
    characters.split(omittingEmptySubsequences: false) { $0.character == "," && !$0.isQuoted }.map {
      let start = $0.first?.place ?? valueRange.upperBound
      return Item(text: String($0.map(\.character)), range: start..<($0.last.map { $0.place + 1 } ?? start))
    }
  }
}
