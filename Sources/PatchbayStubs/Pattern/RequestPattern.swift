/// What a request must look like. Everything that is given must hold; an empty pattern fits every request.
public struct RequestPattern: Hashable, Sendable {
  /// The methods that fit; empty means all.
  public var methods: [String]
  /// The whole URL.
  public var url: TextPattern?
  public var scheme: TextPattern?
  public var host: TextPattern?
  public var port: Int?
  /// The path with its percent-encoding.
  public var path: TextPattern?
  /// Query items by name, in the order written.
  public var query: [Condition]
  /// Header fields by name (letter case ignored), in the order written.
  public var headers: [Condition]
  public var body: BodyPattern?
  /// The name of the process that makes the request; with its number behind it (`demo 4121`) that process alone.
  public var process: TextPattern?

  /// One named value: nil means that the name must be absent.
  public struct Condition: Hashable, Sendable {
    public var name: String
    public var value: TextPattern?

    public init(_ name: String, _ value: TextPattern?) {
      self.name = name
      self.value = value
    }
  }

  public init(
    methods: [String] = [], url: TextPattern? = nil, scheme: TextPattern? = nil, host: TextPattern? = nil,
    port: Int? = nil, path: TextPattern? = nil, query: [Condition] = [], headers: [Condition] = [],
    body: BodyPattern? = nil, process: TextPattern? = nil
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
  }
}
