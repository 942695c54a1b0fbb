import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// YAML that is written, changed and refused, in long lists, and the whole of what becomes of them. With
/// `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeYAMLTests {
  private static let signs = [("⏎", "\n"), ("␍", "\r"), ("⇥", "\t"), ("␀", "")]

  private static func said(_ line: String) -> String {
    signs.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  private static func shown(_ text: String) -> String {
    signs.dropLast().reduce(text) { $0.replacingOccurrences(of: $1.1, with: $1.0) }
  }

  private func text(_ name: String) throws -> String {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Whole/\(name).txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0.hasPrefix("# ") }.joined(separator: "\n")
  }

  private func compare(_ name: String, _ become: (String) throws -> [String]) throws {
    let seen = try text(name).split(separator: "\n").map(String.init).map { line in
      ([line] + (try become(line).map { "    " + $0 })).joined(separator: "\n")
    }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/\(name).become")
  }

  @Test func textsHaveQuotesWhereTheyNeedThem() throws {
    try compare("words") { line in
      let text = Self.said(line)
      let value = JSONValue.string(text)
      let forms = [
        YAMLWriter.entry(.init("k", value)), YAMLWriter.entry(.init(text, 1)), YAMLWriter.item(value),
        YAMLWriter.entry(.init("k", [value, 1])),
        [YAMLWriter.inline(value, inFlow: false) ?? "not inline", YAMLWriter.inline(value, inFlow: true) ?? "no flow"],
      ]
      // What is written is read again.
      let read = try forms[...1].map { try YAMLReader.document($0.joined(separator: "\n") + "\n") }
      #expect(StubSchemaProbe.json(read[0])?["k"] == value && StubSchemaProbe.json(read[1])?[text] == 1)
      return forms.map { $0.map { Self.shown($0) }.joined(separator: "⏎") }
    }
  }

  @Test func whatIsNoYAMLIsExplained() throws {
    try compare("mistakes") { line in
      do throws(FilesError) {
        return try StubFile.parse(Self.said(line), path: "s.yaml").stubs.map(\.json.compact)
      } catch { return error.mistakes.map(\.description) }
    }
  }

  /// All are told in one go, as far as anybody reads.
  @Test(arguments: [(49, 49), (50, 50), (51, 1)]) func manyRepeatedKeysAreTold(_ repeats: Int, _ told: Int) {
    let keys = (0..<repeats).map { "k\($0): 1, k\($0): 2" }.joined(separator: ", ")
    let text = "patchbay: 1\nstubs:\n- name: a\n  then: { respond: { json: { \(keys) } } }\n"
    let error = #expect(throws: FilesError.self) { try StubFile.parse(text, path: "s.yaml") }
    #expect(error?.mistakes.count == told)
    #expect(error?.mistakes.allSatisfy { $0.message.contains(" is there twice in one map") } == true)
  }

  /// Each of them, with those of other maps between them, and the next mistake too.
  @Test func aKeyThatIsThereOftenIsToldEachTime() {
    let text = """
      patchbay: 1
      stubs:
      - name: a
        name: b
        then: { respond: { json: { name: 1, then: 2 } } }
        name: c
      - name: d
        then: hold
      - { name: e, name: f, name: g, name: h, then: { respond: { status: 2000 } } }
      """
    let error = #expect(throws: FilesError.self) { try StubFile.parse(text, path: "s.yaml") }
    #expect(
      error?.mistakes.map { $0.description.prefix { $0 != " " } } == [
        "s.yaml:4:3:", "s.yaml:6:3:", "s.yaml:8:9:", "s.yaml:9:14:", "s.yaml:9:23:", "s.yaml:9:32:", "s.yaml:9:68:",
      ], "\(error?.mistakes ?? [])")
  }

  /// The file with the stubs in it that a list in flow style says.
  private func edited(_ file: StubFile, _ wanted: String) throws -> String {
    var edited: [StubFileWriter.Edited] = []
    for line in wanted.split(separator: "\n") {
      let source = line.firstMatch(of: /, from ([a-z])/).map { String($0.1) }
      let stub = try StubFile.stub(String(line.replacing(/, from [a-z]/, with: "")))
      edited.append(.init(stub, baseline: file.stubs.first { $0.name == source ?? stub.name }))
    }
    let kept = Set(edited.compactMap { $0.baseline?.name })
    let removed = file.stubs.map(\.name).filter { !kept.contains($0) }
    let text: String
    do throws(FilesError) {
      text = try StubFileWriter.text(file, edited, removing: removed)
    } catch { return "\(error)\n" }
    #expect(try StubFile.parse(text, path: "s").stubs == edited.map(\.stub))
    return text
  }

  @Test func onlyWhatChangedIsWrittenAnew() throws {
    var seen: [String] = []
    for section in try text("edits").components(separatedBy: "====\n") {
      let parts = section.components(separatedBy: "----\n")
      seen.append("== \(seen.count + 1)\n" + parts[0])
      let file: StubFile
      do throws(FilesError) { file = try StubFile.parse(parts[0], path: "s") } catch {
        seen[seen.count - 1] += "\(error)\n"
        continue
      }
      for wanted in parts.dropFirst() {
        seen[seen.count - 1] += "-- " + wanted.replacing("\n", with: "⏎") + "\n" + (try edited(file, wanted))
      }
    }
    try expectRecorded(seen.joined(), "Whole/edits.become")
  }

  // MARK: What is told of one line

  @Test(arguments: [
    ("a: b # c", " # c"), ("a: b   # c", "   # c"), ("a: b# c", ""), ("# c", "# c"), ("  # c", "  # c"), ("a", ""),
    ("a: \"b # c\" # d", " # d"), ("a: 'b # c' # d", " # d"), ("a: 'b''s # c' # d", " # d"),
    (#"a: "b\" # c" # d"#, " # d"), (#"a: "b\\" # d"#, " # d"), (#"a: 'b\' # d"#, " # d"), (#"a: "b\"#, ""),
    ("a: it's # d", " # d"), ("a: 5\" # d", " # d"), ("a: [\"b # c\", 'd # e'] # f", " # f"), ("a: \"b # c", ""),
    ("a  b  # c", "  # c"), ("a #", " #"), ("", ""), ("a: b #c #d", " #c #d"), ("\"a #b\": c # d", " # d"),
  ])
  func aCommentIsToldFromAText(_ line: String, _ comment: String) {
    #expect(YAMLLine.comment(line, from: 1) == comment)
  }

  @Test func aCommentIsLookedForFromAColumnOn() {
    let line = "a: 'b # c # d"
    #expect(
      (1...15).map { YAMLLine.comment(line, from: $0) } == [
        "", "", "", "", " # c # d", " # c # d", "# c # d", " # d", " # d", " # d", "# d", "", "", "", "",
      ])
    #expect(YAMLLine.comment("# c", from: 0) == "# c" && YAMLLine.comment("# c", from: -3) == "# c")
  }

  @Test func blankLinesCommentsAndIndents() {
    let lines = ["", " ", "\t ", "a", " a", "#", "  # b", "\t#", "a #", "   ", "  \ta"]
    #expect(
      lines.map { YAMLLine.isBlank($0) } == [true, true, true] + Array(repeating: false, count: 6) + [true, false])
    #expect(
      lines.map { YAMLLine.isComment($0) } == [
        false, false, false, false, false, true, true, true, false, false, false,
      ])
    #expect(lines.map { YAMLLine.indent($0) } == [0, 1, 0, 0, 1, 0, 2, 0, 0, 3, 2])
  }

  @Test(
    arguments: [
      (["- a"], 1, 3, 0, 0), (["  - a"], 1, 5, 0, 2), (["-   a"], 1, 5, 0, 0), (["-", "  a"], 2, 3, 0, 0),
      (["- # x", "  # y", "", "  a"], 4, 3, 0, 0), (["  -", "    a"], 2, 5, 0, 2), (["a: - b"], 1, 6, nil, nil),
      (["- - a"], 1, 5, nil, nil), (["[a]"], 1, 2, nil, nil), (["a"], 1, 1, nil, nil), (["# x", "a"], 2, 1, nil, nil),
      (["- a"], 2, 1, nil, nil), (["- a"], 0, 1, nil, nil), (["é:", "- a"], 2, 3, 1, 0),
    ] as [([String], Int, Int, Int?, Int?)])
  func theDashOfAnItem(_ lines: [String], _ line: Int, _ column: Int, _ at: Int?, _ indent: Int?) {
    let found = YAMLLine.dash(lines, at: SourcePosition(line: line, column: column))
    #expect(found?.line == at && found?.indent == indent)
  }

  @Test func plainScalarsAreOfTheCoreSchema() {
    let kinds: [(DocumentNode.Kind, [String])] = [
      (.null, ["", "~", "null", "Null", "NULL"]),
      (.bool, ["true", "True", "TRUE", "false", "False", "FALSE"]),
      (
        .number,
        [
          "0", "9", "10", "-1", "+1", "010", "1.5", ".5", "5.", "-.5", "+.5", "1e3", "1E3", "1e+3", "1e-3", "1.5e3",
          "1.e3", ".5e3", ".inf", "-.inf", "+.inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", "0x0", "0x9f", "0xAF",
          "0o0", "0o17",
        ]
      ),
      (
        .text,
        [
          "nULL", "~~", "tRUE", "yes", "no", "on", "-", "+", ".", "-.", "e3", "1e", "1e+", "1e-", ".e3", "1.2.3", "1 ",
          "1a", "--1", "+-1", "1_000", "0b1", "1:2", "0x", "0xg", "0x1G", "0x@", "0x`", "0x/", "0x:", "0o", "0o8",
          "0o/",
          "-0x1", "-0o1", "-.nan", "+.NaN", "inf", ".iNf", ".nAn", "1/", ":1", "1e3x", "1e3.5", "１",
        ]
      ),
    ]
    for (kind, texts) in kinds { for text in texts { #expect(CoreSchema.kind(of: text) == kind, "\(text)") } }
  }
}
