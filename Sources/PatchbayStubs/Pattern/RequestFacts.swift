import Foundation

/// What matching looks at: one request as the program made it, with the session's headers merged in.
public struct RequestFacts: Hashable, Sendable {
  public var method: String
  /// The absolute URL.
  public var url: String
  public var headers: [HeaderField]
  /// nil where there is none, or where it is a stream that has not been read.
  public var body: Data?
  /// The name of the process.
  public var process: String
  /// Its number; nil where it is not known.
  public var pid: Int32?

  public init(
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
