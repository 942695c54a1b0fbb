import Foundation

/// One thing that a pattern asks of a request. Matching and explaining go through the same list of these.
indirect enum RequestCondition: Sendable {
  case method(Set<String>)
  case process(TextMatcher)
  case scheme(TextMatcher)
  case host(TextMatcher)
  case port(Int)
  case path(TextMatcher)
  case url(TextMatcher)
  /// The name decoded.
  case query(name: [UInt8], TextMatcher?)
  case header(name: String, TextMatcher?)
  case body(BodyCondition)
  /// At least one of them must fit.
  case any([CompiledPattern])
  /// None of them may fit.
  case not([CompiledPattern])

  var needsBody: Bool {
    switch self {
    case .body: true
    case .any(let patterns), .not(let patterns): patterns.contains { $0.needsBody }
    default: false
    }
  }

  /// Whether URL and method tell, in one process.
  func isByURL(inProcess isInProcess: Bool) -> Bool {
    switch self {
    case .method, .scheme, .host, .port, .path, .url, .query: true
    case .process: isInProcess
    case .header, .body: false
    case .any(let patterns), .not(let patterns):
      patterns.allSatisfy { $0.conditions.allSatisfy { $0.isByURL(inProcess: isInProcess) } }
    }
  }

  func test(_ request: MatchedRequest) -> TextMatcher.Verdict {
    switch self {
    case .method(let methods): return methods.contains(request.facts.method) ? .fits : .fitsNot
    case .process(let matcher): return matcher.test(process: request.facts.process, request.facts.pid)
    case .scheme(let matcher): return matcher.test(request.url.text[request.url.scheme])
    case .host(let matcher): return matcher.test { Self.testHost($0, request) }
    case .port(let port): return request.url.port == port ? .fits : .fitsNot
    case .path(let matcher): return matcher.test { Self.testEncoded($0, request.url.text[request.url.path]) }
    case .url(let matcher):
      return matcher.test { Self.testEncoded($0, request.url.text[...], folding: request.url.foldEnd) }
    case .query(let name, let matcher):
      return Self.test(matcher, values: request.queryItems.lazy.filter { $0.name == name }.map(\.value))
    case .header(let name, let matcher?):
      return matcher.test { Self.testHeader(name, $0, request.facts.headers) }
    case .header(let name, nil): return Self.testHeader(name, nil, request.facts.headers)
    case .body(let condition): return condition.test(request)
    case .any(let patterns), .not(let patterns):
      let isAny = if case .any = self { true } else { false }
      var isSpent = false
      for pattern in patterns {
        guard let failure = pattern.firstFailure(request) else { return isAny ? .fits : .fitsNot }
        isSpent = isSpent || failure.overBudget
      }
      return isSpent ? .overBudget : isAny ? .fitsNot : .fits
    }
  }

  /// Any of the values must fit; without a matcher there must be none.
  static func test(_ matcher: TextMatcher?, values: some Sequence<[UInt8]>) -> TextMatcher.Verdict {
    guard let matcher else { return values.contains { _ in true } ? .fitsNot : .fits }
    return matcher.test { test(each: $0, values: values) }
  }

  private static func test(each matcher: TextMatcher, values: some Sequence<[UInt8]>) -> TextMatcher.Verdict {
    var spent = false
    for value in values {
      switch matcher.test(value[...]) {
      case .fits: return .fits
      case .fitsNot: continue
      case .overBudget: spent = true
      }
    }
    return spent ? .overBudget : .fitsNot
  }

  /// Any field of that name, or all of them joined (RFC 9110 §5.3).
  private static func testHeader(
    _ name: String, _ matcher: TextMatcher?, _ headers: [HeaderField]
  ) -> TextMatcher.Verdict {
    var count = 0
    var spent = false
    for field in headers where field.name.caseInsensitiveEquals(name) {
      guard let matcher else { return .fitsNot }
      count += 1
      switch matcher.test(field.value) {
      case .fits: return .fits
      case .fitsNot: continue
      case .overBudget: spent = true
      }
    }
    if count > 1, let matcher { return matcher.test(headers.all(named: name).joined(separator: ", ")) }
    return matcher == nil ? .fits : spent ? .overBudget : .fitsNot
  }

  /// International names fit in either spelling.
  private static func testHost(_ matcher: TextMatcher, _ request: MatchedRequest) -> TextMatcher.Verdict {
    let ascii = request.url.text[request.url.host]
    let verdict = matcher.test(ascii, folding: ascii.count)
    guard case .fitsNot = verdict else { return verdict }
    let text = String(decoding: ascii, as: UTF8.self)
    if text.contains("xn--") { return matcher.test(Array(HostName.unicode(text).utf8)[...]) }
    // An address may be written without its brackets.
    if text.hasPrefix("[") { return matcher.test(ascii.dropFirst().dropLast()) }
    return verdict
  }

  /// A regular expression is tried on the decoded text too.
  private static func testEncoded(
    _ matcher: TextMatcher, _ text: ArraySlice<UInt8>, folding: Int = 0
  ) -> TextMatcher.Verdict {
    let verdict = matcher.test(text, folding: folding)
    guard case .regex = matcher, case .fitsNot = verdict, text.contains(UInt8(ascii: "%")) else { return verdict }
    return matcher.test(PercentEncoding.decode(text)[...])
  }
}

/// One thing that a pattern asks of a request's body.
enum BodyCondition: Sendable {
  case contains(TextMatcher)
  case equals([UInt8])
  case matches(TextMatcher)
  case graphql(operation: TextMatcher?, variables: JSONValue?)
  case json(JSONValue)
  case pointer(String, JSONValue)
  case form(name: [UInt8], TextMatcher?)
  case multipart(name: [UInt8], TextMatcher?)

  func test(_ request: MatchedRequest) -> TextMatcher.Verdict {
    switch self {
    case .contains(let matcher): matcher.test { $0.test(request.bodyBytes[...]) }
    case .graphql(let operation, let variables): Self.test(operation, variables, request)
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

  /// One operation of the request must fit in both.
  private static func test(
    _ operation: TextMatcher?, _ variables: JSONValue?, _ request: MatchedRequest
  ) -> TextMatcher.Verdict {
    var isSpent = false
    for asked in request.graphqlOperations {
      if let variables, !variables.isSubset(of: asked.variables) { continue }
      guard let operation else { return .fits }
      switch operation.test(asked.name) {
      case .fits: return .fits
      case .fitsNot: continue
      case .overBudget: isSpent = true
      }
    }
    return isSpent ? .overBudget : .fitsNot
  }
}
