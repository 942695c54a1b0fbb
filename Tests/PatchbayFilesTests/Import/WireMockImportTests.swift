import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct WireMockImportTests {
  private func mapping(_ request: String, _ response: String = #"{"status": 200}"#) throws -> ImportedDocument {
    try ImportedDocument("{\"request\": \(request), \"response\": \(response)}")
  }

  @Test func aURLIsPathAndQueryOfWhateverHost() throws {
    let plain = try mapping(#"{"method": "GET", "url": "/some/thing"}"#)
    #expect(plain.answering("GET", "https://api.example.com/some/thing") != nil)
    #expect(plain.answering("POST", "https://api.example.com/some/thing") == nil)
    #expect(plain.answering("GET", "https://api.example.com/some/thing?x=1") == nil)
    #expect(plain.answering("GET", "https://api.example.com/v1/some/thing") == nil)
    let queried = try mapping(#"{"url": "/some/thing?a=1&b=2"}"#)
    #expect(queried.answering("DELETE", "http://h/some/thing?a=1&b=2") != nil)
    #expect(queried.answering("DELETE", "http://h/some/thing?a=1") == nil)
    let starred = try mapping(#"{"url": "/a*b"}"#)
    #expect(starred.answering("GET", "http://h/a*b") != nil)
    #expect(starred.answering("GET", "http://h/axb") == nil)
    let expression = try mapping(#"{"urlPattern": "/your/([a-z]*)\\?and=query"}"#)
    #expect(expression.answering("GET", "http://h/your/url?and=query") != nil)
    #expect(expression.answering("GET", "http://h/your/url?and=query2") == nil)
    #expect(try mapping(#"{"urlPathPattern": "/your/[a-z]+"}"#).answering("GET", "http://h/your/url?x=1") != nil)
    #expect(try mapping(#"{"urlPathPattern": "/your/[a-z]+"}"#).answering("GET", "http://h/your/url/1") == nil)
  }

  @Test func pathTemplatesStandForOneSegment() throws {
    let read = try mapping(
      #"{"urlPathTemplate": "/contacts/{c}/addresses/{a}", "pathParameters": {"c": {"equalTo": "12"}, "a": {"matches": "[0-9]+"}}}"#
    )
    #expect(read.answering("GET", "http://h/contacts/12/addresses/9") != nil)
    #expect(read.answering("GET", "http://h/contacts/13/addresses/9") == nil)
    #expect(read.answering("GET", "http://h/contacts/12/addresses/x") == nil)
    #expect(read.answering("GET", "http://h/contacts/12/addresses/9/more") == nil)
  }

  @Test func headersQueryCookiesAndForms() throws {
    let read = try mapping(
      """
      {"urlPath": "/x", "headers": {"Accept": {"contains": "xml"}, "X-Gone": {"absent": true},
       "X-Name": {"equalTo": "ANN", "caseInsensitive": true}},
       "queryParameters": {"q": {"equalTo": "a b"}, "n": {"matches": "[0-9]+"}},
       "cookies": {"session": {"matches": ".*12.*"}}, "basicAuth": {"username": "u", "password": "p"}}
      """)
    func fields(_ changes: [String: String?] = [:]) -> [HeaderField] {
      var all = [
        "Accept": "text/xml", "X-Name": "ann", "Cookie": "a=b; session=x12y", "Authorization": "Basic dTpw",
      ]
      for (name, value) in changes { all[name] = value }
      return all.map { HeaderField($0.key, $0.value) }
    }
    let url = "http://h/x?q=a%20b&n=7"
    #expect(read.answering("GET", url, fields()) != nil)
    #expect(read.answering("GET", url, fields(["Accept": "text/json"])) == nil)
    #expect(read.answering("GET", url, fields(["X-Gone": "1"])) == nil)
    #expect(read.answering("GET", url, fields(["X-Name": "bob"])) == nil)
    #expect(read.answering("GET", url, fields(["Cookie": "a=12; session=x"])) == nil)
    #expect(read.answering("GET", url, fields(["Authorization": "Basic dTpx"])) == nil)
    #expect(read.answering("GET", "http://h/x?q=a%20b&n=x", fields()) == nil)
    let form = try mapping(#"{"urlPath": "/f", "formParameters": {"tool": {"equalTo": "WireMock"}}}"#)
    #expect(form.answering("POST", "http://h/f", body: "a=1&tool=WireMock") != nil)
    #expect(form.answering("POST", "http://h/f", body: "tool=other") == nil)
  }

  @Test(arguments: [
    (#"{"equalTo": "a"}"#, "a", "ab"), (#"{"contains": "ell"}"#, "hello", "world"),
    (#"{"matches": "[a-z]+"}"#, "abc", "abc1"),
    (#"{"equalToJson": {"a": 1, "b": [2]}, "ignoreExtraElements": true}"#, #"{"b":[2],"a":1,"c":3}"#, #"{"a":1}"#),
    (#"{"equalToJson": "{\"a\": \"${json-unit.any-string}\", \"b\": 2}"}"#, #"{"a":"x","b":2}"#, #"{"a":"x","b":3}"#),
    (#"{"matchesJsonPath": "$.name"}"#, #"{"name":"x"}"#, #"{"other":"x"}"#),
    (
      #"{"matchesJsonPath": "$.things[?(@.name == 'x')]"}"#, #"{"things":[{"name":"y"},{"name":"x"}]}"#,
      #"{"things":[]}"#
    ),
    (
      #"{"matchesJsonPath": {"expression": "$.outer.inner", "equalToJson": "{\"a\":1}"}}"#,
      #"{"outer":{"inner":{"a":1}}}"#, #"{"outer":{"inner":{"a":2}}}"#
    ),
    (
      #"{"matchesJsonPath": {"expression": "$['todo item'].id", "equalTo": "seven"}}"#,
      #"{"todo item":{"id":"seven"}}"#, "{}"
    ),
    (#"{"binaryEqualTo": "YWJj"}"#, "abc", "abd"),
    (#"{"equalToJson": {"a": 1, "b": [2, 3]}}"#, #"{"b":[2,3],"a":1}"#, #"{"a":1,"b":[2,3],"c":4}"#),
    (#"{"equalToJson": {"b": [2, 3]}}"#, #"{"b": [2, 3]}"#, #"{"b":[3,2]}"#),
    (#"{"equalToJson": {"b": [2, 3]}, "ignoreArrayOrder": true}"#, #"{"b":[3,2]}"#, #"{"b":[3]}"#),
  ])
  func bodies(_ matcher: String, _ fits: String, _ fitsNot: String) throws {
    let read = try mapping("{\"urlPath\": \"/b\", \"bodyPatterns\": [\(matcher)]}")
    #expect(read.answering("POST", "http://h/b", body: fits) != nil)
    #expect(read.answering("POST", "http://h/b", body: fitsNot) == nil)
  }

  @Test func whateverIsThereFitsAnything() throws {
    let read = try mapping(
      #"{"urlPath": "/a", "queryParameters": {"q": {"anything": "(always)"}}, "bodyPatterns": [{"anything": "any"}]}"#)
    #expect(read.answering("GET", "http://h/a?q=1") != nil)
    #expect(read.answering("GET", "http://h/a") == nil)
    #expect(read.notes.isEmpty)
  }

  /// WireMock compares the whole body, unless the mapping says otherwise: only then something is said.
  @Test func wholeBodiesAreCompared() throws {
    func notes(_ options: String) throws -> [String] {
      try mapping(#"{"bodyPatterns": [{"equalToJson": {"b": [2, 3]}\#(options)}]}"#).notes
    }
    #expect(try notes("").isEmpty)
    #expect(try notes(#", "ignoreArrayOrder": true, "ignoreExtraElements": true"#).isEmpty)
    #expect(try notes(#", "ignoreArrayOrder": true"#).map { $0.contains("more members") } == [true])
    #expect(try notes(#", "ignoreExtraElements": true"#).map { $0.contains("another order") } == [true])
  }

  @Test func answers() throws {
    let read = try mapping(
      #"{"url": "/a"}"#,
      """
      {"status": 201, "headers": {"Content-Type": "text/plain", "Set-Cookie": ["a=1", "b=2"]}, "body": "{{literal}}",
       "fixedDelayMilliseconds": 20, "chunkedDribbleDelay": {"numberOfChunks": 5, "totalDuration": 1000}}
      """)
    let answer = try #require(read.answer("GET", "http://h/a"))
    #expect(answer.status == 201)
    #expect(answer.headers.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1", "b=2"])
    #expect(answer.body == .text(Template.quoting("{{literal}}")))
    #expect(answer.delay == .fixed(.milliseconds(20)))
    #expect(answer.pace == .dribble(pieces: 5, over: .seconds(1)))
    let faulty = try mapping(#"{"url": "/a"}"#, #"{"fault": "CONNECTION_RESET_BY_PEER"}"#)
    #expect(faulty.stubs.first?.then == .fail(Fault(.named("connectionReset"))))
    let uniform = try mapping(
      #"{"url": "/a"}"#, #"{"delayDistribution": {"type": "uniform", "lower": 15, "upper": 25}}"#)
    #expect(uniform.answer("GET", "http://h/a")?.delay == .random(from: .milliseconds(15), to: .milliseconds(25)))
    #expect(try mapping(#"{"url": "/a"}"#, #"{"status": 99999}"#).says("the status 10000"))
    let none = try mapping(#"{"url": "/a"}"#, #"{"fixedDelayMilliseconds": 0}"#)
    #expect(none.stubs.count == 1 && none.answer("GET", "http://h/a")?.delay == nil)
  }

  @Test func templatesAreSaidInOurWordsWhereTheMappingAsksForThem() throws {
    let read = try mapping(
      #"{"urlPathTemplate": "/users/{id}"}"#,
      """
      {"transformers": ["response-template"], "jsonBody": {"id": "{{request.path.id}}", "q": "{{request.query.q.[0]}}",
       "all": "{{request.body}}", "x": "{{jsonPath request.body '$.a.b'}}", "no": "{{capitalize request.query.q}}"}}
      """)
    guard case .json(let json)? = read.answer("GET", "http://h/users/7")?.body else {
      Issue.record("no JSON")
      return
    }
    #expect(json["id"]?.text == "{{request.path.1}}")
    #expect(json["q"]?.text == "{{request.query.q}}")
    #expect(json["x"]?.text == "{{request.json./a/b}}")
    #expect(json["no"]?.text == Template.quoting("{{capitalize request.query.q}}"))
    #expect(read.says("{{capitalize request.query.q}} cannot be said here"))
  }

  @Test func theLastAddedWinsUnlessAPriorityIsLower() throws {
    let read = try ImportedDocument(
      """
      {"mappings": [
        {"name": "first", "request": {"urlPath": "/a"}, "response": {}},
        {"name": "second", "request": {"urlPath": "/a"}, "response": {}},
        {"name": "urgent", "priority": 1, "request": {"urlPath": "/b"}, "response": {}},
        {"name": "rest", "priority": 10, "request": {"method": "ANY"}, "response": {"status": 404}},
        {"name": "later", "request": {"urlPath": "/b"}, "response": {}}]}
      """)
    #expect(read.stubs.map(\.name) == ["urgent", "later", "second", "first", "rest"])
  }

  /// What is beyond a million is a million, and without one it is 5; of the same the later one comes first.
  @Test func prioritiesAreComparedUpToAMillion() throws {
    let priorities: [(String, Int?)] = [
      ("d", -999_999), ("e", -1_000_000), ("f", -1_000_001), ("h", 5), ("g", nil), ("a", 999_999), ("b", 1_000_000),
      ("c", 1_000_001),
    ]
    let mappings = priorities.map { name, priority in
      let key = priority.map { "\"priority\": \($0), " } ?? ""
      return "{\"name\": \"\(name)\", \(key)\"request\": {\"urlPath\": \"/\(name)\"}, \"response\": {}}"
    }
    let read = try ImportedDocument("{\"mappings\": [\(mappings.joined(separator: ", "))]}")
    #expect(read.stubs.map(\.name) == ["f", "e", "d", "g", "h", "a", "c", "b"])
  }

  @Test func bodiesLieInFilesBesideTheMappingsAndNowhereElse() throws {
    let folder = try TemporaryFolder()
    for name in ["mappings/sub", "__files"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    func add(_ name: String, _ file: String) throws {
      try folder.write(
        "mappings/\(name).json",
        "{\"request\": {\"url\": \"/\(name)\"}, \"response\": {\"bodyFileName\": \"\(file)\"}}")
    }
    try folder.write("secret.txt", "secret")
    try folder.write("__files/plain.txt", "a {{brace}}")
    try folder.write("__files/data.json", #"{"a": 1}"#)
    try folder.write("__files/large.txt", String(repeating: "x", count: 100_000))
    symlink(folder.file("secret.txt"), folder.file("__files/link.txt"))
    for (name, file) in [
      ("text", "plain.txt"), ("json", "data.json"), ("large", "large.txt"), ("outside", "../secret.txt"),
      ("link", "link.txt"), ("missing", "none.txt"),
    ] { try add(name, file) }
    try folder.write("mappings/readme.md", "no mapping")
    let read = try ImportedDocument(paths: [folder.path], output: folder.file("stubs.yaml"))
    #expect(read.stubs.count == 6)
    #expect(read.answer("GET", "http://h/text")?.body == .text(Template.quoting("a {{brace}}")))
    #expect(read.answer("GET", "http://h/json")?.body == .json(["a": 1]))
    #expect(read.answer("GET", "http://h/large")?.body == .file("__files/large.txt"))
    for name in ["outside", "link", "missing"] {
      #expect(read.answer("GET", "http://h/\(name)")?.body == CannedResponse.Body.none)
    }
    #expect(!read.text.contains("secret\n"))
    #expect(read.says("`../secret.txt` lies outside `__files`"))
    #expect(read.says("`link.txt` lies outside `__files`"))
    #expect(read.says("`none.txt` is not in `__files`"))
    #expect(read.says("2 other files were passed over (readme.md, secret.txt)"))
    let alone = try ImportedDocument(paths: [folder.file("mappings/large.json")])
    #expect(
      alone.answer("GET", "http://h/large")?.body
        == .file(URL(fileURLWithPath: folder.file("__files/large.txt")).resolvingSymlinksInPath().path))
  }

  @Test func aTemplatedFileNameStaysOne() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("__files/users"), withIntermediateDirectories: true)
    let mapping = try folder.write(
      "mapping.json",
      """
      {"request": {"urlPathTemplate": "/users/{id}"}, "response": {"transformers": ["response-template"],
       "bodyFileName": "users/{{request.path.id}}-{{request.query.v}}.json"}}
      """)
    let read = try ImportedDocument(paths: [mapping], output: folder.file("stubs.yaml"))
    #expect(
      read.answer("GET", "http://h/users/7")?.body
        == .file("__files/users/{{request.path.1}}-{{request.query.v}}.json"))
    #expect(read.says("stand as text"))
    let strange = try folder.write(
      "strange.json",
      #"{"request": {}, "response": {"transformers": ["response-template"], "bodyFileName": "{{pickRandom 'a'}}"}}"#)
    #expect(try ImportedDocument(paths: [strange]).says("cannot be said here"))
  }

  @Test func whatCannotBeSaidIsNamedWithItsPlace() throws {
    #expect(try mapping("{}", #"{"body": {"data": "x"}}"#).says("`body` is no text"))
    let added = try mapping(
      "{}", #"{"proxyBaseUrl": "http://h", "additionalProxyRequestHeaders": {"X": "{{strange}}"}}"#)
    #expect(added.stubs.count == 1)
    let read = try ImportedDocument(
      """
      {"request": {"urlPath": "/a",
        "bodyPatterns": [{"matchesXPath": "//a"}]},
       "response": {"statusMessage": "Fine", "transformers": ["mine"]},
       "postServeActions": [{"name": "webhook"}]}
      """)
    #expect(read.notes.contains { $0.contains("document.json:2:21: the condition `matchesXPath` cannot be said") })
    #expect(read.notes.contains { $0.contains(":3:") && $0.contains("`statusMessage`") })
    #expect(read.notes.contains { $0.contains(":3:") && $0.contains("the transformer `mine`") })
    #expect(read.notes.contains { $0.contains(":4:") && $0.contains("`postServeActions`") })
    #expect(read.stubs.first?.enabled == true)
    let two = try ImportedDocument(
      """
      {"mappings": [{"name": "xml", "request": {"urlPath": "/a", "bodyPatterns": [{"equalToXml": "<a/>"}]}, "response": {}},
       {"name": "plain", "request": {"urlPath": "/a"}, "response": {}}]}
      """)
    #expect(two["xml"]?.enabled == false)
    #expect(two.answering("GET", "http://h/a") == "plain")
    #expect(two.says("the stub `xml` is off"))
  }
}
