/// Finds the keys that patterns need of a request.
struct KeyCollector {
  private(set) var tree = JSONKeyTree()

  /// Each of these a request must have for the pattern to fit; empty where nothing can be said.
  mutating func keys(of pattern: CompiledPattern) -> [IndexKey] {
    var keys: [IndexKey] = []
    if let host = pattern.host { keys.append(.value(.host, 0, Array(host.utf8)[...])) }
    for condition in pattern.conditions { add(condition, to: &keys) }
    return keys
  }

  private mutating func add(_ condition: RequestCondition, to keys: inout [IndexKey]) {
    switch condition {
    case .path(let matcher): literals(.path, 0, matcher, &keys)
    case .url(.globs(let globs)):
      // Of a literal one the front knows no letter case, as grams do not.
      if globs.count == 1 { for piece in globs[0].pieces { grams(.url, 0, piece, &keys) } }
    case .url(let matcher): literals(.url, 0, matcher, &keys)
    case .query(let name, let matcher?): named(.query, IndexKey.number(name[...]), matcher, &keys)
    case .header(let name, let matcher?): named(.header, IndexKey.folded(name), matcher, &keys)
    case .body(let condition): add(condition, to: &keys)
    default: break
    }
  }

  private mutating func add(_ condition: BodyCondition, to keys: inout [IndexKey]) {
    switch condition {
    case .contains(let search): grams(.body, 0, search.needle, &keys)
    case .equals(let bytes): keys.append(.value(.body, 0, bytes[...]))
    case .matches(let matcher): literals(.body, 0, matcher, &keys)
    case .json(let wanted): tree.keys(of: wanted, into: &keys)
    case .pointer(let pointer, let wanted): tree.keys(of: wanted, pointer: pointer, into: &keys)
    case .form(let name, let matcher?): named(.form, IndexKey.number(name[...]), matcher, &keys)
    case .multipart(let name, let matcher?): named(.multipart, IndexKey.number(name[...]), matcher, &keys)
    case .form, .multipart: break
    }
  }

  private func named(_ place: IndexKey.Place, _ name: Int, _ matcher: TextMatcher, _ keys: inout [IndexKey]) {
    keys.append(.named(place, name))
    literals(place, name, matcher, &keys)
  }

  /// What must stand in the value whichever way the pattern fits.
  private func literals(_ place: IndexKey.Place, _ name: Int, _ matcher: TextMatcher, _ keys: inout [IndexKey]) {
    switch matcher {
    case .globs(let globs):
      guard globs.count == 1 else { return }
      if let literal = globs[0].literal { return keys.append(.value(place, name, literal[...])) }
      for piece in globs[0].pieces { grams(place, name, piece, &keys) }
    case .regex(let regex): for run in regex.literals { grams(place, name, run, &keys) }
    case .never: break
    }
  }

  private func grams(_ place: IndexKey.Place, _ name: Int, _ literal: [UInt8], _ keys: inout [IndexKey]) {
    for gram in Grams.all(in: literal) { keys.append(.gram(place, name, gram)) }
  }
}
