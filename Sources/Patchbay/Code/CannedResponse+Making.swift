import Foundation
import PatchbayStubs

extension CannedResponse {
  /// JSON, sent compact with `Content-Type: application/json` unless given. A Swift literal will do.
  public static func json(
    _ value: JSONValue, status: Int = 200, headers: [HeaderField] = []
  ) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .json(value))
  }

  /// A value encoded as JSON, with `Content-Type: application/json` unless given.
  ///
  /// - Throws: What the encoder throws.
  public static func json(
    encoding value: some Encodable, status: Int = 200, headers: [HeaderField] = [],
    encoder: JSONEncoder = JSONEncoder()
  ) throws -> CannedResponse {
    var headers = headers
    if headers.first(named: "Content-Type") == nil { headers.append(HeaderField("Content-Type", "application/json")) }
    return CannedResponse(status: status, headers: headers, body: .data(try encoder.encode(value)))
  }

  /// UTF-8 text, sent with no `Content-Type` unless given. May hold templates such as `{{request.path.1}}`.
  public static func text(_ text: String, status: Int = 200, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .text(text))
  }

  public static func data(_ data: Data, status: Int = 200, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .data(data))
  }

  /// No body.
  public static func status(_ status: Int, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers)
  }

  /// The same answer after that time.
  public func delayed(by delay: Duration) -> CannedResponse {
    var response = self
    response.delay = .fixed(delay)
    return response
  }

  /// The same answer, its body handed over at that pace.
  public func paced(_ pace: Pace) -> CannedResponse {
    var response = self
    response.pace = pace
    return response
  }
}
