import Foundation

/// An answer that a stub gives.
public struct CannedResponse: Hashable, Sendable {
  /// 100 to 599 (RFC 9110 §15).
  public var status: Int
  /// Header fields in order, with repeats.
  public var headers: [HeaderField]
  public var body: Body
  public var delay: Delay?
  public var pace: Pace?

  /// Where the body's bytes come from.
  public enum Body: Hashable, Sendable {
    case none
    /// UTF-8 text; may hold templates such as `{{request.path.1}}`.
    case text(String)
    /// Sent compact, as UTF-8, members in this order, with `Content-Type: application/json` unless given.
    case json(JSONValue)
    /// Bytes (written `base64:`).
    case data(Data)
    /// A file, relative to the stub file; its bytes are read on the console's side and sent to the hook as `data`.
    case file(String)
    /// That many bytes of filler, made on the spot: a huge body that costs nothing to send to the hook.
    case filler(bytes: Int)
  }

  public init(
    status: Int = 200, headers: [HeaderField] = [], body: Body = .none, delay: Delay? = nil, pace: Pace? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
    self.pace = pace
  }
}
