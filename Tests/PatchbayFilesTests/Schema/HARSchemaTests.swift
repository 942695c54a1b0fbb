import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Archives against what HAR 1.2 asks for, as a JSON Schema.
@Suite(.bounded) struct HARSchemaTests {
  private static let schema = """
    {"type": "object", "required": ["log"], "properties": {"log": {"$ref": "#/$defs/log"}}, "$defs": {
      "date": {"type": "string", "pattern": "^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\dT\\\\d\\\\d:\\\\d\\\\d:\\\\d\\\\d(\\\\.\\\\d+)?(Z|[+-]\\\\d\\\\d:\\\\d\\\\d)$"},
      "size": {"type": "integer", "minimum": -1},
      "time": {"type": "number", "minimum": 0},
      "maybeTime": {"type": "number", "minimum": -1},
      "pairs": {"type": "array", "items": {"type": "object", "required": ["name", "value"],
        "properties": {"name": {"type": "string"}, "value": {"type": "string"}, "comment": {"type": "string"}},
        "additionalProperties": false}},
      "cookies": {"type": "array", "items": {"type": "object", "required": ["name", "value"], "properties": {
        "name": {"type": "string"}, "value": {"type": "string"}, "path": {"type": "string"},
        "domain": {"type": "string"}, "expires": {"type": ["string", "null"]}, "httpOnly": {"type": "boolean"},
        "secure": {"type": "boolean"}, "comment": {"type": "string"}}, "additionalProperties": false}},
      "log": {"type": "object", "required": ["version", "creator", "entries"], "properties": {
        "version": {"const": "1.2"},
        "creator": {"type": "object", "required": ["name", "version"],
          "properties": {"name": {"type": "string", "minLength": 1}, "version": {"type": "string"}}},
        "pages": {"type": "array"},
        "entries": {"type": "array", "items": {"$ref": "#/$defs/entry"}}}},
      "entry": {"type": "object",
        "required": ["startedDateTime", "time", "request", "response", "cache", "timings"],
        "propertyNames": {"anyOf": [{"pattern": "^_"}, {"enum": ["startedDateTime", "time", "request", "response",
          "cache", "timings", "pageref", "serverIPAddress", "connection", "comment"]}]},
        "properties": {"startedDateTime": {"$ref": "#/$defs/date"}, "time": {"$ref": "#/$defs/time"},
          "request": {"$ref": "#/$defs/request"}, "response": {"$ref": "#/$defs/response"},
          "cache": {"type": "object"}, "timings": {"$ref": "#/$defs/timings"}}},
      "request": {"type": "object", "additionalProperties": false,
        "required": ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
        "properties": {"method": {"type": "string", "minLength": 1}, "url": {"type": "string", "minLength": 1},
          "httpVersion": {"type": "string"}, "cookies": {"$ref": "#/$defs/cookies"},
          "headers": {"$ref": "#/$defs/pairs"}, "queryString": {"$ref": "#/$defs/pairs"},
          "headersSize": {"$ref": "#/$defs/size"}, "bodySize": {"$ref": "#/$defs/size"},
          "comment": {"type": "string"},
          "postData": {"type": "object", "required": ["mimeType"], "properties": {"mimeType": {"type": "string"},
            "text": {"type": "string"}, "params": {"type": "array"}, "encoding": {"type": "string"}}}}},
      "response": {"type": "object", "additionalProperties": false,
        "required": ["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
          "headersSize", "bodySize"],
        "properties": {"status": {"type": "integer", "minimum": 0}, "statusText": {"type": "string"},
          "httpVersion": {"type": "string"}, "cookies": {"$ref": "#/$defs/cookies"},
          "headers": {"$ref": "#/$defs/pairs"}, "redirectURL": {"type": "string"},
          "headersSize": {"$ref": "#/$defs/size"}, "bodySize": {"$ref": "#/$defs/size"},
          "comment": {"type": "string"},
          "content": {"type": "object", "required": ["size", "mimeType"], "additionalProperties": false,
            "properties": {"size": {"type": "integer", "minimum": 0}, "compression": {"type": "integer"},
              "mimeType": {"type": "string"}, "text": {"type": "string"}, "encoding": {"const": "base64"},
              "comment": {"type": "string"}}}}},
      "timings": {"type": "object", "required": ["send", "wait", "receive"], "properties": {
        "send": {"$ref": "#/$defs/time"}, "wait": {"$ref": "#/$defs/time"}, "receive": {"$ref": "#/$defs/time"},
        "blocked": {"$ref": "#/$defs/maybeTime"}, "dns": {"$ref": "#/$defs/maybeTime"},
        "connect": {"$ref": "#/$defs/maybeTime"}, "ssl": {"$ref": "#/$defs/maybeTime"}}}
    }}
    """

  static var exchanges: [Exchange] {
    var all: [Exchange] = []
    let bodies: [Data?] = [nil, Data(), Data("text \"\\(x)\u{1B}\n日本 👩‍👧".utf8), Data([0xFF, 0, 0xFE])]
    for (index, body) in bodies.enumerated() {
      for status in [200, 204, 302, 404, 503, 599] {
        var exchange = Exchange(
          id: Int64(all.count + 1), process: HarnessProcess(name: "demo", pid: 1),
          startedAt: Timestamp(microseconds: 1_700_000_000_123_456 + Int64(index)),
          request: RecordedRequest(
            method: status == 404 ? "PROPFIND" : "POST", url: "https://a.example/日?q=%E6%97%A5&flag&=x#f",
            headers: [HeaderField("Cookie", "a=1; b; c=2=3"), HeaderField("X", "")], body: body))
        exchange.response = RecordedResponse(
          status: status, headers: [HeaderField("Set-Cookie", "a=1; Path=/"), HeaderField("Set-Cookie", "b=2")],
          body: body)
        exchange.outcome = .responded
        exchange.phase = .ended
        exchange.timing = Timing(head: 1_234, end: status == 503 ? nil : 34_567)
        if status == 200 { exchange.redirects = [RedirectHop(status: 302, url: "https://a.example/from")] }
        all.append(exchange)
      }
    }
    var failed = all[0]
    failed.response = nil
    failed.outcome = .failed
    failed.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut")
    var waiting = all[1]
    waiting.response = nil
    waiting.outcome = nil
    waiting.phase = .waiting
    return all + [failed, waiting]
  }

  @Test func archivesAreAsTheSchemaAsks() throws {
    let validator = SchemaValidator(root: try JSONValue(parsing: Self.schema))
    for exchange in Self.exchanges {
      let archive = try JSONValue(parsing: HARWriter.text([exchange]))
      #expect(try validator.accepts(archive), "\(archive.compact)")
    }
    #expect(try validator.accepts(JSONValue(parsing: HARWriter.text([]))))
    #expect(try validator.accepts(JSONValue(parsing: HARWriter.text(Self.exchanges))))
  }

  @Test func theSchemaRefuses() throws {
    let validator = SchemaValidator(root: try JSONValue(parsing: Self.schema))
    let good = HARWriter.text([Self.exchanges[2]])
    for (text, other) in [
      ("\"version\":\"1.2\"", "\"version\":\"1.1\""), ("\"cache\":{},", ""), ("\"bodySize\":", "\"bodysize\":"),
      ("\"startedDateTime\":\"", "\"startedDateTime\":\"at "), ("\"wait\":", "\"wait\":-"),
    ] {
      #expect(good.contains(text))
      #expect(try !validator.accepts(JSONValue(parsing: good.replacingOccurrences(of: text, with: other))), "\(text)")
    }
  }
}
