/// Finds a command by some letters of its name or help.
struct PaletteBox: Sendable {
  var search = TextEditor("", singleLine: true)
  var selected = 0
  var top = 0

  /// The commands that can be run here, the best fitting first.
  func matches(_ bindings: [Binding]) -> [Binding] {
    let wanted = search.text
    var seen: Set<Command> = []
    let unique = bindings.filter { $0.command != .palette && seen.insert($0.command).inserted }
    guard !wanted.isEmpty else { return unique }
    return unique.enumerated().compactMap { place, binding -> (Int, Int, Binding)? in
      let text = "\(binding.command.rawValue.replacing("-", with: " ")) \(binding.help)"
      return Fuzzy.score(wanted, in: text).map { ($0, place, binding) }
    }
    .sorted { ($0.0, $1.1) > ($1.0, $0.1) }.map(\.2)
  }
}

/// Fuzzy matching: all letters in order; runs and beginnings of words count more.
enum Fuzzy {
  static func score(_ wanted: String, in text: String) -> Int? {
    let letters = Array(wanted.lowercased()).filter { $0 != " " && $0 != "-" }
    let candidates = Array(text.lowercased())
    var score = 0
    var place = 0
    var run = 0
    for letter in letters {
      var found = place
      while found < candidates.count, candidates[found] != letter { found += 1 }
      guard found < candidates.count else { return nil }
      let startsWord = found == 0 || candidates[found - 1] == " "
      run = found == place ? run + 1 : 0
      score += 1 + run * 4 + (startsWord ? 6 : 0) - min(3, found - place)
      place = found + 1
    }
    return score - candidates.count / 40
  }
}
