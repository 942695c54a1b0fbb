import Foundation
import PatchbayStubs
import PatchbayWire

/// An exchange as one line of JSON: what `--log` and `--json` print. Writing and reading lose nothing but the parts of
/// a millisecond.
package enum JSONLines {
  /// One JSON object without line breaks and without one at its end.
  package static func line(_ exchange: Exchange) -> String { value(exchange).compact }

  /// An exchange that was only observed (`observed`) has no outcome and no duration.
  package static func value(_ exchange: Exchange) -> JSONValue {
    .members([
      "id": .number(String(exchange.id)),
      "process": .members(["name": .string(exchange.process.name), "pid": .number(String(exchange.process.pid))]),
      "startedAt": .string(Moment.rfc3339(exchange.startedAt)),
      "method": .string(exchange.request.method),
      "url": .string(exchange.request.url),
      "requestHeaders": headers(exchange.request.headers),
      "requestBody": body(exchange.request.body),
      "by": .string(exchange.by.rawValue),
      "stub": text(exchange.stub),
      "outcome": text(exchange.outcome?.rawValue),
      "status": exchange.response.map { .number(String($0.status)) } ?? .null,
      "responseHeaders": headers(exchange.response?.headers ?? []),
      "responseBody": body(exchange.response?.body),
      "error": error(exchange.error),
      "redirects": .array(exchange.redirects.map(hop)),
      "sent": sent(exchange.sent),
      "run": exchange.run.map { .number(String($0)) } ?? .null,
      "tags": .array(exchange.tags.map { .string($0) }),
      "note": text(exchange.note),
      "observed": .bool(exchange.isObserved),
      "durationMs": exchange.timing.end.map(milliseconds) ?? .null,
      "heldMs": milliseconds(exchange.timing.held),
      "bytesSent": .number(String(exchange.bytesSent)),
      "bytesReceived": .number(String(exchange.bytesReceived)),
      "requestTruncated": .bool(exchange.request.truncated),
      "responseTruncated": .bool(exchange.response?.truncated ?? false),
    ])
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func milliseconds(_ microseconds: Int64) -> JSONValue { .number(String((microseconds + 500) / 1_000)) }

  private static func headers(_ fields: [HeaderField]) -> JSONValue {
    .array(fields.map { [.string($0.name), .string($0.value)] })
  }

  /// A string where the bytes are UTF-8, else `{"base64": …}`; null is no body.
  private static func body(_ body: Data?) -> JSONValue {
    guard let body else { return .null }
    guard let text = body.utf8Text else {
      return .members(["base64": .string(body.base64EncodedString())])
    }
    return .string(text)
  }

  private static func error(_ error: RecordedError?) -> JSONValue {
    guard let error else { return .null }
    return .members([
      "domain": .string(error.domain), "code": .number(String(error.code)), "name": text(error.name),
    ])
  }

  /// As it went out, where that is not what the program asked.
  private static func sent(_ request: RecordedRequest?) -> JSONValue {
    guard let request else { return .null }
    return .members([
      "method": .string(request.method), "url": .string(request.url), "headers": headers(request.headers),
      "body": body(request.body),
    ])
  }

  private static func hop(_ hop: RedirectHop) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("status", .number(String(hop.status))), .init("url", .string(hop.url)),
      .init("headers", headers(hop.headers)),
    ]
    if let target = hop.target { members.append(.init("target", .string(target))) }
    return .object(members)
  }
}

struct JSONLinesExporter: ExchangeExporter {
  func entry(_ exchange: Exchange) -> String { JSONLines.line(exchange) + "\n" }
}

extension ExportFormat {
  package static let jsonl = ExportFormat(
    "jsonl", key: "j", title: "JSON Lines", label: "JSON Lines",
    output: .file(ending: ".jsonl") { _ in JSONLinesExporter() })
}

