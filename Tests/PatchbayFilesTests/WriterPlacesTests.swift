import Foundation
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Where stubs stand in a file that has changed meanwhile, and what is refused.
@Suite(.bounded) struct WriterPlacesTests {
  private func stub(_ name: String, _ times: Int? = nil) -> Stub { Stub(name: name, then: .hold(.both), times: times) }

  private func file(_ names: String...) throws -> StubFile {
    try StubFile.parse(StubFile.yaml(names.map { stub($0) }), path: "s.yaml")
  }

  /// The names in the file, or what is said.
  private func written(_ file: StubFile, _ stubs: [StubFileWriter.Edited], removing: [String] = []) -> String {
    do throws(FilesError) {
      let text = try StubFileWriter.text(file, stubs, removing: removing)
      return try StubFile.parse(text, path: "s.yaml").stubs.map { $0.name + ($0.times.map { "\($0)" } ?? "") }
        .joined(separator: " ")
    } catch { return "\(error)" }
  }

  private func same(_ names: String...) -> [StubFileWriter.Edited] {
    names.map { StubFileWriter.Edited(stub($0), baseline: stub($0)) }
  }

  @Test func stubsThatTheFileHasGotMeanwhileKeepTheirPlace() throws {
    let four = try file("a", "b", "c", "d")
    #expect(written(four, same("a", "b", "c", "d")) == "a b c d")
    #expect(written(four, same("c", "a")) == "c d a b")
    #expect(written(four, same("c")) == "a b c d" && written(four, []) == "a b c d")
    #expect(written(four, same("d", "c", "b")) == "a d c b")
    #expect(written(four, same("c"), removing: ["b"]) == "a c d")
    #expect(written(four, same("a", "c"), removing: ["b", "d", "other"]) == "a c")
    #expect(written(four, [], removing: ["a", "b", "c", "d"]) == "")
    #expect(written(four, same("d", "a") + [.init(stub("n"))], removing: ["c"]) == "d a b n")
    #expect(written(four, [.init(stub("n"))] + same("b")) == "a n b c d")
  }

  @Test func whatWasRemovedInTheFileIsGoneUnlessItWasChangedHere() throws {
    let one = try file("a")
    #expect(written(one, same("a", "gone")) == "a")
    #expect(written(one, same("a") + [.init(stub("gone", 3), baseline: stub("gone"))]) == "a gone3")
    #expect(written(one, same("a") + [.init(stub("new"))]) == "a new")
  }

