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
