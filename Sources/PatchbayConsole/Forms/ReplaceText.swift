import PatchbayStubs

/// Replacements as one types them: `find => with`, one a line; between quotes, as in JSON, where the texts themselves
/// hold line ends or arrows, or begin or end with a blank.
enum ReplaceText {
  private static let arrow = " => "

  static func text(_ all: [PassChanges.Replacement]) -> String {
    all.map { "\(quoted($0.find))\(arrow)\(quoted($0.with))".trimmingSuffix(" ") }.joined(separator: "\n")
  }

  static func replacements(_ text: String) throws(FormProblem) -> [PassChanges.Replacement] {
    var found: [PassChanges.Replacement] = []
    for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == " " }) { continue }
      guard let (find, rest) = part(line[...]), let with = end(rest), !find.isEmpty else {
        throw FormProblem("line \(place + 1): write find => with")
      }
      found.append(PassChanges.Replacement(find: find, with: with))
    }
    return found
  }

  /// What is to be found, and what stands behind the arrow.
  private static func part(_ line: Substring) -> (String, Substring)? {
    if line.hasPrefix("\"") {
      var end = line.dropFirst().firstIndex(of: "\"")
      while let close = end {
        let rest = line[line.index(after: close)...].drop { $0 == " " }
        if rest.hasPrefix("=>"), let text = try? JSONValue(parsing: String(line[...close])).text {
          return (text, rest.dropFirst(2).drop { $0 == " " })
        }
        end = line[line.index(after: close)...].firstIndex(of: "\"")
      }
    }
    guard let place = line.firstRange(of: "=>") else { return nil }
    let find = line[..<place.lowerBound]
    return (String(find.hasSuffix(" ") ? find.dropLast() : find), line[place.upperBound...].drop { $0 == " " })
  }

  private static func end(_ text: Substring) -> String? {
    guard text.hasPrefix("\""), text.count > 1, text.hasSuffix("\"") else { return String(text) }
    return (try? JSONValue(parsing: String(text)).text) ?? String(text)
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.contains("=>") && !text.contains { $0.isNewline } && !text.hasPrefix("\"") && !text.hasPrefix(" ")
      && !text.hasSuffix(" ")
    return isPlain ? text : JSONValue.string(text).compact
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String {
    var text = self[...]
    while text.last == suffix { text.removeLast() }
    return String(text)
  }
}
