import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// How much is made of a schema, and how far references are followed: both sides of each limit.
@Suite(.bounded) struct SchemaExampleTests {
  /// The value, and what is said of it.
  private func made(_ schema: JSONValue) -> (value: JSONValue?, notes: [String]) {
    var examples = SchemaExample(OpenAPIDocument(DocumentNode(JSONValue.members([:])), path: "-"))
    var notes = ImportNotes()
    let value = examples.value(of: OpenAPINode(node: DocumentNode(schema), file: 0), &notes)
    return (value, notes.listed.map(\.message))
  }

  private static let isCut = "the schema is larger than an example may be: what is made of it is cut here"

  /// An integer in so many objects.
  private func nested(_ depth: Int, _ object: (JSONValue) -> JSONValue) -> JSONValue {
    (0..<depth).reduce(["type": "integer"] as JSONValue) { inner, _ in object(inner) }
  }

  private func text(_ name: String, _ depth: Int, _ inner: String) -> String {
    String(repeating: "{\"\(name)\":", count: depth) + inner + String(repeating: "}", count: depth)
  }

  /// In the ninth object only what is required stands, and beyond the twentieth value nothing.
  @Test(arguments: [(7, 7, "0"), (8, 8, "0"), (9, 8, "{}"), (12, 8, "{}")])
  func whatIsOptionalEndsEarlier(_ depth: Int, _ shown: Int, _ inner: String) {
    let members = made(nested(depth) { .members(["properties": .members(["a": $0])]) })
    #expect(members.value?.compact == text("a", shown, inner) && members.notes.isEmpty)
    let others = made(nested(depth) { .members(["additionalProperties": $0]) })
    #expect(others.value?.compact == text("key", shown, inner) && others.notes.isEmpty)
  }

  @Test(arguments: [(18, 18, "0", false), (19, 19, "0", false), (20, 19, "{}", true), (25, 19, "{}", true)])
  func whatIsRequiredGoesDeeper(_ depth: Int, _ shown: Int, _ inner: String, _ isCut: Bool) {
    let all = made(nested(depth) { .members(["properties": .members(["a": $0]), "required": ["a"]]) })
    #expect(all.value?.compact == text("a", shown, inner) && all.notes == (isCut ? [Self.isCut] : []))
  }

  @Test(arguments: [(4_998, false), (4_999, true), (6_000, true)])
  func aBodyIsMadeOfSoManyValues(_ count: Int, _ isCut: Bool) {
    let members = (0..<count).map { JSONValue.Member("p\($0)", .members(["const": 1])) }
    let all = made(.members(["properties": .object(members)]))
    guard case .object(let found)? = all.value else {
      Issue.record("no object")
      return
    }
    #expect(found.count == 4_998 && found.last?.name == "p4997" && all.notes == (isCut ? [Self.isCut] : []))
  }

  /// An item that is large comes less often than is asked for.
  @Test(arguments: [(10, 10), (7_996, 4), (50_000, 1)]) func largeItemsAreFew(_ length: Int, _ count: Int) {
    let item = JSONValue.members(["example": .string(String(repeating: "x", count: length))])
    guard case .array(let items)? = made(.members(["type": "array", "minItems": 10, "items": item])).value else {
      Issue.record("no list")
      return
    }
    #expect(items.count == count)
  }

  @Test(arguments: [(999, 999), (1_000, 1_000), (1_001, 1_000)]) func aTextIsSoLong(_ least: Int, _ count: Int) {
    let schema = JSONValue.members(["type": "string", "minLength": .number("\(least)")])
    #expect(made(schema).value?.text?.count == count)
  }

  @Test(arguments: [(1_000, true), (1_001, false)]) func aLongPatternIsNotLookedAt(_ length: Int, _ isRead: Bool) {
    let pattern = "^(?:abc|" + String(repeating: "z", count: length - 10) + ")$"
    let all = made(.members(["type": "string", "pattern": .string(pattern)]))
    #expect(all.value?.text == (isRead ? "abc" : "string"))
    #expect(all.notes == (isRead ? [] : ["the pattern is not looked at: the text may not fit it"]))
  }

  @Test(arguments: [(28, true), (29, false)]) func aChainOfReferencesIsFollowed(_ last: Int, _ isFollowed: Bool) {
    var members = (0..<last).map { JSONValue.Member("S\($0)", .members(["$ref": .string("#/S\($0 + 1)")])) }
    members.append(.init("S\(last)", .members(["const": 5])))
    let document = OpenAPIDocument(DocumentNode(JSONValue.object(members)), path: "-")
    let start = OpenAPINode(node: DocumentNode(JSONValue.members(["$ref": "#/S0"])), file: 0)
    do throws(StubError) {
      let found = try document.resolved(start)
      #expect(isFollowed && found["const"] != nil)
    } catch {
      #expect(!isFollowed && error.message == "a `$ref` refers to itself")
    }
  }
}
