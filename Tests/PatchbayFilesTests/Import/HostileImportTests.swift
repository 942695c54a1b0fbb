import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct HostileImportTests {
  private func schema(_ schemas: String) -> String {
    """
    {"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
    {"$ref": "#/components/schemas/S0"}}}}}}}}, "components": {"schemas": {\(schemas)}}}
    """
  }

  @Test func schemasThatReferToThemselvesEnd() throws {
    for schemas in [
      ##""S0": {"$ref": "#/components/schemas/S0"}"##,
      ##""S0": {"allOf": [{"$ref": "#/components/schemas/S1"}]}, "S1": {"oneOf": [{"$ref": "#/components/schemas/S0"}]}"##,
      ##""S0": {"type": "array", "minItems": 10, "items": {"$ref": "#/components/schemas/S0"}}"##,
      ##""S0": {"properties": {"a": {"$ref": "#/paths/~1a/get/responses/200/content/application~1json/schema"}}}"##,
    ] {
      let read = try ImportedDocument(schema(schemas))
      #expect(read.stubs.count == 1)
      #expect(read.says("refers to itself"))
    }
  }

  @Test func schemasThatGrowWithoutBoundsAreCut() throws {
    let levels = (0..<30).map { level in
      let next = "{\"$ref\": \"#/components/schemas/S\(level + 1)\"}"
      let members = (0..<10).map { "\"p\($0)\": \(next)" }.joined(separator: ", ")
      return
        "\"S\(level)\": {\"type\": \"object\", \"required\": [\"p0\", \"p1\", \"p2\"], \"properties\": {\(members)}}"
    }
    let wide = try ImportedDocument(schema(levels.joined(separator: ",") + #", "S30": {"type": "string"}"#))
    #expect(wide.says("larger than an example may be"))
    #expect(wide.text.utf8.count < 2 << 20)
    var nested = #"{"type": "string"}"#
    for _ in 0..<30 { nested = "{\"type\": \"array\", \"minItems\": 1000000000, \"items\": \(nested)}" }
    let deep = try ImportedDocument(schema("\"S0\": \(nested)"))
    #expect(deep.text.utf8.count < 2 << 20)
  }

  @Test func oneExampleInManyAnswersDoesNotFillTheMemory() throws {
    let big = String(repeating: "x", count: 50_000)
    let paths = (0..<200).map { number in
      "\"/\(number)\": {\"get\": {\"responses\": {\"200\": {\"$ref\": \"#/components/responses/R\"}}}}"
    }
    let read = try ImportedDocument(
      """
      {"openapi": "3.0.0", "paths": {\(paths.joined(separator: ","))},
       "components": {"responses": {"R": {"content": {"application/json": {"example": "\(big)"}}}}}}
      """)
    #expect(read.stubs.count == 200)
    #expect(read.says("more than one stub file takes"))
    #expect(read.text.utf8.count < 16 << 20)
  }

  @Test func aVariableThatGrowsIsNotFilledInWithoutEnd() throws {
    let variables = (0..<20).map {
      "{\"key\": \"v\($0)\", \"value\": \"\(String(repeating: "{{v\($0 + 1)}}", count: 20))\"}"
    }
    let read = try ImportedDocument(
      """
      {"info": {"schema": "v2.1.0"}, "variable": [\(variables.joined(separator: ","))],
       "item": [{"name": "a", "request": "http://h/", "response": [{"code": 200, "body": "{{v0}}"}]}]}
      """)
    #expect(read.stubs.count == 1)
    #expect(read.text.utf8.count < 3 << 20)
  }

  /// The place of each value was once counted from the beginning of its line: 80 s for this document.
  @Test func aLargeDocumentOnOneLineIsReadInItsTime() throws {
    let values = [String](repeating: "\"é\"", count: 20_000).joined(separator: ",")
    let read = try ImportedDocument(
      "{\"é\": [\(values)], \"mappings\": [{\"request\": {\"nope\": 1}, \"response\": {}}]}")
    #expect(read.says("document.json:1:80036: the condition `nope`"))
  }

  @Test func aBodyOfBracesIsLeftOut() throws {
    let braces = String(repeating: "{{", count: 100_000)
    let read = try ImportedDocument(
      "{\"request\": {}, \"response\": {\"body\": \"\(braces)\", \"transformers\": [\"response-template\"]}}")
    #expect(read.stubs.isEmpty)
    #expect(read.says("more braces"))
  }

  @Test func deepDocumentsAreRefused() {
    for text in [
      String(repeating: "[", count: 100_000),
      "{\"openapi\": \"3.0.0\", \"paths\": " + String(repeating: "{\"a\":", count: 50_000),
      "openapi: 3.0.0\npaths: " + String(repeating: "[", count: 1_000),
    ] {
      #expect(throws: FilesError.self) { try ImportedDocument(text) }
    }
  }

  @Test func aliasesOfAliasesAreRefused() {
    var text = "openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<9 {
      let items = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(items)]\n"
    }
    let error = #expect(throws: FilesError.self) { try ImportedDocument(text, name: "bomb.yaml") }
    #expect(error?.description.contains("too many nodes") == true)
  }

  /// Anything may be anywhere: no document crashes, and what comes out is always a stub file.
  @Test func mutationsNeverCrash() throws {
    let documents = [
      #"{"mappings":[{"priority":1,"request":{"method":"GET","url":"/a?b=1","headers":{"A":{"or":[{"contains":"b"},{"absent":true}]}},"bodyPatterns":[{"matchesJsonPath":{"expression":"$.a[?(@.b=='c')]","equalTo":"1"}},{"equalToJson":"{}"}]},"response":{"status":200,"jsonBody":{"a":"{{now}}"},"transformers":["response-template"],"delayDistribution":{"type":"uniform","lower":1,"upper":2}}}]}"#,
      ##"{"openapi":"3.1.0","servers":[{"url":"https://{a}.h.example:81/v1"}],"paths":{"/a/{b}?c=d":{"get":{"responses":{"200":{"headers":{"X":{"schema":{"type":"integer"}}},"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/paths"},{"type":"object","properties":{"a":{"type":"string","pattern":"^a+$","minLength":3}}}]}}}},"default":{}}}}}}"##,
      #"{"info":{"schema":"v2.1.0"},"variable":[{"key":"a","value":"b"}],"item":[{"name":"x","request":{"method":"GET","url":{"raw":"{{a}}/:b/c?d=e","host":["{{a}}"],"path":["b"],"query":[{"key":"d","value":"e"}]},"body":{"mode":"graphql","graphql":{"query":"query A { b }"}}},"response":[{"code":200,"header":[{"key":"A","value":"b"}],"body":"{}"}]}]}"#,
      "curl -X POST 'https://h.example/a?b=c' \\\n -H \"A: b\" --data-raw $'a\\u0041=1&b=%20' -F a=b --json '{}' | jq\n",
    ]
    var random = SystemRandomNumberGenerator()
    let pieces = Array("{}[]\":,'\\$#/*?&=%0-9eE \n\tnull".utf8) + [0xC3, 0xFF]
    for round in 0..<2_000 {
      var bytes = Array(documents[round % documents.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(pieces.randomElement(using: &random)!, at: place)
        case 2: bytes[place] = pieces.randomElement(using: &random)!
        default:
          let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
          bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do { _ = try ImportedDocument(text) } catch is FilesError {} catch { Issue.record("\(error): \(text)") }
    }
  }
}
