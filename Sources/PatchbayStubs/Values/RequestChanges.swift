/// What is changed of a request before it goes out. Empty sends it as the program asked.
public struct RequestChanges: Hashable, Sendable {
  /// The method in the place of the program's.
  public var method: String?
  /// `http` or `https`.
  public var scheme: String?
  /// The host, without a port.
  public var host: String?
  /// The port.
  public var port: Int?
  /// The whole path; what a URL does not allow is escaped.
  public var path: String?
  /// Items of the query to set (a value for each) or to remove (nil), in order.
  public var query: [QueryChange]
  /// Fields to set (a value) or to remove (nil), in order.
  public var headers: [PassChanges.HeaderChange]
  /// A whole other body; `.none` keeps the program's.
  public var body: CannedResponse.Body
  /// An RFC 7396 patch for a JSON body.
  public var mergePatch: JSONValue?
  /// Texts to replace in the body, in order.
  public var replace: [PassChanges.Replacement]

  /// An item of the query to set or to remove: letter case counts in its name.
  public typealias QueryChange = PassChanges.HeaderChange

  /// The changes that are given.
  ///
  /// - Parameters:
  ///   - method: The method in the place of the program's.
  ///   - scheme: `http` or `https`.
  ///   - host: The host, without a port.
  ///   - port: The port.
  ///   - path: The whole path.
  ///   - query: Items of the query to set or to remove, in order.
  ///   - headers: Fields to set or to remove, in order.
  ///   - body: A whole other body; `.none` keeps the program's.
  ///   - mergePatch: An RFC 7396 patch for a JSON body.
  ///   - replace: Texts to replace in the body, in order.
  public init(
    method: String? = nil, scheme: String? = nil, host: String? = nil, port: Int? = nil, path: String? = nil,
    query: [QueryChange] = [], headers: [PassChanges.HeaderChange] = [], body: CannedResponse.Body = .none,
    mergePatch: JSONValue? = nil, replace: [PassChanges.Replacement] = []
  ) {
    self.method = method
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.mergePatch = mergePatch
    self.replace = replace
  }

  package var isEmpty: Bool { self == RequestChanges() }
}
