/// A text that a regular expression finds, made of what it says: for examples of a schema's `pattern`.
package enum RegexSample {
  /// Texts to try, the shortest first; whether one fits is for the caller to see. Empty where the expression cannot be
  /// read.
  ///
  /// - Parameter length: about as long one of them may have to be.
  package static func texts(_ pattern: String, length: Int) -> [String] {
    var parser = RegexParser(pattern)
    guard let node = try? parser.parse() else { return [] }
    return [0, 1, length].map { repeats in
      var room = textLimit
      return text(node, repeats: min(repeats, textLimit), &room)
    }
  }

  /// Counted groups in counted groups would make a text without end.
  private static let textLimit = 2_000

  private static func text(_ node: RegexNode, repeats: Int, _ room: inout Int) -> String {
    guard room > 0 else { return "" }
    switch node {
    case .empty, .assert: return ""
    case .set(let set):
      room -= 1
      return scalar(in: set).map { String(Character($0)) } ?? ""
    case .group(let inner, _): return text(inner, repeats: repeats, &room)
    case .either(let branches): return branches.first.map { text($0, repeats: repeats, &room) } ?? ""
    case .concat(let parts):
      var whole = ""
      for part in parts { whole += text(part, repeats: repeats, &room) }
      return whole
    case .counted(let inner, let min, let max, _):
      let count = Swift.min(Swift.max(min, repeats), max ?? .max)
      var whole = ""
      for _ in 0..<count where room > 0 {
        let before = room
        whole += text(inner, repeats: repeats, &room)
        // What is empty once is so however often.
        if room == before { break }
      }
      return whole
    }
  }

  /// A letter or digit where one is in the set, else what it begins with.
  private static func scalar(in set: ScalarSet) -> Unicode.Scalar? {
    let usual = "a1A-_./:@ ".unicodeScalars.first { set.contains($0) }
    return usual ?? (set.negated ? nil : set.ranges.first.flatMap { Unicode.Scalar($0.lowerBound) })
      ?? (0x21..<0x7F).lazy.compactMap { Unicode.Scalar($0) }.first { set.contains($0) }
  }
}
