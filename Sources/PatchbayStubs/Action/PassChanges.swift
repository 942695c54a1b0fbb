/// What is changed of the network's own answer. Empty passes it as it is.
public struct PassChanges: Hashable, Sendable {
  /// Waits before the request goes out.
  public var delay: Delay?
  public var pace: Pace?
  public var status: Int?
  /// Fields to set (a value) or to remove (nil), in order.
  public var headers: [HeaderChange]
  /// An RFC 7396 patch for a JSON body.
  public var mergePatch: JSONValue?
  /// Texts to replace in the body, in order.
  public var replace: [Replacement]

  public struct HeaderChange: Hashable, Sendable {
    public var name: String
    /// One value for each field of that name; nil removes them all.
    public var values: [String]?

    public init(_ name: String, _ values: [String]?) {
      self.name = name
      self.values = values
    }
  }

  public struct Replacement: Hashable, Sendable {
    public var find: String
    public var with: String

    public init(find: String, with: String) {
      self.find = find
      self.with = with
    }
  }

  public init(
    delay: Delay? = nil, pace: Pace? = nil, status: Int? = nil, headers: [HeaderChange] = [],
    mergePatch: JSONValue? = nil, replace: [Replacement] = []
  ) {
    self.delay = delay
    self.pace = pace
    self.status = status
    self.headers = headers
    self.mergePatch = mergePatch
    self.replace = replace
  }

  package var isEmpty: Bool { self == PassChanges() }
}
