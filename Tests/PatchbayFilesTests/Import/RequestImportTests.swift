import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Postman collections and cURL commands.
@Suite(.bounded) struct RequestImportTests {
  @Test func savedAnswersOfACollection() throws {
    let read = try ImportedDocument(
      """
      {"info": {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "variable": [{"key": "base", "value": "https://{{host}}/v1"}, {"key": "host", "value": "api.example.com"}],
       "item": [{"name": "Users", "item": [
        {"name": "One", "event": [{"listen": "test"}], "request": {"method": "GET", "url": {"raw": "{{base}}/users/:id?full=1",
          "query": [{"key": "full", "value": "1"}, {"key": "off", "value": "1", "disabled": true}]}},
         "response": [
          {"name": "missing", "code": 404, "body": "no"},
          {"name": "fine", "code": 200, "header": [{"key": "Content-Type", "value": "application/json"},
            {"key": "Content-Length", "value": "9"}], "body": "{\\"n\\": \\"{{unknown}}\\"}"}]},
        {"name": "New", "request": {"method": "POST", "url": "{{base}}/users", "body": {"mode": "raw", "raw": "{}"}}},
        {"name": "Graph", "request": {"method": "POST", "url": "{{elsewhere}}/graphql?user="},
         "response": [{"code": 200, "body": "g"}]}]}]}
      """)
    #expect(
      read.stubs.map { "\($0.enabled ? "+" : "-") \($0.name)" } == [
        "- Users / One: missing", "+ Users / One: fine", "- Users / New", "+ Users / Graph",
      ])
    #expect(read.answering("GET", "https://api.example.com/v1/users/7?full=1") == "Users / One: fine")
    #expect(read.answering("GET", "https://api.example.com/v1/users/7") == nil)
    #expect(read.answering("POST", "https://any.host/v9/graphql?user=ann") == "Users / Graph")
    let answer = read.answer("GET", "https://api.example.com/v1/users/7?full=1")
    #expect(answer?.body == .json(.members(["n": .string(Template.quoting("{{unknown}}"))])))
    #expect(answer?.headers == [HeaderField("Content-Type", "application/json")])
    for text in [
      "scripts are not carried over", "`Content-Length` is left out", "the variable {{unknown}}", "has no saved answer",
      "the body of a request is no condition",
    ] { #expect(read.says(text)) }
  }

  @Test func whatIsEscapedInAQueryIsReadAsTheRequestHasIt() throws {
    let read = try ImportedDocument(
      """
      {"info": {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "item": [{"name": "One", "request": {"method": "GET", "url": "https://a.example/u?phone=%2B49+1&q=a%20{{x}}"},
         "response": [{"code": 200, "body": "ok"}]}]}
      """)
    #expect(read.answering("GET", "https://a.example/u?phone=%2B49%201&q=a%20b") == "One")
    #expect(read.answering("GET", "https://a.example/u?phone=%2B49+1&q=a+b") == "One")
    #expect(read.answering("GET", "https://a.example/u?phone=+49+1&q=a+b") == nil)
  }

  /// What is not known of an address is anything; a host is none with a colon.
  @Test(
    arguments: [
      ("{{host}}:{{port}}/x", "api.example.com", nil), ("{{host}}:8080/x", "api.example.com", 8080),
      ("{{elsewhere}}:{{port}}/x", nil, nil), ("https://{{sub}}.example.com:{{port}}/x", "*.example.com", nil),
      ("http://[::1]:{{port}}/x", "[::1]", nil),
    ] as [(String, String?, Int?)])
  func aPortThatIsNotKnownIsNotPartOfTheHost(_ url: String, _ host: String?, _ port: Int?) throws {
    let document = try ImportedDocument(
      """
      {"info": {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "variable": [{"key": "host", "value": "api.example.com"}],
       "item": [{"name": "One", "request": {"method": "GET", "url": "\(url)"}, "response": [{"code": 200, "body": "x"}]}]}
      """)
    let stub = try #require(document.stubs.first)
    #expect(stub.when.host == host.map { .glob($0) } && stub.when.port == port, "\(stub.when)")
    let at = host?.replacingOccurrences(of: "*", with: "eu") ?? "anywhere"
    #expect(document.answering("GET", "http://\(at):\(port ?? 81)/x") == stub.name)
  }

