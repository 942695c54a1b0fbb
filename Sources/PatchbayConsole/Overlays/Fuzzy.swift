/// Fuzzy matching: all letters in order; a whole run of them, and beginnings of words, count more.
enum Fuzzy {
  struct Match: Equatable {
    var score: Int
    /// Places of the letters that were found, in characters, rising.
    var places: [Int]
    /// Each letter begins a word, or stands in the same word as the one before it.
    var isClose: Bool
  }

  static func match(_ wanted: String, in text: String) -> Match? {
    let letters = Array(wanted.lowercased()).filter { $0 != " " && $0 != "-" }
    let candidates = Array(text.lowercased())
    if let start = beginning(of: Array(wanted.lowercased()), in: candidates) {
      let startsWord = start == 0 || candidates[start - 1] == " "
      let places = Array(start..<(start + wanted.count))
      return Match(score: 1_000 + (startsWord ? 100 : 0) - start, places: places, isClose: true)
    }
    var found = Match(score: 0, places: [], isClose: true)
    var place = 0
    var run = 0
    for letter in letters {
      var next = place
      while next < candidates.count, candidates[next] != letter { next += 1 }
      guard next < candidates.count else { return nil }
      let startsWord = next == 0 || candidates[next - 1] == " "
      run = next == place && place > 0 ? run + 1 : 0
      if run == 0, !startsWord, place == 0 || candidates[place..<next].contains(" ") { found.isClose = false }
      found.score += 1 + run * 4 + (startsWord ? 6 : 0) - min(3, next - place)
      found.places.append(next)
      place = next + 1
    }
    found.score -= candidates.count / 40
    return found
  }

  /// Where the letters stand together, at the beginning of a word if there is such a place.
  private static func beginning(of letters: [Character], in text: [Character]) -> Int? {
    guard !letters.isEmpty, letters.count <= text.count else { return nil }
    let starts = (0...(text.count - letters.count)).filter { text[$0..<($0 + letters.count)].elementsEqual(letters) }
    return starts.first { $0 == 0 || text[$0 - 1] == " " } ?? starts.first
  }
}
