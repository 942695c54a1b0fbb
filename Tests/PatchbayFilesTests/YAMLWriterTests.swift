import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct YAMLWriterTests {
  @Test func writesIdiomaticYAML() {
    let stub = Stub(
      name: "NO",
      when: RequestPattern(
        methods: ["GET", "POST"], url: .glob("*/x*"), query: [.init("q", nil), .init("p", .glob("010"))]),
      then: .respond(
        CannedResponse(
          status: 200, headers: [HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2")],
          body: .text("one\n  two 🎉\n"), delay: .fixed(.milliseconds(300)))), times: 3)
    #expect(
      StubFile.yaml(stub) == """
        - name: "NO"
          when:
            method: [GET, POST]
            url: "*/x*"
            query:
              q: null
              p: "010"
          then:
            respond:
              status: 200
              headers:
                Set-Cookie: [a=1, b=2]
              body: |
                one
                  two 🎉
              delay: 300ms
          times: 3

        """)
  }

  /// Whatever its end is, before another stub and at the end of the file.
  @Test(arguments: ["a", "a\n", "a\n\n", "a\n\n\n", "\n", "\na\n\n", "a\n\nb\n\n"])
  func aBodyComesBackAsItWas(_ text: String) throws {
    let stubs = ["one", "two"].map { Stub(name: $0, then: .respond(CannedResponse(body: .text(text)))) }
    #expect(try StubFile.parse(StubFile.yaml(stubs), path: "s.yaml").stubs == stubs)
  }

  /// What YAML 1.1 takes for a number, a date or a truth.
  @Test(arguments: ["0b1", "0B11", "1_000", "2024-01-02", "12:30:45", "0o17", "0x1F", "1e3", "+1", "yes", "OFF", "~"])
  func writesInQuotesWhatOthersReadAsSomethingElse(_ text: String) {
    #expect(!YAMLWriter.isPlain(text))
  }

  /// A list stands on one line up to 60 characters, and a text without quotes up to 500 bytes.
  @Test func howMuchStandsOnALine() {
    func lines(_ count: Int) -> Int {
      let list: JSONValue = [.string(String(repeating: "a", count: 30)), .string(String(repeating: "b", count: count))]
      return YAMLWriter.entry(.init("k", list)).count
    }
    #expect(lines(28) == 1 && lines(29) == 3)
    #expect(YAMLWriter.isPlain(String(repeating: "a", count: 500)))
    #expect(!YAMLWriter.isPlain(String(repeating: "a", count: 501)))
    #expect(YAMLWriter.isPlain(String(repeating: "é", count: 250)))
    #expect(!YAMLWriter.isPlain(String(repeating: "é", count: 251)))
  }

  @Test func whatIsNotPrintableIsAnEscape() {
    #expect(
      YAMLWriter.quoted("\u{0}\u{1F}\u{7F}\u{85}\u{2028}\u{FEFF}é\u{10FFFF}")
        == "\"\\u0000\\u001F\\u007F\\u0085\\u2028\\uFEFFé\u{10FFFF}\"")
  }

  @Test(arguments: ["\u{7F}", "\u{85}", "\u{9B}", "\u{61C}", "\u{200E}", "\u{2028}", "\u{202E}", "\u{2066}"])
  func writesNothingThatHides(_ hidden: String) {
    for text in ["a\(hidden)b", "a\n\(hidden)\nb"] {
      let stub = Stub(
        name: text, when: RequestPattern(methods: ["GET"], url: .glob(text)),
        then: .respond(CannedResponse(status: 200, headers: [HeaderField("A", text)], body: .text(text))))
      #expect(!StubFile.yaml(stub).unicodeScalars.contains(hidden.unicodeScalars.first!))
    }
  }

  @Test func everyTextComesBack() throws {
    for word in RandomStubs.words + [
      "a\n\n\n", "\n\na", "a \nb", "  a\nb", "a\n\tb", "\u{2028}", "\u{10FFFF}", "a\n \nb",
    ] {
      let value: JSONValue = [
        "k": .string(word), "l": [.string(word), [.string(word)]], "m": .object([.init(word, 1)]),
      ]
      let text = YAMLWriter.lines(value).joined(separator: "\n") + "\n"
      let node = try YAMLReader.document(text)
      #expect(StubSchemaProbe.json(node) == value, "\(text)")
    }
  }

  @Test func stubsComeBack() throws {
    var random = RandomStubs(7)
    for number in 0..<200 {
      let stub = random.stub("stub \(number)")
      let text = StubFile.yaml([stub])
      #expect(throws: Never.self, "\(text)") {
        let back = try StubFile.parse(text, path: "s.yaml").stubs
        #expect(back == [stub], "\(text)")
      }
    }
  }

  /// The YAML parser drops a byte order mark at the front of a text: rather nothing is written.
  @Test func whatDoesNotComeBackIsNotWritten() throws {
    let file = try StubFile.parse("patchbay: 1\n", path: "s.yaml")
    let stub = Stub(name: "a", then: .respond(CannedResponse(body: .text("\u{FEFF}x"))))
    #expect(throws: FilesError.self) { try StubFileWriter.text(file, [.init(stub)]) }
  }

  /// Random changes of random files: what is asked for is what is read again, or nothing is written.
  @Test func changesComeBack() throws {
    var random = RandomStubs(11)
    var refused = 0
    for number in 0..<60 {
      let old = (0..<4).map { random.stub("stub \($0)") }
      let path = number % 4 == 0 ? "s.json" : "s.yaml"
      let text =
        path == "s.json"
        ? JSONValue.members(["patchbay": 1, "stubs": .array(old.map(\.json))]).indented() : StubFile.yaml(old)
      let file = try StubFile.parse(text, path: path)
      var stubs = file.stubs.map { StubFileWriter.Edited($0, baseline: $0) }
      stubs[1].stub.enabled.toggle()
      stubs[2].stub = random.stub("other")
      if random.chance(0.5) { stubs[3].stub.then = random.action() }
      if random.chance(0.3) { stubs[3].stub.when = random.pattern() }
      if random.chance(0.5) { stubs.swapAt(0, 2) }
      var removed: [String] = []
      if random.chance(0.3) { removed = [stubs.remove(at: 1).stub.name] }
      if random.chance(0.3) { stubs.insert(.init(random.stub("new")), at: 1) }
      do throws(FilesError) {
        let changed = try StubFileWriter.text(file, stubs, removing: removed)
        #expect(try StubFile.parse(changed, path: path).stubs == stubs.map(\.stub))
      } catch {
        refused += 1
      }
    }
    #expect(refused == 0)
  }
}

