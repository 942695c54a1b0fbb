import PatchbayStubs

extension StubFile {
  /// The JSON Schema (draft 2020-12) of stub files, for editors.
  package static let jsonSchema: String = schema.indented() + "\n"

  private static let schema: JSONValue = .members([
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Patchbay stub file",
    "description": "Ordered rules for HTTP requests: the first enabled stub that matches wins.",
    "type": "object",
    "required": ["patchbay"],
    "additionalProperties": false,
    "properties": .members([
      "patchbay": ["const": 1, "description": "The version of the format."],
      "$schema": ["type": "string"],
      "stubs": ["type": ["array", "null"], "items": ref("stub")],
    ]),
    "$defs": definitions,
  ])

  private static let definitions: JSONValue = .members([
    "stub": object(stub, required: ["name", "then"]),
    "when": object(when, orNull: true),
    "bodyPattern": object(bodyPattern),
    "then": with(
      object(then, alternatives: StubSchema.Keys.actions), .init("dependentRequired", ["afterwards": ["sequence"]])),
    "action": object(then.filter { steps.contains($0.name) }, alternatives: steps),
    "respond": with(
      object(
        respond, orNull: true,
        exclusive: [StubSchema.Keys.bodies, paces, ["events", "throttle"], ["events", "dribble"]]),
      .init("dependentRequired", ["otherwise": ["folder"]])),
    "event": with(object(event), anyOf(["data", "event", "id"])),
    "after": object(
      respond.filter { StubSchema.Keys.after.contains($0.name) } + [
        .init("bytes", described(ref("size"), "How many bytes of the body are delivered."))
      ], orNull: true,
      exclusive: [StubSchema.Keys.bodies, paces]),
    "fail": .members(["anyOf": [ref("failure"), failure]]),
    "failure": .members(["type": "string", "enum": failures]),
    "pass": object(pass, orNull: true, exclusive: [paces]),
    "request": object(request, orNull: true, exclusive: [StubSchema.Keys.requestBodies]),
    "text": .members([
      "anyOf": [
        described(ref("scalar"), "A glob: `*` is any run of characters, all else literal; the whole text must fit."),
        with(
          object([
            .init("matches", expressions),
            .init("not", described(ref("text"), "What must not fit: one, or a list of which none may.")),
          ]), anyOf(["matches", "not"])),
        .members(["type": "array", "items": ref("text"), "minItems": 1, "description": "Any of them."]),
      ]
    ]),
    "pattern": with(object(when), anyOf(StubSchema.Keys.when)),
    "condition": .members(["anyOf": [ref("text"), ["type": "null", "description": "Must be absent."]]]),
    "conditions": .members(["anyOf": [map(of: ref("condition")), list(of: map(of: ref("condition")))]]),
    "scalar": ["type": ["string", "number", "boolean"]],
    "method": ["type": ["string", "number", "boolean"], "pattern": "^[!-+\\--~]+$"],
    "pointers": ["type": "object", "propertyNames": ["pattern": "^(/|$)"]],
    "headerValue": .members(["anyOf": [ref("scalar"), list(of: ref("scalar"))]]),
    "headers": .members(["anyOf": [map(of: ref("headerValue")), list(of: map(of: ref("headerValue")))]]),
    "headerChange": .members(["anyOf": [ref("headerValue"), ["type": "null", "description": "Removes the header."]]]),
    "headerChanges": .members(["anyOf": [map(of: ref("headerChange")), list(of: map(of: ref("headerChange")))]]),
    "duration": [
      "type": "string", "pattern": "^ *([0-9]+(\\.[0-9]+)? *([mM][sS]|[sSmMhHdD]) *)+$",
      "examples": ["300ms", "2s", "1m30s"],
    ],
    "size": [
      "type": ["string", "integer"], "minimum": 0, "pattern": .string("^\(bytes)$"),
      "examples": ["20kB", "5MiB", 4],
    ],
    "delay": .members([
      "anyOf": [
        ref("duration"),
        object([.init("from", ref("duration")), .init("to", ref("duration"))], required: ["from", "to"]),
      ]
    ]),
    "throttle": [
      "type": ["string", "integer"], "minimum": 1, "pattern": .string("^\(bytes)(/s)?$"), "examples": ["20kB/s"],
      "description": "At most that many bytes a second.",
    ],
    "dribble": object(
      [.init("pieces", ["type": "integer", "minimum": 1]), .init("over", ref("duration"))],
      required: ["pieces", "over"]),
    "replacement": object(
      [.init("find", with(ref("scalar"), .init("minLength", 1))), .init("with", ref("scalar"))],
      required: ["find", "with"]),
    "hold": .members(["enum": .array(Action.HoldPoint.allCases.map { .string($0.rawValue) })]),
  ])

