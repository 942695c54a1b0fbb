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