extension YAMLWriterTests {
  /// Random changes of a file in a person's own style, full of comments and flow: nothing else is touched.
  @Test func handWrittenFilesKeepWhatDidNotChange() throws {
    var random = RandomStubs(13)
    let file = try StubFile.parse(StubFileTests.example, path: "s.yaml")
    for _ in 0..<60 {
      var stubs = file.stubs.map { StubFileWriter.Edited($0, baseline: $0) }
      let changed = random.int(1...3)
      switch random.int(0...4) {
      case 0: stubs[changed].stub.then = random.action()
      case 1: stubs[changed].stub.when = random.pattern()
      case 2: stubs[changed].stub.times = random.int(1...9)
      case 3: stubs[changed].stub.enabled = false
      default: stubs[changed].stub = random.stub("other")
      }
      let text = try StubFileWriter.text(file, stubs)
      #expect(try StubFile.parse(text, path: "s.yaml").stubs == stubs.map(\.stub))
      let first = StubFileTests.example.components(separatedBy: "- name: flaky search")[0]
      #expect(text.hasPrefix(first))
    }
  }
}

enum StubSchemaProbe {
  /// A document as a JSON value, through the schema's own door.
  static func json(_ node: DocumentNode) -> JSONValue? {
    let stub = DocumentNode(
      .map([
        .init("name", value: DocumentNode(.scalar("a", .text))),
        .init(
          "then", value: DocumentNode(.map([.init("respond", value: DocumentNode(.map([.init("json", value: node)])))]))
        ),
      ]))
    guard case .respond(let response)? = try? StubSchema.stub(stub).then, case .json(let json) = response.body else {
      return nil
    }
    return json
  }
}
