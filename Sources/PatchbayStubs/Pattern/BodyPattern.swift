/// What a request's body must hold. Everything that is given must hold.
public struct BodyPattern: Hashable, Sendable {
  /// Text that must be found in the body.
  public var contains: String?
  /// The whole body, exactly.
  public var equals: String?
  /// A regular expression that must be found in the body.
  public var matches: String?
  /// A JSON value of which each member and element must be in the body's JSON (a subset).
  public var json: JSONValue?
  /// JSON Pointers (RFC 6901) and the values that must stand there.
  public var pointer: [JSONValue.Member]
  /// Fields of `application/x-www-form-urlencoded`.
  public var form: [RequestPattern.Condition]
  /// Parts of `multipart/form-data` by name.
  public var multipart: [RequestPattern.Condition]

  public init(
    contains: String? = nil, equals: String? = nil, matches: String? = nil, json: JSONValue? = nil,
    pointer: [JSONValue.Member] = [], form: [RequestPattern.Condition] = [],
    multipart: [RequestPattern.Condition] = []
  ) {
    self.contains = contains
    self.equals = equals
    self.matches = matches
    self.json = json
    self.pointer = pointer
    self.form = form
    self.multipart = multipart
  }
}
