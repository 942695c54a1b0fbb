/// What is done with a request that a stub took.
public indirect enum Action: Hashable, Sendable {
  /// Answer in the place of the network.
  case respond(CannedResponse)
  /// Make it fail.
  case fail(Fault)
  /// Let it go to the network, perhaps slowed or with the answer patched.
  case pass(PassChanges)
  /// Stop it until the person at the console has decided. A hold does not answer: afterwards the request goes on down
  /// the list. Without a console nothing is held.
  case hold(HoldPoint)
  /// One action after the other, a step for each request.
  case sequence([Action], afterwards: Afterwards)
  /// Code of the program itself answers: a closure, or a predicate. Only stubs declared in code have it; whoever has not
  /// got the code lets the request pass.
  case code

  /// What a sequence does when it is used up.
  public enum Afterwards: String, Hashable, Sendable, CaseIterable {
    /// Begins again with the first step.
    case `repeat`
    /// Goes on with the last step.
    case last
    /// Lets further requests go to the network.
    case pass
  }

  /// Where an exchange is held.
  public enum HoldPoint: String, Hashable, Sendable, CaseIterable {
    /// Before the request goes out.
    case request
    /// Before the response is delivered.
    case response
    /// At both places.
    case both

    package var holdsRequest: Bool { self != .response }
    package var holdsResponse: Bool { self != .request }
  }
}

/// How long an answer waits before it begins.
public enum Delay: Hashable, Sendable {
  /// The same time for each request.
  case fixed(Duration)
  /// A time between the two, drawn anew for each request.
  case random(from: Duration, to: Duration)
}

/// How fast a body is handed over.
public enum Pace: Hashable, Sendable {
  /// At most that many bytes a second.
  case throttle(bytesPerSecond: Int)
  /// In that many pieces of about the same size, spread evenly over the time.
  case dribble(pieces: Int, over: Duration)
}

/// What is changed of a request on its way to the network, and of the network's own answer. Empty passes both as they are.
public struct PassChanges: Hashable, Sendable {
  /// Where the request goes instead: a URL such as `http://127.0.0.1:8080/mirror`, whose scheme, host and port take the
  /// place of the request's, and whose path comes before the request's. The query is kept.
  public var to: String?
  /// What is sent instead of what the program asked.
  public var request: RequestChanges?
  /// Waits before the request goes out.
  public var delay: Delay?
  /// How fast the answer's body is handed over.
  public var pace: Pace?
  /// The status in the place of the network's.
  public var status: Int?
  /// Fields to set (a value) or to remove (nil), in order.
  public var headers: [HeaderChange]
  /// An RFC 7396 patch for a JSON body.
  public var mergePatch: JSONValue?
  /// Texts to replace in the body, in order.
  public var replace: [Replacement]

  /// One header field, or one item of a query, to set or to remove.
  public struct HeaderChange: Hashable, Sendable {
    /// The field's name; letter case does not count in names of header fields.
    public var name: String
    /// One value for each field of that name; nil removes them all.
    public var values: [String]?

    /// - Parameters:
    ///   - name: The field's name.
    ///   - values: One value for each field of that name; nil removes them all.
    public init(_ name: String, _ values: [String]?) {
      self.name = name
      self.values = values
    }
  }

  /// A text that stands in for another wherever that is found in the body.
  public struct Replacement: Hashable, Sendable {
    /// The text to look for, literally.
    public var find: String
    /// What takes its place.
    public var with: String

    /// - Parameters:
    ///   - find: The text to look for, literally.
    ///   - with: What takes its place.
    public init(find: String, with: String) {
      self.find = find
      self.with = with
    }
  }

  /// The changes that are given.
  ///
  /// - Parameters:
  ///   - to: Where the request goes instead.
  ///   - request: What is sent instead of what the program asked.
  ///   - delay: The wait before the request goes out.
  ///   - pace: How fast the answer's body is handed over.
  ///   - status: The status in the place of the network's.
  ///   - headers: Fields to set or to remove, in order.
  ///   - mergePatch: An RFC 7396 patch for a JSON body.
  ///   - replace: Texts to replace in the body, in order.
  public init(
    to: String? = nil, request: RequestChanges? = nil, delay: Delay? = nil, pace: Pace? = nil, status: Int? = nil,
    headers: [HeaderChange] = [], mergePatch: JSONValue? = nil, replace: [Replacement] = []
  ) {
    self.to = to
    self.request = request
    self.delay = delay
    self.pace = pace
    self.status = status
    self.headers = headers
    self.mergePatch = mergePatch
    self.replace = replace
  }

  package var isEmpty: Bool { self == PassChanges() }
}
