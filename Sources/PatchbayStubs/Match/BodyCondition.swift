import Foundation

/// One thing that a pattern asks of a request's body.
enum BodyCondition: Sendable {
  case contains(ByteSearch)
  case equals([UInt8])
  case matches(TextMatcher)
  case json(JSONValue)
  case pointer(String, JSONValue)
  case form(name: [UInt8], TextMatcher?)
  case multipart(name: [UInt8], TextMatcher?)

  func test(_ request: MatchedRequest) -> TextMatcher.Verdict {
    switch self {
    case .contains(let search):
      request.bodyBytes.withUnsafeBufferPointer { search.isFound(in: $0) } ? .fits : .fitsNot
    case .equals(let bytes): request.bodyBytes == bytes ? .fits : .fitsNot
    case .matches(let matcher): matcher.test(request.bodyBytes[...])
    case .json(let wanted): request.json.map { wanted.isSubset(of: $0) } == true ? .fits : .fitsNot
    case .pointer(let pointer, let wanted):
      request.json?.value(at: pointer).map { wanted.means($0) } == true ? .fits : .fitsNot
    case .form(let name, let matcher):
      RequestCondition.test(matcher, values: request.formFields.lazy.filter { $0.name == name }.map(\.value))
    case .multipart(let name, let matcher):
      RequestCondition.test(matcher, values: request.multipartParts.lazy.filter { $0.name == name }.map(\.value))
    }
  }
}
