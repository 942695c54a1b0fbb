import Foundation
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Files as bytes and text, and what is said of them.
@Suite("Text files are read whole and replaced whole", .bounded) struct TextFileTests {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func mistake(_ work: () throws(FilesError) -> Void) -> String? {
    do throws(FilesError) {
      try work()
      return nil
    } catch { return "\(error)" }
  }

  @Test("a file of the limit is read, a larger one is not") func limits() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("text", "12345")
    #expect(try TextFile.bytes(path, limit: 6) == Data("12345".utf8))
    #expect(try TextFile.bytes(path, limit: 5) == Data("12345".utf8))
    let refusal = mistake { () throws(FilesError) in _ = try TextFile.bytes(path, limit: 4) }
    #expect(refusal?.hasPrefix("\(path): ") == true)
    #expect(
      TextFile.limit == 16_777_216 && StubFile.sizeLimit == 16_777_216
        && BodyFile.limit == 67_108_864)
  }

  @Test("what is no text is refused with a way out, and line ends stay") func text() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("text")
    try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: path))
    #expect(
      mistake { () throws(FilesError) in _ = try TextFile.text(path) }
        == "\(path): is not UTF-8 text; save it as UTF-8")
    try Data("a\r\nb\rc\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try TextFile.text(path).utf8.elementsEqual("a\r\nb\rc\n".utf8))
  }

  @Test("a byte order mark stays one, and none comes that was not there") func marks() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("text")
    for (before, text, after) in [
      (Self.mark + [65], "b", Self.mark + [98]), (Self.mark, "b", Self.mark + [98]),
      ([65], "b", [98]), ([], "b", [98]),
      ([0xEF, 0xBB], "b", [98]), (Self.mark + [65], "\u{FEFF}b", Self.mark + [98]),
      ([65], "\u{FEFF}b", Self.mark + [98]), ([65] + Self.mark, "b", [98]),
    ] as [([UInt8], String, [UInt8])] {
      try Data(before).write(to: URL(fileURLWithPath: path))
      try TextFile.replace(path, with: text)
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == after, "\(before)")
    }
    let new = folder.file("new")
    try TextFile.replace(new, with: "x")
    #expect(try folder.read("new") == "x")
    #expect(
      mistake { () throws(FilesError) in try TextFile.replace(folder.path + "/no/file", with: "") }
        == "\(folder.path)/no/file: cannot be written: No such file or directory")
  }

  @Test("a mistake is one line: its file, its place, its sentence") func mistakes() {
    let position = SourcePosition(line: 3, column: 5)
    #expect(FileMistake(path: "a.yaml", message: "no").description == "a.yaml: no")
    #expect(
      FileMistake(path: "a.yaml", position: position, message: "no").description == "a.yaml:3:5: no"
    )
    #expect(
      FileMistake(path: "-", position: position, message: "no").description
        == "standard input:3:5: no")
    #expect(FileMistake(path: "-", message: "a\nb").description == "standard input: a␊b")
    #expect(FileMistake(path: "--", message: "").description == "--: ")
    let error = FilesError([
      FileMistake(path: "a", message: "1"), FileMistake(path: "b", message: "2"),
    ])
    #expect(error.description == "a: 1\nb: 2")
    #expect(FilesError(path: "a", "1").mistakes == [FileMistake(path: "a", message: "1")])
  }

  @Test(
    "what a file is says its name, else its first character",
    arguments: [
      ("a.json", "stubs: []", "json"), ("A.JSON", "", "json"), ("a.yaml", "{}", "yaml"),
      ("a.YML", "{", "yaml"),
      ("a", "{}", "json"), ("-", " \n\t{", "json"), ("-", "a: {", "yaml"), ("a.txt", "", "yaml"),
      ("json", "[", "yaml"),
      ("a.json.bak", "a", "yaml"), ("yaml", "{", "json"),
    ])
  func format(_ path: String, _ text: String, _ expected: String) {
    #expect(StubFile.format(of: text, path: path).rawValue == expected)
  }

  @Test(
    "a body's file lies beside the stub file",
    arguments: [
      ("b.json", "s.yaml", "b.json"), ("b.json", "d/s.yaml", "d/b.json"),
      ("b.json", "/d/s.yaml", "/d/b.json"),
      ("/b.json", "/d/s.yaml", "/b.json"), ("~b", "/d/s.yaml", "/d/~b"), ("x/b", "/s.yaml", "/x/b"),
    ])
  func bodies(_ path: String, _ stubFile: String, _ expected: String) {
    #expect(BodyFile.path(path, stubFile: stubFile) == expected)
    #expect(BodyFile.path("~/b", stubFile: stubFile) == Path.home + "/b")
  }

  @Test("bodies' files are read by name, and all that cannot be are told") func readBodies() throws {
    let folder = try TemporaryFolder()
    try folder.write("a", "A")
    try folder.write("b", "B")
    func answer(_ name: String) -> Action { .respond(CannedResponse(body: .file(name))) }
    let stubs = folder.file("s.yaml")
    #expect(try BodyFile.read(answer("a"), stubFile: stubs) == ["a": Data("A".utf8)])
    let steps = Action.sequence([answer("a"), answer("b")], afterwards: .last)
    #expect(
      try BodyFile.read(steps, stubFile: stubs) == ["a": Data("A".utf8), "b": Data("B".utf8)])
    #expect(try BodyFile.read(.hold(.both), stubFile: stubs) == [:])
    let lost = Action.sequence([answer("x"), answer("a"), answer("y")], afterwards: .last)
    do throws(FilesError) {
      _ = try BodyFile.read(lost, stubFile: stubs)
      Issue.record("read")
    } catch {
      #expect(error.mistakes.map(\.path).sorted() == [folder.file("x"), folder.file("y")])
    }
  }

  @Test("bodies that are not there, no files or too large are told with the file's place")
  func bodyMistakes() throws {
    let folder = try TemporaryFolder()
    let place = folder.path
    try folder.write("file", "")
    try FileManager.default.createDirectory(
      atPath: place + "/folder", withIntermediateDirectories: false)
    for (name, size) in [("largest", 64 << 20), ("larger", (64 << 20) + 1)] {
      #expect(FileManager.default.createFile(atPath: folder.file(name), contents: nil))
      #expect(truncate(folder.file(name), off_t(size)) == 0)
    }
    func mistakes(_ body: String) -> [String] {
      let text = "patchbay: 1\nstubs:\n- name: a\n  then:\n    respond:\n      \(body)\n"
      do throws(FilesError) {
        _ = try StubFile.parse(text, path: place + "/s.yaml", checksBodies: true)
        return []
      } catch { return error.mistakes.map(\.message) }
    }
    #expect(mistakes("file: file") == [])
    #expect(mistakes("file: largest") == [])
    #expect(
      mistakes("file: larger") == [
        "\(place)/larger is larger than 64 MiB; use `filler` for a huge body"
      ])
    #expect(mistakes("file: folder") == ["\(place)/folder is no file"])
    #expect(mistakes("folder: folder") == [])
    #expect(mistakes("folder: file") == ["\(place)/file is no folder"])
    #expect(mistakes("folder: no") == ["the folder \(place)/no cannot be read: No such file or directory"])
    #expect(
      mistakes("file: no") == [
        "the file of this body, \(place)/no, cannot be read: No such file or directory"
      ])
  }

  @Test("one stub is read from a list, a file or by itself") func oneStub() throws {
    let stub = Stub(name: "a", then: .pass(PassChanges()))
    for text in [
      "{name: a, then: {pass: {}}}", "- {name: a, then: {pass: {}}}",
      "patchbay: 1\nstubs:\n- {name: a, then: {pass: {}}}\n",
    ] {
      let read = try? StubFile.stub(text)
      #expect(read?.name == stub.name && read?.then == stub.then, "\(text)")
    }
    let two = mistake { () throws(FilesError) in
      _ = try StubFile.stub(
        "- {name: a, then: {pass: {}}}\n- {name: b, then: {pass: {}}}\n", path: "e.yaml")
    }
    #expect(two == "e.yaml:1:1: one stub was expected, not 2")
    let none = mistake { () throws(FilesError) in _ = try StubFile.stub("[]") }
    #expect(none == "stub.yaml:1:1: one stub was expected, not 0")
  }

  @Test("a file of stubs has its comments, its version and a line between them") func written() {
    let a = Stub(name: "a", then: .hold(.both))
    let b = Stub(name: "b", then: .hold(.request))
    let (first, second) = (StubFile.yaml(a), StubFile.yaml(b))
    #expect(first.hasPrefix("- name: a\n") && first.hasSuffix("\n") && !first.hasSuffix("\n\n"))
    #expect(StubFile.yaml([]) == "patchbay: 1\nstubs: []\n")
    #expect(StubFile.yaml([a, b]) == "patchbay: 1\nstubs:\n\(first)\n\(second)")
    #expect(
      StubFile.yaml(
        [a, b], notes: ["b": ["why", "x\ny\u{1B}z\u{2028}é"], "c": ["no"]], head: ["one", "two"])
        == "# one\n# two\npatchbay: 1\nstubs:\n\(first)\n# why\n# x?y?z?é\n\(second)")
  }

  @Test("stubs that the program's code answers are said in a comment where they are copied")
  func copied() {
    let a = Stub(name: "a", then: .hold(.both))
    let code = Stub(name: "c", when: RequestPattern(methods: ["GET"]), then: .code)
    let steps = Stub(name: "s", then: .sequence([.hold(.both), .code], afterwards: .last))
    #expect(StubFile.copy([a]) == StubFile.yaml([a]))
    let text = StubFile.copy([code, a, steps])
    #expect(
      text.hasPrefix(
        "# The stub “c” is answered by the program's code, which no file can hold:\n# - name: c\n"))
    #expect(
      text.contains(
        "# The stub “s” is answered by the program's code, which no file can hold:\n# - name: s\n"))
    #expect(text.hasSuffix(StubFile.yaml([a])) && !text.contains("then: code"))
  }
}
