import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct StubFileTests {
  /// The example of the format's description.
  static let example = """
    patchbay: 1
    stubs:
    - name: maintenance              # unique
      enabled: true                  # the default
      when:                          # everything given must hold; no `when` matches all
        method: GET                  # or a list
        url: "*/maintenance*"        # text is a glob
        scheme: https
        host: "*.example.com"
        port: 8443
        path: { matches: "^/v1/users/[0-9]+$" }
        query: { page: "2", debug: null }        # null: must be absent
        headers: { Authorization: "Bearer *" }   # names without regard to case
        body: { json: { user: { id: 7 } } }
        process: demo
      then:
        respond:
          status: 200
          headers: { Content-Type: application/json, Set-Cookie: [a=1, b=2] }   # a list repeats the header
          json: { code: 100, message: ただいまメンテナンス中です。 }
          delay: 300ms
          throttle: 20kB/s
    - name: flaky search
      when: { url: "*/search*" }
      then:
        sequence:
        - respond: { status: 500 }
        - fail: timedOut
        - fail: { domain: test.api.error, code: 1, message: no, delay: 200ms }
        - fail: { error: networkConnectionLost, after: { status: 200, body: "{\\"half\\":", bytes: 4 } }
        - pass: {}
        afterwards: repeat
      skip: 1
      chance: 0.5
      times: 10
    - name: look at logins
      when: { path: /v1/login }
      then: { hold: request }
    - name: new field on the real answer
      when: { path: /v1/profile }
      then:
        pass:
          delay: 2s
          throttle: 50kB/s
          status: 200
          headers: { X-Patched: "1", ETag: null }
          mergePatch: { user: { plan: gold } }
          replace: [ { find: foo, with: bar } ]
    """

  @Test func readsTheExample() throws {
    let file = try StubFile.parse(Self.example, path: "stubs.yaml")
    #expect(file.stubs.count == 4)
    let first = file.stubs[0]
    #expect(first.when.query == [.init("page", .glob("2")), .init("debug", nil)])
    #expect(first.when.path == .matches("^/v1/users/[0-9]+$"))
    #expect(first.when.body?.json == ["user": ["id": 7]])
    #expect(
      first.then
        == .respond(
          CannedResponse(
            headers: [
              HeaderField("Content-Type", "application/json"), HeaderField("Set-Cookie", "a=1"),
              HeaderField("Set-Cookie", "b=2"),
            ], body: .json(["code": 100, "message": "ただいまメンテナンス中です。"]), delay: .fixed(.milliseconds(300)),
            pace: .throttle(bytesPerSecond: 20_000))))
    guard case .sequence(let steps, .repeat) = file.stubs[1].then else {
      Issue.record("no sequence")
      return
    }
    #expect(
      steps[2]
        == .fail(Fault(.custom(domain: "test.api.error", code: 1, message: "no"), delay: .fixed(.milliseconds(200)))))
    #expect(
      steps[3]
        == .fail(
          Fault(
            .named("networkConnectionLost"), after: .init(response: CannedResponse(body: .text("{\"half\":")), bytes: 4)
          )))
    #expect(file.stubs[2].then == .hold(.request))
    #expect(
      file.stubs[3].then
        == .pass(
          PassChanges(
            delay: .fixed(.seconds(2)), pace: .throttle(bytesPerSecond: 50_000), status: 200,
            headers: [.init("X-Patched", ["1"]), .init("ETag", nil)], mergePatch: ["user": ["plan": "gold"]],
            replace: [.init(find: "foo", with: "bar")])))
  }

  @Test func readsTheCoreSchemaFromTheText() throws {
    let text = """
      patchbay: 1
      stubs:
      - name: 010
        then:
          respond:
            headers: {A: NO, B: 1.10, C: yes, D: 12:30:45, E: 2026-11-21, F: 0x1F, G: true}
            json: {a: NO, b: 1.10, c: 010, d: ~, e: 0x1F, f: .5, g: 12345678901234567890, h: on, i: "1", j: 1e3, k: +7}
      """
    guard case .respond(let response) = try StubFile.parse(text, path: "a.yaml").stubs[0].then else { return }
    #expect(response.headers.map(\.value) == ["NO", "1.10", "yes", "12:30:45", "2026-11-21", "0x1F", "true"])
    #expect(
      response.body
        == .json(
          try JSONValue(
            parsing:
              #"{"a":"NO","b":1.10,"c":10,"d":null,"e":31,"f":0.5,"g":12345678901234567890,"h":"on","i":"1","j":1e3,"k":7}"#
          )))
  }

  private func mistakes(_ text: String, _ path: String = "s.yaml") -> [String] {
    do throws(FilesError) {
      _ = try StubFile.parse(text, path: path)
      return []
    } catch {
      return error.mistakes.map(\.description)
    }
  }

  @Test(arguments: [
    (
      "patchbay: 1\nstubs:\n- name: a\n  then: {respond: {staus: 1}}",
      "s.yaml:4:20: unknown key `staus` in `respond`; did you mean `status`?"
    ),
    ("patchbay: 1\nstubs:\n- name: a\n\tthen: {}", "s.yaml:4:1: a tab stands here; YAML indents with spaces"),
    (
      "patchbay: 1\nstubs:\n- name: a\n  when: {url: */x*}\n  then: {hold: both}",
      "s.yaml:4:16: a text cannot begin with `*`"
    ),
    (
      "patchbay: 1\nstubs:\n- name: a\n  then: {hold: both}\n  name: b",
      "s.yaml:5:3: the key `name` is there twice in one map (first on line 3)"
    ),
    ("patchbay: 1\nstubs: [", "s.yaml:2:9: a value was expected here; is a bracket not closed?"),
    ("patchbay: 1\nstubs:\n- name: a: b\n", "s.yaml:3:10: a `:` is not expected here"),
    (
      "patchbay: 1\nstubs:\n- name: a\n  then:\n    respond:\n      body: \"x",
      "s.yaml:6:15: the file ends in the middle of a quoted text"
    ),
    ("patchbay: 1\nstubs:\n- name: \"a\n", "s.yaml:4:1: the file ends in the middle of a quoted text"),
    ("", "s.yaml:1:1: the file must be a map with patchbay, stubs or $schema, not nothing"),
    ("a\u{1}", "s.yaml:"), ("a: 1\né: x\u{1}\n", "s.yaml:2:5: a character that YAML does not allow"),
    ("--- {}\n--- {}\n", "s.yaml:2:1: the file holds more than one YAML document"),
    ("patchbay: 1\nstubs: *x\n", "s.yaml:2:8: a text cannot begin with `*`"),
    ("? [a]\n: b\n", "s.yaml:1:3: a key must be a text"),
  ])
  func saysWhereAndWhat(_ text: String, _ start: String) {
    let found = mistakes(text)
    #expect(found.first?.hasPrefix(start) == true, "\(found)")
  }

  @Test func missingFilesAreTold() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FilesError.self) { try StubFile.read(folder.file("none.yaml")) }
    #expect(throws: FilesError.self) { try StubFile.read(folder.path) }
    let path = try folder.write(
      "s.yaml", "patchbay: 1\nstubs:\n- name: a\n  then:\n    respond:\n      file: body.json\n")
    do throws(FilesError) {
      _ = try StubFile.read(path)
      Issue.record("the missing body was not told")
    } catch {
      #expect(
        error.description.hasPrefix(
          "\(path):6:13: the file of this body, \(folder.path)/body.json, cannot be read: No such"))
    }
    try folder.write("body.json", "{}")
    let stub = try StubFile.read(path).stubs[0]
    #expect(try BodyFile.read(stub.then, stubFile: path) == ["body.json": Data("{}".utf8)])
  }

  @Test func readsWhatAPipeHolds() throws {
    #expect(
      throws: FilesError([
        FileMistake(
          path: "/dev/null", position: SourcePosition(line: 1, column: 1),
          message: "the file must be a map with patchbay, stubs or $schema, not nothing")
      ])
    ) { try StubFile.read("/dev/null") }
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let writer = Thread {
      let stubs = "patchbay: 1\nstubs:\n- name: a\n  then: { hold: both }\n"
      try? Data((stubs + "#" + String(repeating: "x", count: 200_000)).utf8).write(to: URL(fileURLWithPath: pipe))
    }
    writer.start()
    #expect(try StubFile.read(pipe).stubs.map(\.name) == ["a"])
  }

  /// Repeated keys and names, missing body files and the parts of an action that is wrong as a whole: all in one go.
  @Test func allMistakesAreSaidAtOnce() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "s.yaml",
      """
      patchbay: 1
      stubs:
      - name: a
        name: b
        then: { respond: { file: none.json, status: 99 } }
      - name: a
        then: { respond: { staus: 1, "staus": 2 }, fail: timdOut }
      - name: c
        when: { <<: x }
        then: { sequence: [], afterwards: lst }

      """)
    do throws(FilesError) {
      _ = try StubFile.read(path)
      Issue.record("taken")
    } catch {
      let starts = error.mistakes.map { "\($0.position?.description ?? "") \($0.message)" }
      let wanted = [
        "4:3 the key `name` is there twice in one map",
        "5:28 the file of this body, \(folder.path)/none.json",
        "5:47 `status` must be a whole number, 100 to 599",
        "6:9 the name `a` is taken by another stub (line 3)",
        "7:9 `then` must have one of respond, fail",
        "7:22 unknown key `staus` in `respond`; did you mean `status`?",
        "7:33 the key `staus` is there twice in one map",
        "7:52 `timdOut` is neither a URLError code",
        "9:11 unknown key `<<` in `when`; YAML 1.2 has no merging",
        "10:21 `sequence` must be a list of actions, not an empty one",
        "10:37 `afterwards` must be repeat, last or pass",
      ]
      #expect(starts.count == wanted.count)
      for (start, wanted) in zip(starts, wanted) { #expect(start.hasPrefix(wanted)) }
    }
  }

  @Test(arguments: [(".", nil), ("assets", nil), ("a/{{request.path}}", "`folder` cannot hold templates")])
  func aFolderTakesNoTemplate(_ path: String, _ mistake: String?) {
    let text = "patchbay: 1\nstubs:\n- name: a\n  then: { respond: { folder: '\(path)' } }\n"
    do throws(FilesError) {
      let file = try StubFile.parse(text, path: "s.yaml")
      #expect(mistake == nil && file.stubs.count == 1)
    } catch {
      #expect(error.mistakes.count == 1 && mistake.map { error.mistakes[0].message.hasPrefix($0) } == true, "\(error)")
    }
  }

  /// What the most are caught by: a path without `/`, a URL that is a path, a host with more than its name.
  @Test(arguments: [
    ("path: v1/users", "4:17: no path is `v1/users`: a path begins with `/`"),
    ("path: [/v1, v2]", "no path is `v2`"), ("path: '/v1?page=2'", "said with `query`"),
    ("url: /v1/users", "4:16: no URL is `/v1/users`"), ("url: 'api.example.com/*'", "a URL begins with its scheme"),
    ("host: 'https://h'", "no host is `https://h`"), ("host: 'h:8080'", "the port has a key of its own"),
    ("scheme: ws", "only requests of http and https are seen"), ("any: [{ path: v1 }]", "no path is `v1`"),
    ("path: '*v1'", nil), ("path: ''", nil), ("url: '*/v1'", nil), ("url: 'HTTP://h/*'", nil), ("url: 'http*'", nil),
    ("host: '[::1]'", nil), ("host: '::1'", nil), ("scheme: 'http*'", nil), ("not: { path: v1 }", nil),
    ("path: { matches: v1 }", nil),
  ]) func globsThatNothingCanFitAreSaid(_ when: String, _ expected: String?) throws {
    let file = try StubFile.parse(
      "patchbay: 1\nstubs:\n- name: a\n  when: { \(when) }\n  then: { fail: offline }\n", path: "s.yaml")
    let found = try StubFiles(checking: [file]).warnings.map(\.description)
    #expect(found.count == (expected == nil ? 0 : 1))
    if let expected { #expect(found.first?.contains(expected) == true, "\(found)") }
  }

  @Test(arguments: [
    ("Content-Length: '7'", true), ("content-length: '7'", true), ("Content-Length: null", false),
    ("X-Content-Length: '7'", false),
  ]) func aLengthThatIsSaidByARuleIsDoubted(_ header: String, _ isSaid: Bool) throws {
    let file = try StubFile.parse(
      "patchbay: 1\nstubs:\n- name: a\n  then:\n    pass:\n      request:\n        headers: { \(header) }\n",
      path: "s.yaml")
    let found = try StubFiles(checking: [file]).warnings.map(\.description)
    #expect(found.count == (isSaid ? 1 : 0))
    if isSaid { #expect(found.first?.hasPrefix("s.yaml:7:36: `Content-Length` is counted") == true, "\(found)") }
  }

  @Test func namesAreUniqueAcrossFilesAndShadowsAreSaid() throws {
    let folder = try TemporaryFolder()
    let one = try folder.write(
      "1.yaml", "patchbay: 1\nstubs:\n- name: all\n  when: {path: '/v1/*'}\n  then: {fail: offline}\n")
    let two = try folder.write(
      "2.json", #"{"patchbay":1,"stubs":[{"name":"users","when":{"path":"/v1/users"},"then":{"hold":"request"}}]}"#)
    let both = try StubFiles.read([one, two])
    #expect(both.stubs.map(\.name) == ["all", "users"])
    #expect(
      both.warnings.map(\.description) == [
        "\(two):1:32: the stub `users` can never match: `all` (line 3 in \(one)) comes before it and takes every request "
          + "that it could"
      ])
    #expect(both.warnings.count == 1)
    let copy = folder.file("copy.yaml")
    try FileManager.default.copyItem(atPath: one, toPath: copy)
    do throws(FilesError) {
      _ = try StubFiles.read([one, copy, folder.file("3.yaml")])
      Issue.record("the same name was taken twice")
    } catch {
      #expect(error.mistakes.count == 2)
      #expect(error.description.contains("\(copy):3:9: the name `all` is taken by a stub of another file (\(one):3)"))
    }
    let detour = folder.path + "/../" + URL(fileURLWithPath: folder.path).lastPathComponent + "/1.yaml"
    for again in [one, detour] {
      let error = #expect(throws: FilesError.self) { try StubFiles.read([one, again]) }
      #expect(error?.description == "\(again): the file is given twice: name it once")
    }
  }

  @Test func aliasesCannotMakeEndlessDocuments() {
    var text = "patchbay: 1\nx0: &x0 [1,1,1,1,1,1,1,1,1]\n"
    for level in 1..<12 {
      let list = [String](repeating: "*x\(level - 1)", count: 9).joined(separator: ",")
      text += "x\(level): &x\(level) [\(list)]\n"
    }
    #expect(mistakes(text).first?.contains("too many nodes") == true)
    #expect(mistakes(String(repeating: "[", count: 100_000)).first?.contains("nested too deeply") == true)
    let braces = String(repeating: "{\"a\":", count: 50_000)
    #expect(mistakes(braces, "a.json").first?.contains("nested deeper") == true)
  }

  /// Aliases may make of a document 200,000 nodes more than it has characters.
  @Test(arguments: [(4_002, true), (4_001, false)]) func aDocumentHasSoManyNodes(_ size: Int, _ isTaken: Bool) throws {
    // One, and 1,000 for each of 204 lists.
    let list = "- &x [" + [String](repeating: "~", count: 999).joined(separator: ",") + "]\n"
    let lists = list + String(repeating: "- *x\n", count: 203) + "#"
    let text = lists + String(repeating: "x", count: size - lists.utf8.count)
    guard !isTaken else {
      #expect(try YAMLReader.document(text).list?.count == 204)
      return
    }
    let error = #expect(throws: StubError.self) { try YAMLReader.document(text) }
    #expect(error?.message == "the document has too many nodes (aliases of aliases?)")
  }

  @Test(
    arguments: [
      (200, nil), (201, "the document is nested too deeply"), (400, "the document is nested too deeply"),
      (401, "the brackets are nested too deeply"),
    ] as [(Int, String?)])
  func listsAreNestedSoDeep(_ depth: Int, _ message: String?) {
    let text = "\n" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    do throws(StubError) {
      _ = try YAMLReader.document(text)
      #expect(message == nil)
    } catch {
      #expect(error.message == message && error.position?.line == 2)
    }
  }

  @Test func bracketsThatCloseAreNotNested() throws {
    let text = "[" + String(repeating: "[], {}, ", count: 300) + "]"
    #expect(try YAMLReader.document(text).list?.count == 600)
  }

  @Test(
    arguments: [
      "[", "{a: ", "{\"a\":[", "[\n", "[\r", "[1, ", "[!!seq ", "[!<tag:yaml.org,2002:seq> ", "[&a ", "[? ", "{? ",
      "[\u{2028}",
      "[ # text\n", "[\u{FEFF}\n", "[\"]\",", "- ", "? ", "[']', {']': ",
    ])
  func whateverBeginsWithoutEndIsRefused(_ piece: String) {
    // As many as the parser itself would take, and more.
    for count in [450, 900, 20_000] {
      #expect(!mistakes("a:\n " + String(repeating: piece, count: count)).isEmpty)
    }
  }

  @Test func bracketsInTextsAreText() throws {
    let lines = String(repeating: "          read from a[0 and {x [y\n", count: 500)
    let text = """
      patchbay: 1
      stubs:
        - name: log
          then:
            respond:
              body: |
      \(lines)
      """
    #expect(mistakes(text).isEmpty)
    let quoted = String(repeating: "\\e[31m", count: 500)
    #expect(mistakes("patchbay: 1\nstubs: [{name: \"\(quoted)\", then: {respond: {}}}]").isEmpty)
  }

  @Test func mutatedFilesNeverTrap() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "\t", "- ", ": ", "{", "}", "[", "]", "\"", "'", "|", ">", "&a ", "*a", "!!str ", "#", "\n", "\u{1}", "é", "? ",
      "~",
    ]
    let base = Array(Self.example.utf8)
    for _ in 0..<500 {
      var bytes = base
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(at..<min(at + Int.random(in: 1...40, using: &generator), bytes.count))
        case 2: bytes.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8, at: at)
        default: bytes = Array(bytes[..<max(at, 1)])
        }
        if bytes.isEmpty { bytes = [0x61] }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      for path in ["a.yaml", "a.json"] {
        // Either it is right, or each mistake says something.
        do throws(FilesError) { _ = try StubFile.parse(text, path: path) } catch {
          #expect(error.mistakes.isEmpty == false)
          #expect(error.mistakes.allSatisfy { !$0.message.isEmpty })
        }
      }
    }
  }
}
