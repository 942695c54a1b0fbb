import Foundation

/// What a request must look like. Everything that is given must hold; an empty pattern fits every request.
///
/// ```swift
/// RequestPattern(
///   methods: ["POST", "PUT"], host: .glob("*.example.com"), path: .matches("^/v1/users/[0-9]+$"),
///   query: [.init("debug", nil)], headers: [.init("Authorization", .glob("Bearer *"))],
///   body: BodyPattern(json: ["user": ["id": 7]]))
/// ```
///
/// URLs, hosts and paths are compared by meaning (RFC 3986 §6.2.2): percent-encoding, letter case where it does not
/// count, default ports and international host names may be spelled either way.
public struct RequestPattern: Hashable, Sendable {
  /// The methods that fit; empty means all. The standard ones are taken in any letter case.
  public var methods: [String]
  /// The whole URL, without its fragment.
  public var url: TextPattern?
  /// `http` or `https`.
  public var scheme: TextPattern?
  /// The host's name, without its port.
  public var host: TextPattern?
  /// The port that is used, also where the URL leaves it to the scheme.
  public var port: Int?
  /// The path with its percent-encoding.
  public var path: TextPattern?
  /// Query items by name, in the order written.
  public var query: [Condition]
  /// Header fields by name (letter case ignored), in the order written.
  public var headers: [Condition]
  /// What its body must hold.
  public var body: BodyPattern?
  /// The name of the process that makes the request; with its number behind it (`demo 4121`) that process alone.
  public var process: TextPattern?
  /// Whole patterns of which at least one must fit; empty asks nothing.
  public var any: [RequestPattern]
  /// Whole patterns of which none may fit.
  public var not: [RequestPattern]

  /// One named value, of a query item, a header field or a form field.
  public struct Condition: Hashable, Sendable {
    /// The name that is looked for.
    public var name: String
    /// What one of the values of that name must look like; nil means that the name must be absent. Where the name is
    /// absent a ``TextPattern/not(_:)`` holds, for there is no value that fits.
    public var value: TextPattern?

    /// - Parameters:
    ///   - name: The name that is looked for.
    ///   - value: What one of its values must look like; nil means that the name must be absent.
    public init(_ name: String, _ value: TextPattern?) {
      self.name = name
      self.value = value
    }
  }

  /// A pattern of the conditions that are given.
  ///
  /// - Parameters:
  ///   - methods: The methods that fit; empty means all.
  ///   - url: The whole URL.
  ///   - scheme: `http` or `https`.
  ///   - host: The host's name.
  ///   - port: The port that is used.
  ///   - path: The path with its percent-encoding.
  ///   - query: Query items by name.
  ///   - headers: Header fields by name.
  ///   - body: What its body must hold.
  ///   - process: The name of the process that makes the request.
  ///   - any: Whole patterns of which at least one must fit.
  ///   - not: Whole patterns of which none may fit.
  public init(
    methods: [String] = [], url: TextPattern? = nil, scheme: TextPattern? = nil, host: TextPattern? = nil,
    port: Int? = nil, path: TextPattern? = nil, query: [Condition] = [], headers: [Condition] = [],
    body: BodyPattern? = nil, process: TextPattern? = nil, any: [RequestPattern] = [], not: [RequestPattern] = []
  ) {
    self.methods = methods
    self.url = url
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.process = process
    self.any = any
    self.not = not
  }

  /// Whether it, or a pattern in it, asks something of the body.
  package var asksBody: Bool { body != nil || (any + not).contains { $0.asksBody } }
}

/// How one text of a request is compared. A text stands for a glob.
public indirect enum TextPattern: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// `*` is any run of characters, `/` included; everything else is literal; the whole text must fit.
  case glob(String)
  /// A regular expression that must be found somewhere in the text (written `{ matches: … }`). One that cannot be read
  /// never matches.
  case matches(String)
  /// At least one of them fits (written as a list).
  case any([TextPattern])
  /// None of them fits (written `{ not: … }`).
  case not([TextPattern])
  /// All of them fit.
  case all([TextPattern])

  /// A glob of that text.
  public init(stringLiteral value: String) { self = .glob(value) }

  /// Whether it holds where there is nothing to compare.
  var fitsAbsent: Bool {
    switch self {
    case .glob, .matches: false
    case .any(let parts): parts.contains { $0.fitsAbsent }
    case .not(let parts): !parts.contains { $0.fitsAbsent }
    case .all(let parts): parts.allSatisfy { $0.fitsAbsent }
    }
  }

  /// The globs and expressions in it, in the order written.
  package var leaves: [TextPattern] {
    switch self {
    case .glob, .matches: [self]
    case .any(let parts), .not(let parts), .all(let parts): parts.flatMap(\.leaves)
    }
  }
}

/// What a request's body must hold. Everything that is given must hold.
public struct BodyPattern: Hashable, Sendable {
  /// Text that must be found in the body; a glob's text stands for itself here, `*` included.
  public var contains: TextPattern?
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
  /// The operation of a GraphQL request.
  public var graphql: GraphQL?

  /// What a GraphQL request must ask: in a JSON body (one operation, or a list of which one fits), in a body of
  /// `application/graphql`, or in the URL's query.
  public struct GraphQL: Hashable, Sendable {
    /// The name of its operation: `operationName`, else the name of the only operation of the document, else empty.
    public var operation: TextPattern?
    /// A JSON value of which each member and element must be in the variables (a subset).
    public var variables: JSONValue?

    /// - Parameters:
    ///   - operation: The name of its operation.
    ///   - variables: A subset of its variables.
    public init(operation: TextPattern? = nil, variables: JSONValue? = nil) {
      self.operation = operation
      self.variables = variables
    }
  }

  /// A pattern of the conditions that are given.
  ///
  /// - Parameters:
  ///   - contains: Text that must be found in the body.
  ///   - equals: The whole body, exactly.
  ///   - matches: A regular expression that must be found in the body.
  ///   - json: A subset of the body's JSON.
  ///   - pointer: JSON Pointers and the values that must stand there.
  ///   - form: Fields of `application/x-www-form-urlencoded`.
  ///   - multipart: Parts of `multipart/form-data` by name.
  ///   - graphql: The operation of a GraphQL request.
  public init(
    contains: TextPattern? = nil, equals: String? = nil, matches: String? = nil, json: JSONValue? = nil,
    pointer: [JSONValue.Member] = [], form: [RequestPattern.Condition] = [],
    multipart: [RequestPattern.Condition] = [], graphql: GraphQL? = nil
  ) {
    self.contains = contains
    self.equals = equals
    self.matches = matches
    self.json = json
    self.pointer = pointer
    self.form = form
    self.multipart = multipart
    self.graphql = graphql
  }
}

/// What matching looks at: one request as the program made it, with the session's headers merged in.
package struct RequestFacts: Hashable, Sendable {
  package var method: String
  /// The absolute URL.
  package var url: String
  package var headers: [HeaderField]
  /// nil where there is none, or where it is a stream that has not been read.
  package var body: Data?
  /// The name of the process.
  package var process: String
  /// Its number; nil where it is not known.
  package var pid: Int32?

  package init(
    method: String, url: String, headers: [HeaderField] = [], body: Data? = nil, process: String = "",
    pid: Int32? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.process = process
    self.pid = pid
  }
}
