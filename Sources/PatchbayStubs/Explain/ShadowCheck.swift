/// Finds stubs that can never match because an earlier one takes everything that they could. It says nothing where it
/// is not certain.
package enum ShadowCheck {
  package struct Finding: Hashable, Sendable {
    /// The stub that can never match, by its place in the list.
    package var index: Int
    /// The earlier one that takes its requests.
    package var by: Int
  }

  /// How many pairs are compared, so that thousands of stubs cost no more than about a second. Stubs that take all
  /// requests are always looked at.
  private static let pairLimit = 200_000

  package static func findings(_ stubs: [Stub]) -> [Finding] {
    let takers = stubs.indices.filter { takesAll(stubs[$0]) }
    let broad = takers.filter { stubs[$0].when == RequestPattern() }
    var pairs = 0
    return stubs.indices.compactMap { index in
      guard stubs[index].enabled else { return nil }
      var by: Int?
      for taker in pairs < pairLimit ? takers : broad {
        guard taker < index else { break }
        pairs += 1
        guard covers(stubs[taker].when, stubs[index].when) else { continue }
        by = taker
        break
      }
      return by.map { Finding(index: index, by: $0) }
    }
  }

  /// Whether nothing that fits the stub's pattern goes past it.
  private static func takesAll(_ stub: Stub) -> Bool {
    guard stub.enabled, stub.skip <= 0, stub.times == nil, (stub.chance ?? 1) >= 1, stub.scenario?.state == nil else {
      return false
    }
    switch stub.then {
    case .hold: return false
    case .sequence(let actions, _):
      return !actions.isEmpty && actions.allSatisfy { if case .hold = $0 { false } else { true } }
    default: return true
    }
  }

  /// Whether every request fits it.
  package static func takesEverything(_ pattern: RequestPattern) -> Bool { covers(pattern, RequestPattern()) }

  /// Whether each request that fits the second pattern fits the first.
  static func covers(_ wide: RequestPattern, _ narrow: RequestPattern) -> Bool {
    let methods = Set(wide.methods.map { HTTPMethod.normal($0) })
    let others = Set(narrow.methods.map { HTTPMethod.normal($0) })
    guard methods.isEmpty || (!others.isEmpty && others.isSubset(of: methods)) else { return false }
    guard wide.port == nil || wide.port == narrow.port else { return false }
    guard covers(wide.url, narrow.url, .url), covers(wide.scheme, narrow.scheme, .scheme),
      covers(wide.host, narrow.host, .host), covers(wide.path, narrow.path, .path),
      covers(wide.process, narrow.process, .plain)
    else { return false }
    guard covers(wide.query, narrow.query), covers(wide.headers, narrow.headers, names: { $0.lowercased() }) else {
      return false
    }
    let fitsOne = wide.any.isEmpty || wide.any == narrow.any || wide.any.contains { covers($0, narrow) }
    return fitsOne && wide.not.allSatisfy { narrow.not.contains($0) } && covers(wide.body, narrow.body)
  }

  private static func covers(_ wide: TextPattern?, _ narrow: TextPattern?, _ place: TextMatcher.Place) -> Bool {
    guard let wide else { return true }
    if case .glob("*") = wide { return true }
    if place == .path, wide == .glob("/*") { return true }
    guard let narrow else { return false }
    if wide == narrow { return true }
    switch (wide, narrow) {
    case (_, .any(let parts)): return !parts.isEmpty && parts.allSatisfy { covers(wide, $0, place) }
    case (_, .all(let parts)): return parts.contains { covers(wide, $0, place) }
    case (.any(let parts), _): return parts.contains { covers($0, narrow, place) }
    case (.all(let parts), _): return parts.allSatisfy { covers($0, narrow, place) }
    case (.not(let parts), .not(let others)): return parts.allSatisfy { others.contains($0) }
    case (.glob, .glob(let text)):
      // A `*` of the narrow one can only be taken by a `*` of the wide one, for no literal of that is a `*`.
      let texts = GlobSpelling.spellings(of: text, for: place)
      let folding = place == .host || place == .scheme
      guard case .globs(let globs) = TextMatcher(wide, for: place), globs.count == 1, texts.count == 1 else {
        return false
      }
      let bytes = Array(texts[0].utf8)
      return globs[0].matches(bytes, folding: folding ? bytes.count : 0)
    default: return false
    }
  }

  private static func covers(
    _ wide: [RequestPattern.Condition], _ narrow: [RequestPattern.Condition],
    names: (String) -> String = { $0 }
  ) -> Bool {
    wide.allSatisfy { condition in
      narrow.contains { other in
        guard names(other.name) == names(condition.name) else { return false }
        guard let value = condition.value else { return other.value == nil }
        guard let narrow = other.value, value.fitsAbsent || !narrow.fitsAbsent else { return false }
        return covers(value, narrow, .plain)
      }
    }
  }

  private static func covers(_ wide: BodyPattern?, _ narrow: BodyPattern?) -> Bool {
    guard let wide, wide != BodyPattern() else { return true }
    guard let narrow else { return false }
    return (wide.contains == nil || wide.contains == narrow.contains)
      && (wide.equals == nil || wide.equals == narrow.equals)
      && (wide.matches == nil || wide.matches == narrow.matches)
      && (wide.json == nil || narrow.json.map { wide.json?.isSubset(of: $0) ?? false } ?? false)
      && wide.pointer.allSatisfy { narrow.pointer.contains($0) }
      && (wide.graphql == nil || wide.graphql == narrow.graphql)
      && covers(wide.form, narrow.form) && covers(wide.multipart, narrow.multipart)
  }
}
