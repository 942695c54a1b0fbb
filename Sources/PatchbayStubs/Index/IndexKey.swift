/// Something that a request must have before a stub can match, as a number: a host, a header of that value, a member of
/// the JSON body. Equal things have equal keys; that different ones may have too costs a comparison and no more.
struct IndexKey: Hashable, Sendable {
  /// Where in a request it is found; what costs least to look for comes first.
  enum Place: UInt8, Sendable, Comparable {
    case host, path, url, query, header, body, form, multipart, json, graphql, variables

    var isInBody: Bool { self >= .body }

    static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
  }

  enum Kind: UInt8, Sendable {
    /// The name is there.
    case name
    /// The whole value.
    case value
    /// Four bytes in a row of the value, see `Grams`.
    case gram
  }

  let place: Place
  let kind: Kind
  /// Which name (a header's, a query item's); 0 where the place has but one value.
  let name: Int
  let value: Int

  private init(_ place: Place, _ kind: Kind, name: Int, value: Int) {
    self.place = place
    self.kind = kind
    self.name = name
    self.value = value
  }

  static func named(_ place: Place, _ name: Int) -> IndexKey { IndexKey(place, .name, name: name, value: 0) }

  static func value(_ place: Place, _ name: Int, _ bytes: ArraySlice<UInt8>) -> IndexKey {
    IndexKey(place, .value, name: name, value: number(bytes))
  }

  static func gram(_ place: Place, _ name: Int, _ gram: UInt32) -> IndexKey {
    IndexKey(place, .gram, name: name, value: Int(gram))
  }

  /// A scalar of the JSON body at that place in the tree of what stubs ask for.
  static func json(_ place: Place, node: Int, _ value: JSONValue) -> IndexKey? {
    var hasher = Hasher()
    switch value {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let digits): hasher.combine(JSONNumber(digits))
    case .string(let text): hasher.combine(text)
    case .array, .object: return nil
    }
    return IndexKey(place, .value, name: node, value: hasher.finalize())
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  /// The number of a name of which letter case does not count.
  static func folded(_ name: String) -> Int { number(name.utf8.map { NormalURL.lowered($0) }[...]) }
}

/// Keys of which a request must have some for a pattern to fit: all of at least one alternative.
struct IndexClause {
  var alternatives: [[IndexKey]]

  /// A key that it must have.
  init(_ key: IndexKey) { alternatives = [[key]] }

  /// All of one of those lists of clauses; nil where one of the lists says nothing.
  init?(anyOf lists: [[IndexClause]]) {
    alternatives = []
    for list in lists {
      let keys = list.filter { $0.alternatives.count == 1 }.flatMap { $0.alternatives[0] }
      if !keys.isEmpty {
        alternatives.append(keys)
      } else if let clause = list.first {
        alternatives += clause.alternatives
      } else {
        return nil
      }
    }
    // Filing a stub under very many keys costs more than it saves.
    if alternatives.isEmpty || alternatives.count > 64 { return nil }
  }
}

/// Finds the keys that patterns need of a request.
struct KeyCollector {
  private(set) var tree = JSONKeyTree(.json)
  private(set) var variables = JSONKeyTree(.variables)

  /// Each of these must hold of a request for the pattern to fit; empty where nothing can be said.
  mutating func clauses(of pattern: CompiledPattern) -> [IndexClause] {
    var clauses: [IndexClause] = []
    if let host = pattern.host { clauses.append(IndexClause(.value(.host, 0, Array(host.utf8)[...]))) }
    for condition in pattern.conditions { clauses += self.clauses(of: condition) }
    return clauses
  }

  private mutating func clauses(of condition: RequestCondition) -> [IndexClause] {
    switch condition {
    case .host(let matcher): return clauses(.host, 0, matcher)
    case .path(let matcher): return clauses(.path, 0, matcher)
    case .url(let matcher): return clauses(.url, 0, matcher)
    case .query(let name, let matcher?): return clauses(.query, named: IndexKey.number(name[...]), matcher)
    case .header(let name, let matcher?): return clauses(.header, named: IndexKey.folded(name), matcher)
    case .body(let condition): return clauses(of: condition)
    case .any(let patterns): return IndexClause(anyOf: patterns.map { clauses(of: $0) }).map { [$0] } ?? []
    default: return []
    }
  }

  private mutating func clauses(of condition: BodyCondition) -> [IndexClause] {
    switch condition {
    case .contains(let matcher), .matches(let matcher): return clauses(.body, 0, matcher)
    case .equals(let bytes): return [IndexClause(.value(.body, 0, bytes[...]))]
    case .json(let wanted): return keys { tree.keys(of: wanted, into: &$0) }
    case .pointer(let pointer, let wanted): return keys { tree.keys(of: wanted, pointer: pointer, into: &$0) }
    case .form(let name, let matcher?): return clauses(.form, named: IndexKey.number(name[...]), matcher)
    case .multipart(let name, let matcher?): return clauses(.multipart, named: IndexKey.number(name[...]), matcher)
    case .graphql(let operation, let wanted):
      let named = operation.map { clauses(.graphql, 0, $0) } ?? []
      return named + (wanted.map { wanted in keys { variables.keys(of: wanted, into: &$0) } } ?? [])
    case .form, .multipart: return []
    }
  }

  private func keys(_ collect: (inout [IndexKey]) -> Void) -> [IndexClause] {
    var keys: [IndexKey] = []
    collect(&keys)
    return keys.map { IndexClause($0) }
  }

  private func clauses(_ place: IndexKey.Place, named name: Int, _ matcher: TextMatcher) -> [IndexClause] {
    // What is not there may be what is asked.
    let isThere = matcher.fitsAbsent ? [] : [IndexClause(.named(place, name))]
    return isThere + clauses(place, name, matcher)
  }

  /// What must stand in the value whichever way the pattern fits.
  private func clauses(_ place: IndexKey.Place, _ name: Int, _ matcher: TextMatcher) -> [IndexClause] {
    switch matcher {
    case .globs(let globs):
      guard globs.count == 1 else { return [] }
      // Of a literal URL the front knows no letter case, as grams do not. Hosts fit in several spellings: one that is
      // literal is found by `CompiledPattern.host`.
      if let literal = globs[0].literal, place != .url, place != .host {
        return [IndexClause(.value(place, name, literal[...]))]
      }
      return globs[0].pieces.flatMap { grams(place, name, $0) }
    case .regex(let regex): return regex.literals.flatMap { grams(place, name, $0) }
    case .part(let search): return grams(place, name, search.needle)
    case .any(let parts): return IndexClause(anyOf: parts.map { clauses(place, name, $0) }).map { [$0] } ?? []
    case .all(let parts): return parts.flatMap { clauses(place, name, $0) }
    case .not, .process, .never: return []
    }
  }

  private func grams(_ place: IndexKey.Place, _ name: Int, _ literal: [UInt8]) -> [IndexClause] {
    Grams.all(in: literal).map { IndexClause(.gram(place, name, $0)) }
  }
}