  private static let stub: [JSONValue.Member] = [
    .init("name", with(described(ref("scalar"), "Unique."), .init("pattern", "\\S"))),
    .init("enabled", ["type": "boolean", "default": true]),
    .init("when", described(ref("when"), "Everything given must hold; without it all requests match.")),
    .init("then", ref("then")),
    .init("skip", ["type": "integer", "minimum": 0, "description": "How many matching requests are let past first."]),
    .init(
      "chance", ["type": "number", "minimum": 0, "maximum": 1, "description": "The share of requests that it takes."]),
    .init(
      "seed",
      [
        "type": "integer", "minimum": 0, "maximum": .number("\(UInt64.max)"),
        "description": "Makes the chance repeatable.",
      ]),
    .init("times", ["type": "integer", "minimum": 1, "description": "How many requests it takes."]),
    .init(
      "scenario",
      with(
        with(object(scenario, required: ["name"]), anyOf(["in", "to"])),
        .init(
          "description",
          .string("Stubs that share a state, in each process; every scenario begins in `\(Stub.Scenario.start)`.")))),
  ]

  private static let when: [JSONValue.Member] = [
    .init(
      "method",
      .members([
        "anyOf": [ref("method"), .members(["type": "array", "items": ref("method"), "minItems": 1])],
        "description": "One, or a list of which any fits. Case does not count.",
      ])),
    .init("url", ref("text")), .init("scheme", ref("text")), .init("host", ref("text")),
    .init("port", ["type": "integer", "minimum": 0, "maximum": 65_535]), .init("path", ref("text")),
    .init("query", ref("conditions")),
    .init(
      "headers",
      described(
        ref("conditions"),
        "As the program sets them. Host, User-Agent, Accept and others that the loading system adds when the request goes out are not there yet."
      )),
    .init("body", ref("bodyPattern")),
    .init("process", described(ref("text"), "A name; with its number behind it (demo 4121) that process alone.")),
    .init(
      "any",
      .members(["type": "array", "items": ref("pattern"), "minItems": 1, "description": "At least one must fit."])),
    .init(
      "not",
      .members([
        "anyOf": [
          ref("pattern"), .members(["type": "array", "items": ref("pattern"), "minItems": 1]),
        ],
        "description": "A pattern that must not fit, or a list of which none may.",
      ])),
  ]

  private static let scenario: [JSONValue.Member] = [
    .init("name", with(ref("scalar"), .init("pattern", "\\S"))),
    .init(
      "in",
      described(
        with(ref("scalar"), .init("pattern", "\\S")), "The state in which the stub takes requests; without it any.")),
    .init(
      "to", described(with(ref("scalar"), .init("pattern", "\\S")), "The state that follows when the stub answers.")),
  ]

  private static let event: [JSONValue.Member] = [
    .init("event", ref("scalar")), .init("id", ref("scalar")),
    .init("data", ["description": "A text as it is, anything else as JSON."]),
    .init("after", described(ref("delay"), "The pause before it.")),
  ]

  private static let graphql: [JSONValue.Member] = [
    .init("operation", described(ref("text"), "The operation's name.")),
    .init("variables", ["type": "object", "description": "A subset of the variables."]),
  ]

