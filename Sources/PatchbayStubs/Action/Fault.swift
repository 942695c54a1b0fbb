/// A failure that a stub causes.
public struct Fault: Hashable, Sendable {
  public var error: Failure
  public var delay: Delay?
  /// What is delivered before the failure comes.
  public var after: Partial?

  /// The error that the program sees.
  public enum Failure: Hashable, Sendable {
    /// A `URLError` code by its Swift name (`timedOut`), or the name of a row of `NamedFault.all`.
    case named(String)
    case custom(domain: String, code: Int, message: String?)
  }

  /// The head and the first bytes of a response that then breaks off.
  public struct Partial: Hashable, Sendable {
    public var response: CannedResponse
    /// How many bytes of the body are delivered; nil delivers all of it.
    public var bytes: Int?

    public init(response: CannedResponse, bytes: Int? = nil) {
      self.response = response
      self.bytes = bytes
    }
  }

  public init(_ error: Failure, delay: Delay? = nil, after: Partial? = nil) {
    self.error = error
    self.delay = delay
    self.after = after
  }
}
