import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Long lists of the parts of other tools' documents, and the whole of what becomes of each. With `PATCHBAY_WRITE_SCREENS`
/// set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholePartsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Whole")

  private func compare(_ name: String, _ become: (String) throws -> [String]) throws {
    let lines = try String(contentsOf: Self.folder.appendingPathComponent(name + ".txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let head = lines.prefix { $0.hasPrefix("# ") }.count
    let seen = try lines.dropFirst(head).map { line in
      ([line] + (try become(line).map { "    " + $0 })).joined(separator: "\n")
    }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/\(name).become")
  }

  /// A document's stubs, each with its key of the stub file, and what is said of it without the document's name.
  private func told(_ document: String, _ keys: [String]) throws -> [String] {
    let read: ImportedDocument
    do { read = try ImportedDocument(document) } catch let error as FilesError {
      return error.mistakes.map { $0.message.replacing(/\/[^ ]*\/document/, with: "document") }
    }
    let stubs = read.stubs.map { stub -> String in
      let json = stub.json
      let parts = keys.compactMap { key in json[key].map { "\(key) \($0.compact)" } }
      return ([stub.enabled ? "on" : "off"] + parts).joined(separator: " ")
    }
    let notes = read.notes.map { $0.replacing(/^.*?document.json/, with: "document") }
    return stubs + notes
  }

  @Test func expressionsOfJSONPath() throws {
    try compare("paths") { line in
      guard let path = JSONPath(line) else { return ["says more"] }
      let parts: [(String, String?)] = [
        ("last", path.lastName), ("value", path.value?.compact), ("pointer", path.pointer),
        ("7 is", path.subset(7)?.compact), ("its value is", path.value.flatMap { path.subset($0)?.compact }),
        ("an object is", path.subset(.members(["a": "b", "z": 1]))?.compact),
      ]
      return [parts.compactMap { name, text in text.map { "\(name) \($0)" } }.joined(separator: ", ")]
    }
  }

  @Test func anExpressionHasItsLimits() {
    #expect(JSONPath("$." + String(repeating: "a", count: 998)) != nil)
    #expect(JSONPath("$." + String(repeating: "a", count: 999)) == nil)
    #expect(JSONPath("$" + String(repeating: ".a", count: 50)) != nil)
    #expect(JSONPath("$" + String(repeating: ".a", count: 51)) == nil)
  }

  @Test func templatesOfWireMock() throws {
    let parameters = try DocumentNode(
      parsingJSON: Array(#"{"name": "Ann {{x}}", "word": 5, "empty": "", "list": [1]}"#.utf8))
    let translation = WireMockTemplate(pathTemplate: "/users/{id}/posts/{post}", parameters: parameters)
    try compare("templates") { line in
      var unknown: [String] = []
      let text = translation.text(line, &unknown)
      return [text] + (unknown.isEmpty ? [] : ["unknown: " + unknown.map { "‹\($0)›" }.joined(separator: " ")])
    }
  }

  /// Without a template of the path no names are known.
  @Test func textsOfTooManyBracesAreNoTemplates() {
    let translation = WireMockTemplate(pathTemplate: nil)
    var unknown: [String] = []
    #expect(translation.text("{{request.path.id}}", &unknown) == Template.quoting("{{request.path.id}}"))
    #expect(unknown == ["request.path.id"])
    let many = String(repeating: "{{request.method}}", count: 2_000)
    unknown = []
    #expect(translation.text(many, &unknown) == many && unknown == [])
    let more = many + "{{x}}"
    #expect(translation.text(more, &unknown) == Template.quoting(more) && unknown == ["…"])
  }

  @Test func wordsOfAShell() throws {
    let signs = [("⏎", "\n"), ("␍", "\r"), ("⇥", "\t")]
    try compare("commands") { line in
      let text = signs.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
      return ShellCommand.all(in: text).map { command in
        let words = command.words.map { word in
          "‹" + signs.reduce(word) { $0.replacingOccurrences(of: $1.1, with: $1.0) } + "›"
        }
        return "\(command.position.map { "\($0)" } ?? "nowhere") " + words.joined(separator: " ")
          + (command.problem.map { " (\($0))" } ?? "")
      }
    }
  }

  @Test func schemasOfOpenAPI() throws {
    try compare("schemas") { line in
      try told(
        """
        openapi: 3.1.0
        paths: { /a: { get: { responses: { 200: { content: { application/json: { schema: \(line) } } } } } } }
        components:
          schemas:
            A: { type: integer, example: 5 }
            B: { type: object, properties: { x: { type: boolean } } }
            C: { allOf: [{ $ref: "#/components/schemas/B" }, { properties: { y: { const: 1 } } }] }
        """, ["then"])
    }
  }

  @Test func operationsOfOpenAPI() throws {
    try compare("operations") { line in
      try told(
        """
        openapi: 3.1.0
        paths: { /a: { get: { responses: \(line) } } }
        components:
          responses: { R: { description: r, content: { text/plain: { example: r } } } }
          examples: { E: { value: { e: 1 } } }
          headers: { H: { example: h } }
        """, ["name", "then"])
    }
  }

  @Test func placesOfOpenAPI() throws {
    try compare("places") { line in
      let servers = line.hasPrefix("[") ? String(line[...line.lastIndex(of: "]")!]) : nil
      let path = line.dropFirst(servers?.count ?? 0).drop { $0 == " " }
      let document = [
        "openapi: 3.1.0", servers.map { "servers: \($0)" },
        "paths: { \"\(path)\": { get: { responses: { 204: { description: d } } } } }",
      ]
      return try told(document.compactMap(\.self).joined(separator: "\n"), ["name", "when"])
    }
  }

  @Test func requestsOfWireMock() throws {
    try compare("requests") { try told("{\"request\": \($0), \"response\": {}}", ["name", "when"]) }
  }

  @Test func responsesOfWireMock() throws {
    try compare("responses") { line in
      try told(
        "{\"request\": {\"method\": \"POST\", \"urlPathTemplate\": \"/users/{id}\"}, \"response\": \(line)}", ["then"])
    }
  }

  @Test func addressesOfPostman() throws {
    try compare("addresses") { line in
      try told(
        """
        {"info": {"schema": "v2.1.0"}, "variable": [{"key": "host", "value": "api.example"},
         {"key": "base", "value": "https://{{host}}:8080/v1"}, {"key": "id", "value": "7"}, {"key": "mark", "value": "?x=1"},
         {"key": "self", "value": "a{{self}}b"}, {"key": "one", "value": "{{two}}"}, {"key": "two", "value": "2"}],
         "item": [{"name": "a", "request": {"url": \(line)}, "response": [{"code": 200}]}]}
        """, ["when"])
    }
  }

  @Test func answersOfPostman() throws {
    try compare("answers") { line in
      try told(
        """
        {"info": {"schema": "v2.1.0"}, "variable": [{"key": "name", "value": "Ann"}, {"key": "code", "value": "{\\"a\\":1}"},
         {"key": "deep", "value": "{{name}}!"}],
         "item": [{"name": "a", "request": "http://h.example/", "response": [\(line)]}]}
        """, ["name", "then"])
    }
  }

  @Test func commandsOfCURL() throws {
    try compare("curls") { line in
      try told(line.replacing("⏎", with: "\n"), ["name", "when"])
    }
  }

  @Test func whoseADocumentIs() throws {
    try compare("kinds") { line in try told(line.replacing("⏎", with: "\n"), ["name", "then"]) }
  }
}