  private func variables(_ name: String, _ value: String) -> PostmanVariables {
    PostmanVariables(DocumentNode(JSONValue.array([.members(["key": .string(name), "value": .string(value)])])))
  }

  @Test(arguments: [(2_000, true), (2_001, false)])
  func textsOfTooManyBracesHaveNoVariables(_ count: Int, _ isFilled: Bool) {
    let text = String(repeating: "{{n}}", count: count)
    var unknown: [String] = []
    let template = variables("n", "7").template(text, &unknown)
    #expect(template == (isFilled ? String(repeating: "7", count: count) : Template.quoting(text)))
    #expect(unknown.isEmpty)
  }

  /// A text grows by 16 KiB at most.
  @Test(arguments: [(16_389, true), (16_390, false)]) func aLargeVariableIsNotFilledIn(_ size: Int, _ isFilled: Bool) {
    let value = String(repeating: "x", count: size)
    #expect(variables("v", value).filled("{{v}}") == (isFilled ? value : "{{v}}"))
  }

  @Test(arguments: [(79, true), (80, false)]) func aLongNameIsNoVariable(_ length: Int, _ isTold: Bool) {
    let name = String(repeating: "a", count: length)
    var unknown: [String] = []
    let template = variables("n", "7").template("{{\(name)}}", &unknown)
    #expect(template == Template.quoting("{{\(name)}}") && unknown == (isTold ? [name] : []))
  }

  /// A request whose answers are more than a collection may make is left out as a whole.
  @Test(arguments: [(20_000, 20_000), (20_001, 0)])
  func ofManySavedAnswersTwentyThousandAreTaken(_ count: Int, _ made: Int) {
    let nothing = DocumentNode(.map([]))
    let item = DocumentNode(
      .map([
        .init("name", value: DocumentNode(.scalar("a", .text))),
        .init("request", value: DocumentNode(.scalar("http://h.example/", .text))),
        .init("response", value: DocumentNode(.list([DocumentNode](repeating: nothing, count: count)))),
      ]))
    let root = DocumentNode(.map([.init("info", value: nothing), .init("item", value: DocumentNode(.list([item])))]))
    var notes = ImportNotes()
    var importer = PostmanImport(root, path: "p")
    let drafts = importer.drafts(&notes)
    #expect(drafts.count == made)
    let told = notes.listed.map(\.message)
    #expect(told == (made > 0 ? [] : ["more than 20000 stubs: the requests from here on are left out"]), "\(told)")
  }

