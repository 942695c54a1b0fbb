import PatchbayStubs
import PatchbayWire

extension JSONLines {
  /// The JSON Schema (2020-12) of a line, for who reads them with a program. Members may be added to a line in later
  /// versions; those that are here stay.
  package static let jsonSchema: String = schema.indented() + "\n"

  /// The members in the order of a line, each with what it means.
  package static var members: [(name: String, schema: JSONValue)] { properties.map { ($0.name, $0.value) } }

  private static let schema: JSONValue = .members([
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Patchbay exchange",
    "description": "One request and what became of it: a line of `--log` and `--json`.",
    "type": "object",
    "required": .array(properties.map { .string($0.name) }),
    "properties": .object(properties),
    "$defs": .members([
      "headers": [
        "type": "array", "items": ["type": "array", "items": ["type": "string"], "minItems": 2, "maxItems": 2],
      ],
      "body": [
        "anyOf": [
          ["type": "string"], ["type": "null"],
          [
            "type": "object", "required": ["base64"],
            "properties": ["base64": ["type": "string", "contentEncoding": "base64"]],
          ],
        ]
      ],
    ]),
  ])

  private static let properties: [JSONValue.Member] = [
    member("id", ["type": "integer"], "Its number, unique in the history."),
    member(
      "process",
      [
        "type": "object", "required": ["name", "pid"],
        "properties": ["name": ["type": "string"], "pid": ["type": "integer"]],
      ], "The program that asked."),
    member("startedAt", ["type": "string", "format": "date-time"], "RFC 3339 in UTC, with milliseconds."),
    member("method", ["type": "string"], "As the program asked."),
    member("url", ["type": "string"], "As the program asked."),
    member("requestHeaders", ["$ref": "#/$defs/headers"], "Pairs of name and value, in order; a name may come again."),
    member(
      "requestBody", ["$ref": "#/$defs/body"],
      "Text where it is UTF-8, else base64; null is no body, \"\" an empty one."),
    member("by", choices(Exchange.Answerer.allCases.map(\.rawValue)), "Who answered."),
    member("stub", ["type": ["string", "null"]], "The stub that answered, patched, held or failed it."),
    member(
      "outcome", .members(["enum": .array(Exchange.Outcome.allCases.map { .string($0.rawValue) } + [.null])]),
      "How it ended; null where that is not known."),
    member("status", ["type": ["integer", "null"]], "The answer's status; null where none came."),
    member("responseHeaders", ["$ref": "#/$defs/headers"], "As the program got them."),
    member("responseBody", ["$ref": "#/$defs/body"], "As the program got it."),
    member(
      "error",
      [
        "type": ["object", "null"], "required": ["domain", "code", "name"],
        "properties": [
          "domain": ["type": "string"], "code": ["type": "integer"], "name": ["type": ["string", "null"]],
        ],
      ], "The error that the program got; `name` is the Swift name of a code of URLError."),
    member(
      "redirects",
      [
        "type": "array",
        "items": [
          "type": "object", "required": ["status", "url", "headers"],
          "properties": [
            "status": ["type": "integer"], "url": ["type": "string"], "headers": ["$ref": "#/$defs/headers"],
            "target": ["type": "string"],
          ],
        ],
      ], "The answers that led elsewhere, in order; with `target` where the program went elsewhere than they say."),
    member(
      "sent",
      [
        "type": ["object", "null"],
        "properties": [
          "method": ["type": "string"], "url": ["type": "string"], "headers": ["$ref": "#/$defs/headers"],
          "body": ["$ref": "#/$defs/body"],
        ],
      ], "What went out instead, where a rule or a person changed the request; else null."),
    member("run", ["type": ["integer", "null"]], "Which life of a console on this history, from 1."),
    member("tags", ["type": "array", "items": ["type": "string"]], "What a person marked it with."),
    member("note", ["type": ["string", "null"]], "What a person wrote about it."),
    member("observed", ["type": "boolean"], "Only looked at when it started: no answer is known."),
    member("durationMs", ["type": ["integer", "null"], "minimum": 0], "From the start to the end."),
    member("heldMs", ["type": "integer", "minimum": 0], "How long of that it was held."),
    member("bytesSent", ["type": "integer", "minimum": 0], "Of the request's body."),
    member("bytesReceived", ["type": "integer", "minimum": 0], "Of the response's body."),
    member("requestTruncated", ["type": "boolean"], "The request's body was not recorded whole."),
    member("responseTruncated", ["type": "boolean"], "The response's body was not recorded whole."),
  ]

  private static func choices(_ names: [String]) -> JSONValue { .members(["enum": .array(names.map { .string($0) })]) }

  private static func member(_ name: String, _ schema: JSONValue, _ meaning: String) -> JSONValue.Member {
    guard case .object(let members) = schema else { return .init(name, schema) }
    return .init(name, .object(members + [.init("description", .string(meaning))]))
  }
}