  private static let bodyPattern: [JSONValue.Member] = [
    .init("contains", described(ref("text"), "Text that must be found; * is no wildcard here.")),
    .init("equals", ref("scalar")), .init("matches", expressions),
    .init(
      "json",
      [
        "description":
          "A subset of the body's JSON: objects need these members, lists these elements, in any order and place. Exactly that JSON is `pointer: { \"\": … }`."
      ]),
    .init(
      "pointer",
      .members([
        "anyOf": [ref("pointers"), list(of: ref("pointers"))],
        "description": "JSON Pointers and the values that stand there.",
      ])),
    .init("form", ref("conditions")), .init("multipart", ref("conditions")),
    .init("graphql", object(graphql)),
  ]

  private static let then: [JSONValue.Member] = [
    .init("respond", ref("respond")), .init("fail", ref("fail")), .init("pass", ref("pass")),
    .init("hold", ref("hold")),
    .init("sequence", ["type": "array", "items": ref("action"), "minItems": 1]),
    .init("afterwards", .members(["enum": .array(Action.Afterwards.allCases.map { .string($0.rawValue) })])),
  ]

  private static let respond: [JSONValue.Member] = [
    .init("status", ["type": "integer", "minimum": 100, "maximum": 599, "default": 200]),
    .init("headers", ref("headers")),
    .init("json", ["description": "Sent compact, as UTF-8, keys in this order."]),
    .init("body", described(ref("scalar"), "Text; may hold templates such as {{request.path.1}}.")),
    .init("base64", ["type": "string", "contentEncoding": "base64"]),
    .init(
      "file",
      described(ref("scalar"), "Relative to the stub file; may hold templates: mocks/{{match.1}}.json.")),
    .init(
      "folder",
      [
        "type": "string", "minLength": 1,
        "description": "Answers with what it holds at the path of the request, decoded.",
      ]),
    .init(
      "otherwise",
      .members([
        "enum": ["pass", "404", 404], "default": "pass", "description": "What becomes of a path that is not there.",
      ])),
    .init(
      "events",
      .members([
        "type": "array", "items": ref("event"), "minItems": 1, "description": "A stream, text/event-stream.",
      ])),
    .init("filler", described(ref("size"), "So many bytes of filler.")),
    .init("delay", ref("delay")), .init("throttle", ref("throttle")), .init("dribble", ref("dribble")),
  ]

  private static let fail: [JSONValue.Member] = [
    .init("error", ref("failure")), .init("domain", ref("scalar")), .init("code", ["type": "integer"]),
    .init("message", ref("scalar")), .init("delay", ref("delay")), .init("after", ref("after")),
  ]

  private static let pass: [JSONValue.Member] = [
    .init(
      "to",
      [
        "type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://[^/?#]+[^?#]*$|\\{\\{",
        "examples": ["http://127.0.0.1:8080/mirror"],
        "description":
          "Where the request goes instead: scheme, host and port, and a path that comes before the request's. The query is kept. May hold templates.",
      ]),
    .init("request", described(ref("request"), "What is sent instead of what the program asked.")),
    .init("delay", ref("delay")), .init("throttle", ref("throttle")), .init("dribble", ref("dribble")),
    .init("status", ["type": "integer", "minimum": 100, "maximum": 599]), .init("headers", ref("headerChanges")),
    .init("mergePatch", ["description": "RFC 7396."]),
    .init("replace", .members(["anyOf": [ref("replacement"), list(of: ref("replacement"))]])),
  ]

