/// Something that a request must have before a stub can match, as a number: a host, a header of that value, a member of
/// the JSON body. Equal things have equal keys; that different ones may have too costs a comparison and no more.
struct IndexKey: Hashable, Sendable {
  /// Where in a request it is found; what costs least to look for comes first.
  enum Place: UInt8, Sendable, Comparable {
    case host, path, url, query, header, body, form, multipart, json

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

  static func value(_ place: Place, _ name: Int = 0, _ bytes: ArraySlice<UInt8>) -> IndexKey {
    IndexKey(place, .value, name: name, value: number(bytes))
  }

  static func gram(_ place: Place, _ name: Int, _ gram: UInt32) -> IndexKey {
    IndexKey(place, .gram, name: name, value: Int(gram))
  }

  /// A scalar of the JSON body at that place in the tree of what stubs ask for.
  static func json(node: Int, _ value: JSONValue) -> IndexKey? {
    var hasher = Hasher()
    switch value {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let digits): hasher.combine(JSONNumber(digits))
    case .string(let text): hasher.combine(text)
    case .array, .object: return nil
    }
    return IndexKey(.json, .value, name: node, value: hasher.finalize())
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  /// The number of a name of which letter case does not count.
  static func folded(_ name: String) -> Int { number(name.utf8.map { NormalURL.lowered($0) }[...]) }
}

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
