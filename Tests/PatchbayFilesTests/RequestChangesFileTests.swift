import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// `pass.to` and `pass.request` in stub files.
@Suite(.bounded) struct RequestChangesFileTests {
  private func text(_ pass: String) -> String { "patchbay: 1\nstubs:\n- name: a\n  then:\n    pass: \(pass)\n" }

  private func mistakes(_ pass: String) -> [String] {
    do throws(FilesError) {
      _ = try StubFile.parse(text(pass), path: "s.yaml")
      return []
    } catch {
      return error.mistakes.map(\.description)
    }
  }

  @Test func everyKeyIsReadAndWrittenBack() throws {
    let pass = """

            to: "http://127.0.0.1:8080/mirror"
            request:
              method: PUT
              scheme: http
              host: a.example
              port: 8081
              path: /v2/{{request.path.1}}
              query: { page: null, debug: "1", tag: [a, b] }
              headers: { Authorization: "Bearer test", Cookie: null, X: [a, b] }
              json: { b: 1, a: [2] }
              mergePatch: { client: patchbay }
              replace: [ { find: foo, with: bar } ]
            delay: 2s
      """
    let stub = try #require(try StubFile.parse(text(pass), path: "s.yaml").stubs.first)
    let expected = PassChanges(
      to: "http://127.0.0.1:8080/mirror",
      request: RequestChanges(
        method: "PUT", scheme: "http", host: "a.example", port: 8081, path: "/v2/{{request.path.1}}",
        query: [.init("page", nil), .init("debug", ["1"]), .init("tag", ["a", "b"])],
        headers: [.init("Authorization", ["Bearer test"]), .init("Cookie", nil), .init("X", ["a", "b"])],
        body: .json(["b": 1, "a": [2]]), mergePatch: ["client": "patchbay"], replace: [.init(find: "foo", with: "bar")]),
      delay: .fixed(.seconds(2)))
    #expect(stub.then == .pass(expected))
    #expect(try Stub(json: stub.json) == stub)
    for body: CannedResponse.Body in [.text("x {{request.body}}"), .data(Data([0, 255])), .file("a.json")] {
      let other = Stub(name: "a", then: .pass(PassChanges(request: RequestChanges(body: body))))
      #expect(try Stub(json: other.json) == other)
    }
  }

  @Test(arguments: [
    ("{to: staging}", "s.yaml:5:16: `to` must be a URL such as http://127.0.0.1:8080"),
    ("{to: \"http://h/?a=1\"}", "s.yaml:5:16: `to` must be a URL"),
    ("{to: \"http://{{request.hots}}\"}", "s.yaml:5:24: `{{request.hots}}` is not known"),
    ("{request: {metod: PUT}}", "s.yaml:5:22: unknown key `metod` in `request`; did you mean `method`?"),
    ("{request: {method: \"A B\"}}", "s.yaml:5:30: `A B` is no name of a method"),
    ("{request: {query: [1]}}", "s.yaml:5:"),
    ("{request: {headers: {\"a b\": x}}}", "s.yaml:5:32: `a b` is no name of a header"),
    ("{request: {json: 1, body: x}}", "s.yaml:5:37: `request` has json and body; give one of them"),
    ("{request: {method: GET, json: {a: 1}}}", "s.yaml:5:41: a GET carries no body, so `json` has nothing to change"),
    ("{request: {scheme: ftp}}", "s.yaml:5:30: `scheme` must be http or https, not"),
    ("{request: {host: \"http://h\"}}", "s.yaml:5:28: `http://h` is no host"),
    ("{request: {port: 0}}", "s.yaml:5:28: `port` must be a whole number, 1 to 65535"),
    ("{request: {replace: {find: a}}}", "s.yaml:5:31: `replace` needs `find` and `with`"),
    ("{request: {base64: \"*\"}}", "s.yaml:5:30: this is not base64"),
    ("{request: {filler: 5kB}}", "s.yaml:5:22: unknown key `filler` in `request`"),
    ("{request: x}", "s.yaml:5:21: `request` must be a map"),
  ])
  func mistakesHaveTheirPlace(_ pass: String, _ start: String) {
    let found = mistakes(pass)
    #expect(found.count == 1 && found[0].hasPrefix(start), "\(found)")
  }

  @Test func theSchemaHasEachKey() throws {
    let schema = try JSONValue(parsing: Data(StubFile.jsonSchema.utf8))
    let request = schema["$defs"]?["request"]?["properties"]
    guard case .object(let members)? = request else { throw FilesError([]) }
    #expect(members.map(\.name).sorted() == StubSchema.Keys.request.sorted())
    guard case .object(let pass)? = schema["$defs"]?["pass"]?["properties"] else { throw FilesError([]) }
    #expect(pass.map(\.name).sorted() == StubSchema.Keys.pass.sorted())
  }
}
