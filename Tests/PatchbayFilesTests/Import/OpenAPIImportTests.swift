import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct OpenAPIImportTests {
  private static let pets = """
    openapi: 3.0.3
    info: { title: Pets, version: "1" }
    servers:
    - url: https://{region}.example.com/v1
    paths:
      /pets:
        get:
          summary: All pets
          responses:
            "200":
              description: fine
              headers: { X-Total: { schema: { type: integer, minimum: 3 } } }
              content:
                application/json:
                  schema: { type: array, items: { $ref: "#/components/schemas/Pet" } }
            4XX: { $ref: "#/components/responses/Bad" }
            default: { description: no }
        post:
          requestBody: { content: { application/json: {} } }
          responses: { 201: { description: made, content: { application/json: { example: '{"id": 7}' } } } }
      /pets/{id}:
        get:
          responses:
            200:
              description: one
              content: { application/json: { examples: { ann: { value: { id: 1, name: "{{ann}}" } }, bob: { value: {} } } } }
      /pets/mine:
        get: { responses: { 200: { description: d, content: { text/plain: { schema: { type: string, enum: [mine] } } } } } }
    components:
      responses:
        Bad: { description: bad, content: { application/problem+json: { schema: { $ref: "#/components/schemas/Problem" } } } }
      schemas:
        Problem: { type: object, properties: { code: { type: integer, default: 42 }, secret: { type: string, writeOnly: true } } }
        Pet:
          allOf:
          - { type: object, required: [id], properties: { id: { type: integer, format: int64, minimum: 1 } } }
          - type: object
            properties:
              name: { type: string, example: Rex }
              born: { type: string, format: date }
              tags: { type: array, minItems: 2, maxItems: 3, items: { type: string, maxLength: 3 } }
              parent: { $ref: "#/components/schemas/Pet" }
              kind: { type: string, enum: [dog, cat] }
              weight: { type: number, exclusiveMinimum: true, minimum: 1.5 }
    """

  private let read: ImportedDocument

  init() throws { read = try ImportedDocument(Self.pets, name: "pets.yaml") }

  @Test func theSuccessOfEachOperationIsOn() {
    #expect(
      read.stubs.map { "\($0.enabled ? "+" : "-") \($0.name)" } == [
        "+ GET /pets 200", "- GET /pets 4XX", "- GET /pets default", "+ POST /pets 201", "+ GET /pets/mine 200",
        "+ GET /pets/{id} 200",
      ])
    #expect(read["GET /pets 4XX"].map { if case .respond(let answer) = $0.then { answer.status } else { 0 } } == 400)
    #expect(
      read["GET /pets default"].map { if case .respond(let answer) = $0.then { answer.status } else { 0 } } == 500)
  }

  @Test func anOperationIsToldByMethodHostAndPath() {
    #expect(read.answering("GET", "https://eu.example.com/v1/pets?limit=3") == "GET /pets 200")
    #expect(read.answering("GET", "https://eu.example.com/v1/pets/17") == "GET /pets/{id} 200")
    #expect(read.answering("GET", "https://eu.example.com/v1/pets/mine") == "GET /pets/mine 200")
    #expect(read.answering("GET", "https://eu.example.com/v1/pets/17/photos") == nil)
    #expect(read.answering("GET", "https://other.org/v1/pets") == nil)
    #expect(read.answering("PUT", "https://eu.example.com/v1/pets") == nil)
  }

  @Test func valuesAreMadeOfTheSchema() throws {
    let answer = try #require(read.answer("GET", "https://eu.example.com/v1/pets"))
    #expect(answer.headers.first?.value == "3")
    guard case .json(let json) = answer.body else {
      Issue.record("no JSON")
      return
    }
    #expect(
      json.compact
        == #"[{"id":1,"name":"Rex","born":"2024-01-31","tags":["str","str"],"kind":"dog","weight":2.5}]"#)
    #expect(read.says("the schema refers to itself"))
    guard case .respond(let bad)? = read["GET /pets 4XX"]?.then else { return }
    #expect(bad.body == .json(["code": 42]))
    #expect(bad.headers == [HeaderField("Content-Type", "application/problem+json")])
  }

  @Test func examplesComeFirstAndMeanThemselves() {
    #expect(read.answer("POST", "https://eu.example.com/v1/pets")?.body == .json(["id": 7]))
    let one = read.answer("GET", "https://eu.example.com/v1/pets/3")
    #expect(one?.body == .json(.members(["id": 1, "name": .string(Template.quoting("{{ann}}"))])))
    #expect(read.says("the example `bob` is left out"))
    let text = read.answer("GET", "https://eu.example.com/v1/pets/mine")
    #expect(text?.body == .text("mine"))
    #expect(text?.headers == [HeaderField("Content-Type", "text/plain")])
    #expect(read.says("the request's body is no condition"))
  }

  @Test(
    arguments: [
      (#"{"type": ["null", "string"], "const": "x"}"#, #""x""#), (#"{"type": ["null", "integer"]}"#, "0"),
      (#"{"examples": [{"a": 1}]}"#, #"{"a":1}"#), (#"{"anyOf": [{"type": "null"}, {"type": "boolean"}]}"#, "true"),
      (#"{"type": "array", "prefixItems": [{"const": 1}, {"const": 2}]}"#, "[1,2]"),
      (#"{"type": "integer", "exclusiveMinimum": 5, "multipleOf": 4}"#, "8"),
      (#"{"type": "integer", "maximum": -3}"#, "-3"),
      (#"{"type": "string", "pattern": "^[A-Z]{3}$"}"#, #""ABC""#),
      (#"{"type": "string", "pattern": "^ses"}"#, #""ses""#),
      (
        #"{"type": "string", "pattern": "^(AC|SK)[0-9a-f]{32}$", "minLength": 34}"#,
        "\"AC\(String(repeating: "a", count: 32))\""
      ),
      (#"{"type": "string", "pattern": "^urn:[^:]+(:\\d{2})+$"}"#, #""urn:a:11""#),
      (#"{"type": "string", "minLength": 8}"#, #""stringst""#),
      (#"{"properties": {"a": {"type": "array", "items": {}, "maxItems": 0}}}"#, #"{"a":[]}"#),
      (
        #"{"additionalProperties": {"type": "string", "format": "uuid"}}"#,
        #"{"key":"3fa85f64-5717-4562-b3fc-2c963f66afa6"}"#
      ),
      (
        #"{"type": "array", "minItems": 1e300, "items": {"type": "null"}}"#,
        "[null,null,null,null,null,null,null,null,null,null]"
      ),
      ("true", "{}"), (#"{"type": "string", "minLength": 1e99, "maxLength": -5}"#, nil),
    ] as [(String, String?)])
  func schemasOf31(_ schema: String, _ expected: String?) throws {
    let read = try ImportedDocument(
      """
      {"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
      \(schema)}}}}}}}}
      """)
    guard case .json(let json)? = read.answer("GET", "http://h/a")?.body else {
      Issue.record("no JSON")
      return
    }
    if let expected { #expect(json.compact == expected) } else { #expect(json.compact.count < 2_000) }
  }

  @Test func severalServersAndNone() throws {
    func read(_ servers: String) throws -> ImportedDocument {
      try ImportedDocument(
        "{\"openapi\": \"3.1.0\", \"servers\": \(servers), \"paths\": {\"/a\": {\"get\": {\"responses\": {\"204\": {}}}}}}"
      )
    }
    let none = try read("[]")
    #expect(none.answering("GET", "http://any.host:81/a") != nil)
    let relative = try read(#"[{"url": "/api/v2/"}]"#)
    #expect(relative.answering("GET", "http://any.host/api/v2/a") != nil)
    #expect(relative.answering("GET", "http://any.host/a") == nil)
    let port = try read(#"[{"url": "http://localhost:8080/x"}]"#)
    #expect(port.answering("GET", "http://localhost:8080/x/a") != nil)
    #expect(port.answering("GET", "http://localhost:8081/x/a") == nil)
    let prefixed = try read(#"[{"url": "/live"}, {"url": "/test"}]"#)
    #expect(prefixed.answering("GET", "http://any.host/test/a") != nil)
    #expect(prefixed.answering("GET", "http://any.host/other/a") == nil)
  }

  @Test func ofManyServersTheFirstFiftyCount() throws {
    let servers = (1...51).map { "{\"url\": \"https://h\($0).example\"}" }.joined(separator: ", ")
    let read = try ImportedDocument(
      "{\"openapi\": \"3.1.0\", \"servers\": [\(servers)], \"paths\": {\"/a\": {\"get\": {\"responses\": {\"204\": {}}}}}}"
    )
    #expect(read.answering("GET", "https://h50.example/a") != nil)
    #expect(read.answering("GET", "https://h51.example/a") == nil)
  }

  /// The operations are left out before which there are that many stubs.
  @Test(arguments: [(19_999, 20_000), (20_000, 20_000)])
  func ofManyStubsTheFirstTwentyThousandAreMade(_ count: Int, _ made: Int) {
    func map(_ entries: [DocumentNode.Entry]) -> DocumentNode { DocumentNode(.map(entries)) }
    func operation(_ count: Int) -> DocumentNode {
      let answers = [DocumentNode.Entry](repeating: .init("200", value: map([])), count: count)
      return map([.init("get", value: map([.init("responses", value: map(answers))]))])
    }
    let paths = map([.init("/a", value: operation(count)), .init("/b", value: operation(1))])
    var notes = ImportNotes()
    var importer = OpenAPIImport(map([.init("paths", value: paths)]), path: "p")
    let drafts = importer.drafts(&notes)
    #expect(drafts.count == made && drafts.last?.name == (count < made ? "GET /b 200" : "GET /a 200"))
    let told = notes.listed.map(\.message)
    #expect(
      told == (count < made ? [] : ["more than 20000 stubs: the operations from here on are left out"]), "\(told)")
  }

  @Test func otherFilesAreReadBelowTheDocumentAlone() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("api/parts"), withIntermediateDirectories: true)
    try folder.write("outside.yaml", "value: secret")
    try folder.write("api/parts/pet.yaml", "Pet: { type: object, properties: { n: { $ref: '#/N' } } }\nN: { const: 5 }")
    try folder.write(
      "api/root.yaml",
      """
      openapi: 3.0.0
      paths:
        /a: { get: { responses: { 200: { content: { application/json: { schema: { $ref: 'parts/pet.yaml#/Pet' } } } } } } }
        /b: { get: { responses: { 200: { content: { application/json: { schema: { $ref: '../outside.yaml' } } } } } } }
        /c: { get: { responses: { 200: { content: { application/json: { schema: { $ref: 'https://x.example/a' } } } } } } }
        /d: { get: { responses: { 200: { $ref: '#/components/responses/None' } } } }
      """)
    let read = try ImportedDocument(paths: [folder.file("api/root.yaml")])
    #expect(read.answer("GET", "http://h/a")?.body == .json(["n": 5]))
    #expect(read.answer("GET", "http://h/b")?.body == CannedResponse.Body.none)
    #expect(read.says("root.yaml:4:"))
    #expect(read.says("lies outside the document's folder"))
    #expect(read.says("leads to the network, which is not asked"))
    #expect(read.says("`#/components/responses/None` leads nowhere"))
  }

  @Test(arguments: [
    ("swagger: '2.0'\npaths: {}", "OpenAPI 2 (Swagger)"), ("openapi: 4.0.0", "is OpenAPI 4.0.0"),
    ("patchbay: 1", "is a stub file already"), ("hello: there", "is none of"), ("- 1", "is none of"),
    ("{", "not closed"),
  ])
  func otherDocumentsAreRefusedWithASentence(_ text: String, _ reason: String) {
    let error = #expect(throws: FilesError.self) { try ImportedDocument(text, name: "x.yaml") }
    #expect(error?.description.contains(reason) == true)
  }

  @Test(arguments: ["<<: *one", "<<: [*one, *two]"]) func mergesOfYAMLAreTaken(_ merge: String) throws {
    let read = try ImportedDocument(
      """
      openapi: 3.0.3
      info: { title: m, version: "1" }
      x-one: &one { description: one, content: { text/plain: { example: from one } } }
      x-two: &two { description: two, content: { text/plain: { example: from two } } }
      paths:
        /a:
          get:
            responses:
              200:
                \(merge)
                description: own
      """, name: "m.yaml")
    #expect(read.answer("GET", "http://h/a")?.body == .text("from one"), "\(read.text)")
  }
}
