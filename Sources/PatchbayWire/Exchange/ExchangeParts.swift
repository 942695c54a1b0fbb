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
  /// `GET`, `POST`, ….
  public var method: String
  /// The absolute URL.
  public var url: String
  /// Its header fields.
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
  /// RFC 9110 §15.
  public var status: Int
  /// Its header fields; those that came from the network are sorted by name, since Foundation gives them in no order.
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

/// The error that the program got, as an `NSError` has it.
public struct RecordedError: Hashable, Sendable {
  /// `NSURLErrorDomain` for a `URLError`.
  public var domain: String
  /// The code in that domain.
  public var code: Int
  /// The Swift name of a `URLError` code (`timedOut`), else nil.
  public var name: String?
  /// Its description, where it has one of its own.
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
  /// 301, 302, 303, 307 or 308.
  public var status: Int
  /// The URL that answered with this redirect.
  public var url: String
  /// The header fields of that response.
  public var headers: [HeaderField]
  /// When it came, in microseconds after the start; nil where that is not known.
  public var at: Int64?
  /// Where the program went instead of where the response points to: its delegate changed the request. Else nil.
  public var target: String?

  package init(status: Int, url: String, headers: [HeaderField] = [], at: Int64? = nil, target: String? = nil) {
    self.status = status
    self.url = url
    self.headers = headers
    self.at = at
    self.target = target
  }
}

extension [RedirectHop] {
  /// The program's delegate went elsewhere than the last one points to, or followed it not at all ("").
  package mutating func turn(to target: String) {
    if target.isEmpty { _ = popLast() } else if !isEmpty { self[count - 1].target = target }
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

extension FieldWriter {
  mutating func request(_ tag: UInt64, _ request: RecordedRequest) {
    record(tag) {
      $0.text(1, request.method)
      $0.text(2, request.url)
      $0.headers(3, request.headers)
      if let body = request.body { $0.data(4, body) }
      $0.flag(5, request.truncated)
    }
  }

  mutating func response(_ tag: UInt64, _ response: RecordedResponse) {
    record(tag) {
      $0.nonzeroSigned(1, Int64(response.status))
      $0.headers(3, response.headers)
      if let body = response.body { $0.data(4, body) }
      $0.flag(5, response.truncated)
    }
  }

  mutating func error(_ tag: UInt64, _ error: RecordedError) {
    record(tag) {
      $0.text(1, error.domain)
      $0.nonzeroSigned(2, Int64(error.code))
      $0.text(3, error.name)
      $0.text(4, error.message)
    }
  }
}

extension FieldReader {
  func request() throws(WireError) -> RecordedRequest {
    var fields = self
    var request = RecordedRequest(method: "", url: "")
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: request.method = value.text()
      case 2: request.url = value.text()
      case 3: try value.header(into: &request.headers)
      case 4: request.body = value.data()
      case 5: request.truncated = try value.flag()
      default: break
      }
    }
    return request
  }

  func response() throws(WireError) -> RecordedResponse {
    var fields = self
    var response = RecordedResponse(status: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: response.status = try value.code()
      case 3: try value.header(into: &response.headers)
      case 4: response.body = value.data()
      case 5: response.truncated = try value.flag()
      default: break
      }
    }
    return response
  }

  func error() throws(WireError) -> RecordedError {
    var fields = self
    var error = RecordedError(domain: "", code: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: error.domain = value.text()
      case 2: error.code = try value.code()
      case 3: error.name = value.text()
      case 4: error.message = value.text()
      default: break
      }
    }
    return error
  }
}