extension JSONLines {
  /// Reads one line back. What is missing counts as unknown; unknown members are passed over.
  ///
  /// Times are exact to the millisecond, as the line has them.
  package static func exchange(_ line: Data) throws(FormatError) -> Exchange {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: line)
    } catch {
      throw FormatError("The line is no JSON: \(error.message).")
    }
    guard let url = json["url"]?.text else { throw FormatError("The line has no \"url\".") }
    var request = RecordedRequest(
      method: json["method"]?.text ?? "GET", url: url, headers: headers(json["requestHeaders"]),
      body: try body(json["requestBody"]))
    request.truncated = json["requestTruncated"] == .bool(true)
    let process = HarnessProcess(
      name: json["process"]?["name"]?.text ?? "", pid: Int32(clamping: json["process"]?["pid"]?.integer ?? 0))
    let started = json["startedAt"]?.text.flatMap(moment) ?? Timestamp(microseconds: 0)
    var exchange = Exchange(
      id: Int64(json["id"]?.integer ?? 0), process: process, startedAt: started, request: request)
    exchange.by = json["by"]?.text.flatMap(Exchange.Answerer.init) ?? .network
    exchange.stub = json["stub"]?.text
    exchange.outcome = json["outcome"]?.text.flatMap(Exchange.Outcome.init)
    exchange.phase = exchange.outcome == nil && json["observed"] != .bool(true) ? .waiting : .ended
    if let status = json["status"]?.integer.map({ NumberLimits.code(Int64($0)) }) {
      exchange.response = RecordedResponse(
        status: status, headers: headers(json["responseHeaders"]), body: try body(json["responseBody"]),
        truncated: json["responseTruncated"] == .bool(true))
    }
    if let error = json["error"], let domain = error["domain"]?.text {
      exchange.error = RecordedError(
        domain: domain, code: NumberLimits.code(Int64(error["code"]?.integer ?? 0)), name: error["name"]?.text)
    }
    if case .array(let hops) = json["redirects"] {
      exchange.redirects = hops.map {
        RedirectHop(
          status: NumberLimits.code(Int64($0["status"]?.integer ?? 0)), url: $0["url"]?.text ?? "",
          headers: headers($0["headers"]), target: $0["target"]?.text)
      }
    }
    if let sent = json["sent"], let url = sent["url"]?.text {
      exchange.sent = RecordedRequest(
        method: sent["method"]?.text ?? "GET", url: url, headers: headers(sent["headers"]),
        body: try body(sent["body"]))
    }
    exchange.run = json["run"]?.integer.flatMap { $0 > 0 ? NumberLimits.count(Int64($0)) : nil }
    if case .array(let tags) = json["tags"] { exchange.tags = Remark.tags(tags.compactMap(\.text)) }
    exchange.note = Remark.note(json["note"]?.text)
    exchange.timing.end = microseconds(json["durationMs"])
    exchange.timing.held = microseconds(json["heldMs"]) ?? 0
    exchange.bytesSent = NumberLimits.count(Int64(json["bytesSent"]?.integer ?? 0))
    exchange.bytesReceived = NumberLimits.count(Int64(json["bytesReceived"]?.integer ?? 0))
    return exchange
  }

  private static func moment(_ text: String) -> Timestamp? {
    guard case .at(let moment) = MomentReader.moment(text) else { return nil }
    return NumberLimits.moment(moment.microseconds)
  }

  private static func headers(_ json: JSONValue?) -> [HeaderField] {
    guard case .array(let pairs) = json else { return [] }
    return pairs.compactMap {
      guard case .array(let pair) = $0, pair.count == 2, let name = pair[0].text, let value = pair[1].text else {
        return nil
      }
      return HeaderField(name, value)
    }
  }

  private static func body(_ json: JSONValue?) throws(FormatError) -> Data? {
    switch json {
    case .string(let text): return Data(text.utf8)
    case .object:
      guard let text = json?["base64"]?.text, let data = Data(base64Encoded: text) else {
        throw FormatError("A body of the line is no base64.")
      }
      return data
    default: return nil
    }
  }

  private static func microseconds(_ json: JSONValue?) -> Int64? {
    guard case .number(let digits) = json, let value = Double(digits), abs(value) < 1e15 else { return nil }
    return NumberLimits.count(Int64((value * 1_000).rounded()))
  }
}
