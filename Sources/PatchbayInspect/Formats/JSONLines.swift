import Foundation
import PatchbayStubs
import PatchbayWire

/// An exchange as one line of JSON: what `--log` and `--json` print. Writing and reading lose nothing but the parts of
/// a millisecond.
public enum JSONLines {
  /// One JSON object without line breaks and without one at its end.
  public static func line(_ exchange: Exchange) -> String { value(exchange).compact }

  /// An exchange that was only observed has no outcome and no duration, and one more member says so: `observed`.
  public static func value(_ exchange: Exchange) -> JSONValue {
    guard exchange.isObserved, case .object(let members) = known(exchange) else { return known(exchange) }
    return .object(members + [.init("observed", .bool(true))])
  }

  private static func known(_ exchange: Exchange) -> JSONValue {
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

  private static func hop(_ hop: RedirectHop) -> JSONValue {
    .members([
      "status": .number(String(hop.status)), "url": .string(hop.url), "headers": headers(hop.headers),
    ])
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
