import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// What is said of stubs with several mistakes, where it is said, and what is taken from a peer.
@Suite(.bounded) struct SchemaPartsTests {
  private func mistakes(_ then: String, when: String = "{}") throws -> [String] {
    let text = "{\"patchbay\":1,\"stubs\":[{\"name\":\"a\",\"when\":\(when),\"then\":\(then)}]}"
    return StubSchema.document(try DocumentNode(parsingJSON: Array(text.utf8))).mistakes.map(\.message)
  }

  /// A stub with this body, which begins in the line and column of the text.
  private func mistakes(ofBody body: String, line: Int, column: Int, in text: String) -> [String] {
    let node = DocumentNode(.scalar(body, .text), at: SourcePosition(line: line, column: column))
    let response = DocumentNode(.map([DocumentNode.Entry("body", value: node)]))
    let then = DocumentNode(.map([DocumentNode.Entry("respond", value: response)]))
    let name = DocumentNode(.scalar("a", .text))
    let stub = DocumentNode(.map([DocumentNode.Entry("name", value: name), DocumentNode.Entry("then", value: then)]))
    let version = DocumentNode(.scalar("1", .number))
    let file = DocumentNode(
      .map([
        DocumentNode.Entry("patchbay", value: version), DocumentNode.Entry("stubs", value: DocumentNode(.list([stub]))),
      ]))
    return StubSchema.document(file, source: text).mistakes.map(\.description)
  }

  // MARK: Places

  @Test func bracesAreFoundInTheTextOfTheFile() {
    func found(_ body: String, _ line: Int, _ text: String) -> [String] {
      mistakes(ofBody: body, line: line, column: 7, in: text)
    }
    #expect(found("{{b}}", 1, "body: \"{{b}}\"").map { $0.prefix(12) } == ["1:7: `{{b}}`"])
    #expect(found("x{{b}}", 1, "body: \"x{{b}}\"").map { $0.prefix(12) } == ["1:9: `{{b}}`"])
    #expect(found("x {{", 1, "body: x {{").map { $0.prefix(9) } == ["1:9: `{{`"])
    // In a line behind the first one, from its beginning.
    #expect(found("a\n{{b}}", 2, "-\nbody: |\n  a\n{{b}}\n").map { $0.prefix(12) } == ["4:1: `{{b}}`"])
    // Pairs that follow each other.
    let pairs = found("{{{{a}} {{b}}", 1, "body: \"{{{{a}} {{b}}\"")
    #expect(pairs.map { $0.prefix(13) } == ["1:7: `{{{{a}}", "1:16: `{{b}}`"])
  }

  /// An empty line is a line, whatever ends it.
  @Test func emptyLinesCount() {
    for end in ["\n", "\r\n"] {
      let text = end + end + "body: \"x{{b}}\"" + end
      let found = mistakes(ofBody: "x{{b}}", line: 3, column: 7, in: text)
      #expect(found.map { $0.prefix(12) } == ["3:9: `{{b}}`"])
    }
  }

  /// Braces that are escaped in the file are not found in it, so the place is that of the whole text.
  @Test func escapedBracesHaveThePlaceOfTheirText() {
    let text = #"body: "\u007b{b}}""# + "\nheaders: {\n}"
    #expect(mistakes(ofBody: "{{b}}", line: 1, column: 7, in: text).map { $0.prefix(12) } == ["1:7: `{{b}}`"])
  }

  // MARK: Several mistakes

  /// Of several bodies the first is looked into.
  @Test func ofSeveralBodiesTheFirstIsRead() throws {
    let bodies = #""json":{"a":"{{nope}}"},"body":"x""#
    for (then, what) in [
      (#"{"respond":{\#(bodies)}}"#, "respond"), (#"{"pass":{"request":{\#(bodies)}}}"#, "request"),
    ] {
      let found = try mistakes(then)
      #expect(found.count == 2 && found.contains("`\(what)` has json and body; give one of them"), "\(found)")
      #expect(found.contains { $0.hasPrefix("`{{nope}}` is not known") })
    }
    let get = try mistakes(#"{"pass":{"request":{"method":"GET","json":1,"body":"x"}}}"#)
    #expect(get.contains("a GET carries no body, so `json` has nothing to change"), "\(get)")
  }

  @Test func aColonIsNotInAMethod() throws {
    #expect(try mistakes(#"{"pass":{"request":{"method":"a:b"}}}"#) == ["`a:b` is no name of a method"])
  }

  /// Where the expression cannot be used, nobody knows which groups it has.
  @Test func groupsOfAWrongExpressionAreNoSecondMistake() throws {
    for name in ["1", "name"] {
      let found = try mistakes(#"{"respond":{"body":"{{match.\#(name)}}"}}"#, when: #"{"path":{"matches":"("}}"#)
      #expect(found.count == 1 && found[0].hasPrefix("the regular expression cannot be used"), "\(found)")
    }
  }

  @Test func allMistakesOfAStubAreOneError() throws {
    let json = try JSONValue(parsing: #"{"name":"a","skip":-1,"seed":-2,"then":{"hold":"x"}}"#)
    let error = #expect(throws: StubError.self) { try Stub(json: json) }
    let sentences = [
      "`hold` must be request, response or both, not the text `x`",
      "`skip` must be a whole number, 0 or more, not the number -1",
      "`seed` must be a whole number, 0 or more, not the number -2",
    ]
    #expect(error?.message == sentences.joined(separator: "\n") && error?.position == nil)
  }

  @Test func longTextsAreSaidShortened() {
    func summary(_ count: Int) -> String {
      DocumentNode(.scalar(String(repeating: "x", count: count), .text)).summary
    }
    #expect(summary(40) == "the text `\(String(repeating: "x", count: 40))`")
    #expect(summary(41) == "the text `\(String(repeating: "x", count: 39))…`")
  }

  // MARK: What is read

  /// What a peer says is taken, zeros too.
  @Test func zerosOfAPeerAreTaken() throws {
    let response = try CannedResponse(json: JSONValue(parsing: #"{"status":0}"#), checked: false)
    #expect(response.status == 0)
    let action = try Action(
      json: JSONValue(parsing: #"{"pass":{"status":0,"request":{"port":0}}}"#), checked: false)
    #expect(action == .pass(PassChanges(request: RequestChanges(port: 0), status: 0)))
  }

  @Test func anActionMayBeASequence() throws {
    let json = try JSONValue(parsing: #"{"sequence":[{"hold":"both"},{"hold":"request"}]}"#)
    #expect(try Action(json: json) == .sequence([.hold(.both), .hold(.request)], afterwards: .last))
  }
}
