import Foundation
import PatchbayStubs
import PatchbayWire

/// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec), piece by piece: a beginning, entries, an end.
package struct HARWriter: ExchangeExporter {
  private let version: String
  private var isFirst = true

  /// - Parameter version: of Patchbay, for `creator`.
  package init(version: String = "1") {
    self.version = version
  }

  /// A whole archive of these exchanges.
  package static func text(_ exchanges: [Exchange], version: String = "1") -> String {
    var writer = HARWriter(version: version)
    return writer.begin() + exchanges.map { writer.entry($0) }.joined() + writer.end()
  }

  package func begin() -> String {
    #"{"log":{"version":"1.2","creator":{"name":"Patchbay","version":\#(JSONValue.string(version).compact)},"#
      + "\"pages\":[],\"entries\":[\n"
  }

  /// The entries of one exchange: one for each redirect that was followed, and its own.
  package mutating func entry(_ exchange: Exchange) -> String {
    let requests = RequestChain(exchange).requests
    var text = ""
    for (index, hop) in exchange.redirects.enumerated() {
      let target = hop.headers.first(named: "Location") ?? requests[index + 1].url
      text += separator() + Self.entry(exchange, requests[index], hop: hop, target: target).compact
    }
    return text + separator() + Self.entry(exchange, requests[requests.count - 1], hop: nil, target: "").compact
  }

  package func end() -> String { "\n]}}\n" }

  private mutating func separator() -> String {
    defer { isFirst = false }
    return isFirst ? "" : ",\n"
  }

  private static func entry(
    _ exchange: Exchange, _ request: RecordedRequest, hop: RedirectHop?, target: String
  ) -> JSONValue {
    let total = hop == nil ? Double(exchange.timing.end ?? 0) / 1_000 : 0
    let wait = hop == nil ? Double(exchange.timing.head ?? exchange.timing.end ?? 0) / 1_000 : 0
    let error = hop == nil ? exchange.error : nil
    var own: [JSONValue.Member] = [
      .init("id", .number(String(exchange.id))),
      .init("process", .string("\(exchange.process.name) \(exchange.process.pid)")),
      .init("by", .string(exchange.by.rawValue)), .init("stub", exchange.stub.map { .string($0) } ?? .null),
      .init("outcome", exchange.outcome.map { .string($0.rawValue) } ?? .null),
      .init("tags", .array(exchange.tags.map { .string($0) })), .init("hop", .bool(hop != nil)),
    ]
    if request.truncated { own.append(.init("requestTruncated", true)) }
    if hop == nil, exchange.response?.truncated == true { own.append(.init("responseTruncated", true)) }
    if let error {
      own.append(
        .init(
          "error",
          .members([
            "domain": .string(error.domain), "code": .number(String(error.code)),
            "message": error.message.map { .string($0) } ?? .null,
          ])
        ))
    }
    var members: [JSONValue.Member] = [
      .init("startedDateTime", .string(Moment.rfc3339(exchange.startedAt))),
      .init("time", number(total)),
      .init("request", self.request(request)),
      .init("response", hop.map { redirect($0, target: target) } ?? response(exchange)),
      .init("cache", .members([:])),
      .init("timings", .members(["send": 0, "wait": number(wait), "receive": number(max(0, total - wait))])),
      .init("_error", error.map { .string($0.name ?? "\($0.domain) \($0.code)") } ?? .null),
      .init("_patchbay", .object(own)),
    ]
    if let note = exchange.note {
      members.append(.init("comment", .string(note)))
    } else if exchange.isObserved {
      members.append(.init("comment", .string(observed)))
    }
    return .object(members)
  }

  /// What stands for a note where a request was only looked on.
  static let observed = "Only observed: the answer and the times are not known."

  private static func request(_ request: RecordedRequest) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("method", .string(request.method)), .init("url", .string(request.url)), .init("httpVersion", "HTTP/1.1"),
      .init("cookies", cookies(request.headers.all(named: "Cookie"))), .init("headers", headers(request.headers)),
      .init("queryString", query(request.url)), .init("headersSize", -1),
      .init("bodySize", .number(String(request.body?.count ?? 0))),
    ]
    if let body = request.body {
      let type = request.headers.first(named: "Content-Type") ?? "application/octet-stream"
      var data: [JSONValue.Member] = [.init("mimeType", .string(type)), .init("params", .array([]))]
      data += content(body)
      members.append(.init("postData", .object(data)))
    }
    return .object(members)
  }

  private static func response(_ exchange: Exchange) -> JSONValue {
    let response = exchange.response ?? RecordedResponse(status: 0)
    let type = response.headers.first(named: "Content-Type") ?? "x-unknown"
    let size = response.body?.count ?? 0
    return .members([
      "status": .number(String(response.status)), "statusText": .string(HTTPStatus.phrase(response.status)),
      "httpVersion": "HTTP/1.1", "cookies": cookies(response.headers.all(named: "Set-Cookie").flatMap(firstPairs)),
      "headers": headers(response.headers),
      "content": .object(
        [.init("size", .number(String(size))), .init("mimeType", .string(type))] + content(response.body ?? Data())),
      "redirectURL": .string(response.headers.first(named: "Location") ?? ""), "headersSize": -1,
      "bodySize": .number(String(exchange.response == nil ? -1 : size)),
    ])
  }

  private static func redirect(_ hop: RedirectHop, target: String) -> JSONValue {
    .members([
      "status": .number(String(hop.status)), "statusText": .string(HTTPStatus.phrase(hop.status)),
      "httpVersion": "HTTP/1.1", "cookies": cookies(hop.headers.all(named: "Set-Cookie").flatMap(firstPairs)),
      "headers": headers(hop.headers),
      "content": .members(["size": 0, "mimeType": "x-unknown", "text": ""]), "redirectURL": .string(target),
      "headersSize": -1, "bodySize": 0,
    ])
  }

  /// `text`, with `encoding` where the bytes are no text.
  private static func content(_ body: Data) -> [JSONValue.Member] {
    if let text = body.utf8Text { return [.init("text", .string(text))] }
    return [.init("text", .string(body.base64EncodedString())), .init("encoding", "base64")]
  }

  private static func headers(_ fields: [HeaderField]) -> JSONValue {
    .array(fields.map { .members(["name": .string($0.name), "value": .string($0.value)]) })
  }

  private static func query(_ url: String) -> JSONValue {
    let parts = URLParts(url)
    return .array(
      FormFields.parse(url.utf8Slice(parts.query)).map {
        .members(["name": .string($0.name), "value": .string($0.value)])
      })
  }

  private static func firstPairs(_ field: String) -> [String] {
    CookieFields.set(field).map { String($0.prefix { $0 != ";" }) }
  }

  private static func cookies(_ values: [String]) -> JSONValue {
    .array(
      values.flatMap { $0.split(separator: ";") }.map { pair in
        let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return .members([
          "name": .string(String(halves[0]).trimmed),
          "value": .string(halves.count > 1 ? String(halves[1]).trimmed : ""),
        ])
      })
  }

  private static func number(_ milliseconds: Double) -> JSONValue {
    .number(String((milliseconds * 1_000).rounded() / 1_000))
  }
}

extension ExportFormat {
  package static let har = ExportFormat(
    "har", key: "h", title: "HAR 1.2", detail: "opens in browsers", label: "HAR",
    output: .file(ending: ".har") { HARWriter(version: $0.version) })
}