  @Test(arguments: [
    (#"{"info": {}, "requests": [], "order": []}"#, "version 1"),
    (#"{"_postman_variable_scope": "environment", "values": []}"#, "an environment"),
  ])
  func otherFilesOfPostmanAreRefused(_ text: String, _ reason: String) {
    let error = #expect(throws: FilesError.self) { try ImportedDocument(text) }
    #expect(error?.description.contains(reason) == true)
  }

  @Test(arguments: [
    ("curl https://h.example/a?b=1", "GET", "https://h.example/a?b=1", nil),
    (
      "$ curl -sS -XPUT 'https://h.example/a b' \\\n  --data-raw '{\"a\": [1]}'", "PUT", "https://h.example/a%20b",
      #"{"a":[1],"c":2}"#
    ),
    ("curl -d a=1 -d 'b=x+y' h.example/form", "POST", "http://h.example/form", "b=x%20y&a=1"),
    ("curl -G -d q=1 --data-urlencode 'r=a b' https://h.example/s", "GET", "https://h.example/s?q=1&r=a%20b", nil),
    ("curl -I https://h.example/", "HEAD", "https://h.example", nil),
    (#"curl $'https://h.example/\u0061' -d $'it\'s'"#, "POST", "https://h.example/a", "it's"),
    ("curl.exe ^\n -d plain https://h.example/w", "POST", "https://h.example/w", "plain"),
    (
      #"curl https://h.example/g --json '{"query":"query Get { a }"}'"#, "POST", "https://h.example/g",
      #"{"query":"query Get { b }"}"#
    ),
  ])
  func commands(_ command: String, _ method: String, _ url: String, _ body: String?) throws {
    guard !command.contains("--json") || StubSchema.Keys.body.contains("graphql") else { return }
    let read = try ImportedDocument("# a comment\n" + command, name: "requests.sh")
    #expect(read.answer(method, url, body: body)?.status == 200)
    #expect(read.answering(method, url + "x", body: body) == nil)
    if let body { #expect(read.answering(method, url, body: "no" + body) == nil) }
    #expect(read.says("a command tells no answer"))
  }

  @Test func headersOfCommands() throws {
    let read = try ImportedDocument(paths: [
      "curl -H 'Authorization: Bearer abc' -H 'X-Version: 2' -H 'accept: */*' -b c=d -F name=x -F 'f=@a.png' https://h.example/"
    ])
    let fields = [
      HeaderField("Authorization", "Bearer other"), HeaderField("X-Version", "2"),
      HeaderField("Content-Type", "multipart/form-data; boundary=b"),
    ]
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\ny\r\n--b--\r\n"
    #expect(read.answering("POST", "https://h.example/", fields, body: body) != nil)
    #expect(read.answering("POST", "https://h.example/", [fields[0], fields[2]], body: body) == nil)
    #expect(read.says("such as `accept`"))
    #expect(read.says("`-b` is no condition"))
  }

  /// `--form-string` takes its value as it is; with `-F` an `@` names a file, whose contents are no condition.
  @Test(arguments: [("--form-string", false), ("-F", true), ("--form", true)])
  func aPartThatIsAFile(_ option: String, _ isFile: Bool) throws {
    let read = try ImportedDocument(paths: ["curl \(option) 'to=@hana' https://h.example/"])
    let fields = [HeaderField("Content-Type", "multipart/form-data; boundary=b")]
    func fits(_ value: String) -> Bool {
      let body = "--b\r\nContent-Disposition: form-data; name=\"to\"\r\n\r\n\(value)\r\n--b--\r\n"
      return read.answering("POST", "https://h.example/", fields, body: body) != nil
    }
    #expect(fits("@hana") && fits("other") == isFile)
  }

  @Test(arguments: [
    "#!/bin/sh\necho hello\ncurl http://h/a\n", "# signs in\nTOKEN=abc\nexport B=1\nset -e\ncurl http://h/a\n",
  ]) func scriptsBeginWithOtherLinesToo(_ script: String) throws {
    #expect(try ImportedDocument(script, name: "document.sh").stubs.map(\.name) == ["GET /a"])
  }

  @Test func severalCommandsAndWhatIsNone() throws {
    let read = try ImportedDocument(
      "curl https://h.example/1\necho done\ncurl https://h.example/2 | jq .\ncurl -v\ncurl \"https://h.example/$X\"",
      name: "all.sh")
    #expect(read.stubs.map(\.name) == ["GET /1", "GET /2", "GET /$X"])
    #expect(read.says("all.sh:2:1: `echo` is no cURL command"))
    #expect(read.says("all.sh:3:1: what follows `|` is left out"))
    #expect(read.says("all.sh:4:1: the command has no URL"))
    #expect(read.says("all.sh:5:1: what the shell fills in"))
  }

  @Test func ofManyCommandsTheFirstTenThousandAreTaken() {
    let lines = (1...10_001).map { "curl http://h/\($0)" }
    for (count, isMore) in [(10_000, false), (10_001, true)] {
      var notes = ImportNotes()
      var commands = CurlImport(path: "s")
      let drafts = commands.drafts(lines.prefix(count).joined(separator: "\n"), &notes)
      let told = notes.listed.filter { $0.message == "more than 10000 commands: the others are left out" }
      #expect(drafts.count == 10_000 && told.map(\.position?.line) == (isMore ? [10_001] : []))
    }
  }
}
