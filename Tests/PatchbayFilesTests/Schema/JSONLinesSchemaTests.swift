import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite("Lines of JSON against their schema", .bounded)
struct JSONLinesSchemaTests {
  @Test("every line is as the schema says, and has no member that it does not name")
  func lines() throws {
    let schema = try JSONValue(parsing: JSONLines.jsonSchema)
    let validator = SchemaValidator(root: schema)
    let named = Set(JSONLines.members.map(\.name))
    var observed = HARSchemaTests.exchanges[0]
    observed.outcome = nil
    observed.phase = .ended
    for exchange in HARSchemaTests.exchanges + [observed] {
      let line = JSONLines.value(exchange)
      #expect(try validator.accepts(line), "\(line.compact)")
      guard case .object(let members) = line else {
        Issue.record("no object")
        return
      }
      #expect(named.isSuperset(of: members.map(\.name)))
    }
    #expect(schema["type"] == "object" && schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
  }

  @Test("what is no line is refused", arguments: ["status", "by", "requestHeaders", "outcome", "responseBody"])
  func refused(_ name: String) throws {
    let validator = SchemaValidator(root: try JSONValue(parsing: JSONLines.jsonSchema))
    guard case .object(var members) = JSONLines.value(HARSchemaTests.exchanges[0]),
      let index = members.firstIndex(where: { $0.name == name })
    else {
      Issue.record("no such member")
      return
    }
    members[index] = .init(name, .bool(true))
    #expect(try !validator.accepts(.object(members)))
    members.remove(at: index)
    #expect(try !validator.accepts(.object(members)), "without it")
  }
}