  private static let request: [JSONValue.Member] = [
    .init("method", described(ref("method"), "The method in the place of the program's.")),
    .init("scheme", ["type": "string", "pattern": "^[hH][tT][tT][pP][sS]?$|\\{\\{", "description": "http or https."]),
    .init(
      "host",
      with(described(ref("scalar"), "Without scheme and port."), .init("pattern", "^[^/?#@: ]+$|:.*:|^\\[|\\{\\{"))),
    .init("port", ["type": "integer", "minimum": 1, "maximum": 65_535]),
    .init("path", described(ref("scalar"), "The whole path.")),
    .init("query", described(ref("headerChanges"), "Items to set; null removes, a list repeats.")),
    .init("headers", described(ref("headerChanges"), "Fields to set; null removes, a list repeats.")),
    .init("json", ["description": "A whole other body, sent compact, as UTF-8, keys in this order."]),
    .init("body", described(ref("scalar"), "A whole other body; may hold templates such as {{request.body}}.")),
    .init("base64", ["type": "string", "contentEncoding": "base64"]),
    .init("file", described(ref("scalar"), "A whole other body, relative to the stub file.")),
    .init("mergePatch", ["description": "RFC 7396, for a request whose body is JSON."]),
    .init("replace", .members(["anyOf": [ref("replacement"), list(of: ref("replacement"))]])),
  ]

  /// An error by name, or one of one's own.
  private static let failure: JSONValue = {
    let own = ["domain", "code", "message"].map { JSONValue.members(["required": [.string($0)]]) }
    let named = JSONValue.members(["required": ["error"], "not": ["anyOf": .array(own)]])
    return with(object(fail), .init("anyOf", [named, ["required": ["domain", "code"]]]))
  }()

  private static let steps = StubSchema.Keys.actions.filter { $0 != "sequence" }
  private static let paces = ["throttle", "dribble"]
  private static let bytes = " *[0-9]+(\\.[0-9]+)? *([kKmMgG]?[bB]|[kKmMgG][iI][bB])?"
  private static let expression: JSONValue = ["type": ["string", "number", "boolean"], "format": "regex"]

  private static let expressions: JSONValue = .members([
    "anyOf": [expression, .members(["type": "array", "items": expression, "minItems": 1])]
  ])

  private static let failures: JSONValue = .array(
    (URLErrorCode.all.map(\.name) + FaultPreset.all.map(\.name).filter { URLErrorCode.code(named: $0) == nil })
      .map { .string($0) })

  private static func ref(_ name: String) -> JSONValue { .members(["$ref": .string("#/$defs/\(name)")]) }

  /// At least one of the keys must be there.
  private static func anyOf(_ keys: [String]) -> JSONValue.Member {
    .init("anyOf", .array(keys.map { .members(["required": [.string($0)]]) }))
  }

  private static func described(_ schema: JSONValue, _ text: String) -> JSONValue {
    with(schema, .init("description", .string(text)))
  }

  private static func with(_ schema: JSONValue, _ member: JSONValue.Member) -> JSONValue {
    guard case .object(let members) = schema else { return schema }
    return .object(members + [member])
  }

  private static func map(of value: JSONValue) -> JSONValue {
    .members(["type": "object", "additionalProperties": value])
  }

  private static func list(of value: JSONValue) -> JSONValue { .members(["type": "array", "items": value]) }

  private static func object(
    _ properties: [JSONValue.Member], required: [String] = [], alternatives: [String] = [], orNull: Bool = false,
    exclusive: [[String]] = []
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("type", orNull ? ["object", "null"] : "object"), .init("properties", .object(properties)),
      .init("additionalProperties", false),
    ]
    if !required.isEmpty { members.append(.init("required", .array(required.map { .string($0) }))) }
    if !alternatives.isEmpty {
      let each = alternatives.map { JSONValue.members(["required": [.string($0)]]) }
      members.append(.init("oneOf", .array(each)))
    }
    let pairs = exclusive.flatMap { names in
      names.indices.flatMap { one in names[(one + 1)...].map { [names[one], $0] } }
    }
    if !pairs.isEmpty {
      let each = pairs.map { pair in
        JSONValue.members(["not": ["type": "object", "required": .array(pair.map { .string($0) })]])
      }
      members.append(.init("allOf", .array(each)))
    }
    return .object(members)
  }
}
