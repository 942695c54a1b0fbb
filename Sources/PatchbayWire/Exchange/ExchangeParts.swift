import Foundation
import PatchbayStubs

/// The process that a request came from.
package struct HarnessProcess: Hashable, Sendable {
  package var name: String
  package var pid: Int32

  package init(name: String, pid: Int32) {
    self.name = name
    self.pid = pid
  }
}

/// A request as the program made it, with the session's headers merged in.
public struct RecordedRequest: Hashable, Sendable {
  public var method: String
  /// The absolute URL.
  public var url: String
  public var headers: [HeaderField]
  /// nil is no body; empty is an empty one.
  public var body: Data?
  /// Only a part of the body was recorded.
  public var truncated: Bool

  package init(
    method: String, url: String, headers: [HeaderField] = [], body: Data? = nil, truncated: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.truncated = truncated
  }
}

/// A response as the program got it.
public struct RecordedResponse: Hashable, Sendable {
  public var status: Int
  public var headers: [HeaderField]
  /// nil is no body; empty is an empty one.
  public var body: Data?
  /// Only a part of the body was recorded.
  public var truncated: Bool

  package init(status: Int, headers: [HeaderField] = [], body: Data? = nil, truncated: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.truncated = truncated
  }
}

/// The error that the program got.
public struct RecordedError: Hashable, Sendable {
  public var domain: String
  public var code: Int
  /// The Swift name of a `URLError` code (`timedOut`), else nil.
  public var name: String?
  public var message: String?

  package init(domain: String, code: Int, name: String? = nil, message: String? = nil) {
    self.domain = domain
    self.code = code
    self.name = name
    self.message = message
  }
}

/// One redirect that was followed: the response that asked for it.
public struct RedirectHop: Hashable, Sendable {
  public var status: Int
  /// The URL that answered with this redirect.
  public var url: String
  public var headers: [HeaderField]
  /// When it came, in microseconds after the start; nil where that is not known.
  public var at: Int64?

  package init(status: Int, url: String, headers: [HeaderField] = [], at: Int64? = nil) {
    self.status = status
    self.url = url
    self.headers = headers
    self.at = at
  }
}

/// When things happened, in microseconds after the start; nil where it has not (yet) happened.
public struct Timing: Hashable, Sendable {
  /// The response's head came.
  public var head: Int64?
  /// The end, good or bad.
  public var end: Int64?
  /// How long it was held in all, included in the others.
  public var held: Int64

  package init(head: Int64? = nil, end: Int64? = nil, held: Int64 = 0) {
    self.head = head
    self.end = end
    self.held = held
  }
}
