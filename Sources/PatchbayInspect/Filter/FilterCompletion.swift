/// What could be written at the cursor of a filter.
package struct FilterCompletion: Hashable, Sendable {
  /// The characters that a candidate takes the place of, counted from 0.
  package var range: Range<Int>
  package var candidates: [Candidate]

  package struct Candidate: Hashable, Sendable {
    /// What is put in; a key ends with its colon.
    package var text: String
    /// What it means, for the list; may be empty.
    package var note: String

    package init(text: String, note: String = "") {
      self.text = text
      self.note = note
    }
  }

  package init(range: Range<Int>, candidates: [Candidate]) {
    self.range = range
    self.candidates = candidates
  }
}

extension Filter {
  /// Candidates for the word that the cursor stands in or after: keys, or values after `key:`.
  ///
  /// - Parameters:
  ///   - cursor: the number of characters before the cursor.
  ///   - values: known values of a key (hosts, stubs, processes), most useful first; they come before those that the
  ///     language has.
  package static func completions(
    _ text: String, cursor: Int, values: (FilterKey) -> [String] = { _ in [] }
  ) -> FilterCompletion {
    let before = Array(text.prefix(max(0, cursor)))
    let word = before[wordStart(before)...]
    guard let colon = word.firstIndex(of: ":") else { return keys(word) }
    guard let key = FilterKey(named: String(word[..<colon])) else {
      return FilterCompletion(range: before.count..<before.count, candidates: [])
    }
    var start = word.index(after: colon)
    if key.takesList, let comma = word[start...].lastIndex(of: ",") { start = word.index(after: comma) }
    let begun = String(word[start...].filter { $0 != "\"" }).lowercased()
    var seen: Set<String> = []
    let known = (values(key) + key.values).filter { seen.insert($0).inserted }
    let fitting = known.filter { $0.lowercased().hasPrefix(begun) }
    let rest =
      begun.isEmpty ? [] : known.filter { !$0.lowercased().hasPrefix(begun) && $0.lowercased().contains(begun) }
    return FilterCompletion(
      range: start..<before.count, candidates: (fitting + rest).map { .init(text: quotedIfNeeded($0)) })
  }

  /// The value as it must be written after a key: in quotes where blanks or signs demand it.
  package static func quotedIfNeeded(_ value: String) -> String {
    let signs: Set<Character> = ["(", ")", "|", "\"", ","]
    guard value.isEmpty || value.contains(where: { $0.isWhitespace || signs.contains($0) }) else { return value }
    return "\"" + value.replacing("\"", with: "\\\"") + "\""
  }

  private static func keys(_ word: ArraySlice<Character>) -> FilterCompletion {
    let begun = String(word).lowercased()
    let fitting = FilterKey.allCases.filter { $0.rawValue.hasPrefix(begun) && !begun.hasPrefix("\"") }
    return FilterCompletion(
      range: word.startIndex..<word.endIndex,
      candidates: fitting.map { .init(text: $0.rawValue + ":", note: $0.help) })
  }

  /// Where the word begins that the end stands in.
  private static func wordStart(_ characters: [Character]) -> Int {
    var start = 0
    var quoted = false
    for (index, character) in characters.enumerated() {
      if character == "\"", index == 0 || characters[index - 1] != "\\" { quoted.toggle() }
      guard !quoted else { continue }
      let isSign = (character == "-" || character == "!") && index == start
      if character.isWhitespace || character == "(" || character == ")" || character == "|" || isSign {
        start = index + 1
      }
    }
    return start
  }
}