  @Test func changesOnBothSidesMustAgree() throws {
    let changed = try StubFile.parse(StubFile.yaml([stub("a", 2)]), path: "s.yaml")
    #expect(written(changed, same("a")) == "a2")
    #expect(written(changed, [.init(stub("a", 2), baseline: stub("a"))]) == "a2")
    #expect(
      written(changed, [.init(stub("a", 3), baseline: stub("a"))])
        == "s.yaml: the stub `a` was changed in the file too; read the file again (save it) before you write")
    #expect(written(changed, [.init(stub("a", 3), baseline: stub("a", 2))]) == "a3")
  }

  @Test func twoOfOneNameAreRefused() throws {
    let two = try file("a", "b")
    #expect(
      written(two, [.init(stub("b", 2), baseline: stub("a"))])
        == "s.yaml: two stubs of the same name would stand in the file; rename one")
    #expect(written(two, [.init(stub("c"), baseline: stub("a"))]) == "c b")
    #expect(written(two, [.init(stub("b"), baseline: stub("a")), .init(stub("a"), baseline: stub("b"))]) == "b a")
    let flow = try StubFile.parse("patchbay: 1\nstubs: [{ name: a, then: { hold: both } }]  # all\n", path: "s.yaml")
    #expect(
      written(flow, [.init(stub("a", 2), baseline: stub("a"))])
        == "s.yaml: cannot be changed without losing something in it (anchors, lists on one line with comments?); edit it by hand"
    )
  }

  @Test func aFileIsTouchedOnlyWhereItChanges() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.yaml")
    let made = try StubFileWriter.write([.init(stub("a"))], to: path)
    #expect(try made == StubFile.read(path) && made.text == StubFile.yaml([stub("a")]))
    let before = try #require(FileIdentity(path: path))
    #expect(try StubFileWriter.write([.init(stub("a"), baseline: stub("a"))], to: path) == made)
    #expect(FileIdentity(path: path) == before)
    let changed = try StubFileWriter.write([.init(stub("a", 4), baseline: stub("a"))], to: path)
    #expect(FileIdentity(path: path) != before)
    #expect(try changed == StubFile.read(path) && changed.stubs == [stub("a", 4)])
  }

  @Test func aNewFileIsWrittenByItsName() throws {
    let folder = try TemporaryFolder()
    for name in ["n.json", "N.JSON"] {
      try StubFileWriter.write([.init(stub("a")), .init(stub("b"))], to: folder.file(name))
      #expect(
        try folder.read(name) == """
          {
            "patchbay": 1,
            "stubs": [
              {
                "name": "a",
                "then": {
                  "hold": "both"
                }
              },
              {
                "name": "b",
                "then": {
                  "hold": "both"
                }
              }
            ]
          }

          """)
    }
    for name in ["n.yaml", "n"] {
      try StubFileWriter.write([.init(stub("a"))], to: folder.file(name))
      #expect(try folder.read(name) == "patchbay: 1\nstubs:\n- name: a\n  then:\n    hold: both\n")
    }
    let error = #expect(throws: FilesError.self) { try StubFileWriter.write([], to: folder.file("n.yaml/x")) }
    #expect(error?.description == "\(folder.file("n.yaml/x")): cannot be read: Not a directory")
  }

  @Test func whatOfTheBoardBelongsToAFile() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("1.yaml"), folder.file("2.yaml"))
    try folder.write("1.yaml", StubFile.yaml([stub("a"), stub("b"), stub("c")]))
    try folder.write("2.yaml", StubFile.yaml([stub("x"), stub("y")]))
    var board = StubBoard()
    for edit: StubEdit in [
      .fileLoaded(path: one, try StubFile.read(one).stubs), .fileLoaded(path: two, try StubFile.read(two).stubs),
      .remove(name: "b"), .remove(name: "x"), .add(stub("mine"), at: nil), .add(stub("other"), at: nil),
    ] { board = try board.apply(edit) }
    #expect(try StubFileWriter.write(board, to: one).stubs.map(\.name) == ["a", "c"])
    #expect(try StubFile.read(two).stubs.map(\.name) == ["x", "y"])
    let names = try StubFileWriter.write(board, to: two, adding: ["mine"]).stubs.map(\.name)
    #expect(names.sorted() == ["mine", "y"])
  }

  /// What is written keeps the ends of the lines that were there.
  @Test func lineEndsOfWindowsStayInWhatIsNew() throws {
    let text = "patchbay: 1\r\nstubs:\r\n# é\r\n- name: a\r\n  then: {hold: both}\r\n"
    let file = try StubFile.parse(text, path: "s.yaml")
    let written = try StubFileWriter.text(
      file, [.init(file.stubs[0], baseline: file.stubs[0]), .init(Stub(name: "b", then: .hold(.request)))])
    #expect(written.utf8.elementsEqual((text + "\r\n- name: b\r\n  then:\r\n    hold: request\r\n").utf8))
    // One line end of another kind, and they are all left as they are.
    let mixed = try StubFile.parse("patchbay: 1\r\nstubs:\n- name: a\r\n  then: {hold: both}\n", path: "s.yaml")
    var changed = mixed.stubs[0]
    changed.enabled = false
    let both = try StubFileWriter.text(mixed, [.init(changed, baseline: mixed.stubs[0])])
    #expect(try StubFile.parse(both, path: "s.yaml").stubs == [changed])
  }
}
