import Foundation
import PatchbayFiles
import PatchbayStubs
import PatchbayTestSupport
import Testing

/// The JSON Schema that editors get against the parser, which has the last word.
@Suite(.bounded) struct SchemaAgreementTests {
  let validator: SchemaValidator

  init() throws {
    validator = SchemaValidator(root: try JSONValue(parsing: StubFile.jsonSchema))
  }

  private func mistakes(_ file: JSONValue) -> String? {
    do throws(FilesError) {
      _ = try StubFile.parse(file.indented(), path: "stubs.json")
      return nil
    } catch { return error.description }
  }

  private func file(_ stubs: [JSONValue]) -> JSONValue { .members(["patchbay": 1, "stubs": .array(stubs)]) }

  @Test func whatTheParserTakesTheSchemaTakes() throws {
    var random = RandomStubs(41)
    for number in 0..<300 {
      let stub = random.stub("stub \(number)").json
      try #require(mistakes(file([stub])) == nil, "\(stub.compact)")
      #expect(try validator.accepts(file([stub])), "\(stub.compact)")
    }
  }

  /// Members taken away, added, and of another type: both refuse, or both accept.
  @Test func aSpoiltFileIsRefusedByBothOrNeither() throws {
    var random = RandomStubs(42)
    var refused = 0
    for number in 0..<1_000 {
      let whole = random.stub("stub \(number)").json
      let spoilt = file([random.spoilt(whole)])
      let reason = mistakes(spoilt)
      if reason != nil { refused += 1 }
      #expect(try validator.accepts(spoilt) == (reason == nil), "\(reason ?? "accepted") \(spoilt.compact)")
    }
    #expect(refused > 250)
  }

  @Test(arguments: [
    #"{"patchbay": 1}"#, #"{"patchbay": 1, "stubs": null}"#, #"{"patchbay": 2}"#, #"{}"#, #"[]"#, #"null"#,
    #"{"patchbay": 1, "stubs": {}}"#, #"{"patchbay": 1, "stub": []}"#, #"{"patchbay": "1"}"#,
    #"{"patchbay": 1, "$schema": "stubs.schema.json", "stubs": []}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a"}]}"#, #"{"patchbay": 1, "stubs": [{"then": {"pass": {}}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"pass": null}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"pass": {}, "hold": "both"}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"sequence": []}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"sequence": [{"sequence": [{"pass": {}}]}]}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"fail": "nothing"}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"respond": {"body": "", "json": 1}}}]}"#,
    #"{"patchbay": 1, "stubs": [{"name": "a", "then": {"respond": {"delay": "5 parsecs"}}}]}"#,
  ])
  func wholeFiles(_ text: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(try validator.accepts(value) == (mistakes(value) == nil), "\(mistakes(value) ?? "accepted")")
  }
}

extension RandomStubs {
  /// The value with one place in it changed.
  fileprivate mutating func spoilt(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(var members) where !members.isEmpty && chance(0.8):
      let at = int(0...members.count - 1)
      // What stands below these is any JSON at all, or a name that nothing is known of.
      if ["json", "mergePatch", "pointer"].contains(members[at].name) { return value }
      switch int(0...5) {
      case 0: members.remove(at: at)
      case 1: members.append(.init("unknown", 1))
      default: members[at].value = spoilt(members[at].value)
      }
      return .object(members)
    case .array(var elements) where !elements.isEmpty && chance(0.8):
      let at = int(0...elements.count - 1)
      elements[at] = spoilt(elements[at])
      return .array(elements)
    default:
      return [.null, true, 3, -1, .number("2.5"), "x", [], [3], .members([:]), .members(["x": 1])]
        .randomElement(using: &generator) ?? .null
    }
  }
}
