import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct StubFileWriterTests {
  private let base = """
    # Our stubs.
    patchbay: 1
    stubs:
    # The first one.
    - name: one          # its name
      # Whether it is on:
      enabled: false     # not yet
      when: { path: /one }   # flow
      then:
        respond:
          # The status.
          status: 200    # fine
          headers:
            X-A: "1"     # a header
          json: { a: 1 }

    # ---- A section of its own

    # The second one.
    - name: two
      when:
        path: "/two*"    # a glob
      then: { fail: timedOut }

    - name: three
      then:
        hold: both       # both

    # The end.
    """

  /// A file that has no stubs yet gets its first where others have theirs.
  @Test(arguments: [
    ("patchbay: 1\n", "patchbay: 1\nstubs:\n"), ("patchbay: 1\nstubs:\n", "patchbay: 1\nstubs:\n"),
    ("patchbay: 1\nstubs: []   # none yet\n# end\n", "patchbay: 1\nstubs:   # none yet\n"),
    ("# a\npatchbay: 1\n\n", "# a\npatchbay: 1\nstubs:\n"), ("patchbay: 1\nstubs: ~\n", "patchbay: 1\nstubs:\n"),
    ("patchbay: 1\nstubs: null", "patchbay: 1\nstubs:\n"),
  ])
  func theFirstStubStandsAtTheMargin(_ text: String, _ before: String) throws {
    let after = text.contains("# end") ? "# end\n" : ""
    let changed = try change(text) {
      $0.append(StubFileWriter.Edited(Stub(name: "new", then: .hold(.both)), baseline: nil))
      $0.append(StubFileWriter.Edited(Stub(name: "next", then: .hold(.request)), baseline: nil))
    }
    #expect(
      changed == before + "- name: new\n  then:\n    hold: both\n\n- name: next\n  then:\n    hold: request\n" + after)
  }

  /// A comment above a group of stubs is the person's, whichever of them go.
  @Test func theCommentOfAGroupOutlivesItsStubs() throws {
    let names = ["a", "b", "c", "d", "e"]
    let sections = ["b": "# ---- B", "c": "# ---- C", "e": "# ---- E"]
    let stubs = names.map { "\(sections[$0].map { "\n\($0)\n\n" } ?? "")- name: \($0)\n  then: { hold: both }\n" }
    let text = "patchbay: 1\nstubs:\n" + stubs.joined()
    for bits in 0..<32 {
      let gone = Set(names.indices.filter { bits >> $0 & 1 == 1 }.map { names[$0] })
      let written = try change(text) { $0.removeAll { gone.contains($0.stub.name) } }
      for comment in sections.values.sorted() {
        #expect(written.components(separatedBy: comment).count == 2, "\(comment) without \(gone.sorted()):\n\(written)")
      }
    }
  }

  private func change(_ text: String, path: String = "s.yaml", _ edit: (inout [StubFileWriter.Edited]) -> Void) throws
    -> String
  {
    let file = try StubFile.parse(text, path: path)
    var stubs = file.stubs.map { StubFileWriter.Edited($0, baseline: $0) }
    edit(&stubs)
    let removed = Set(file.stubs.map(\.name)).subtracting(stubs.compactMap { $0.baseline?.name })
    return try StubFileWriter.text(file, stubs, removing: Array(removed))
  }

  @Test func nothingChangedIsTheSameText() throws {
    #expect(try change(base + "\n") { _ in } == base + "\n")
  }

  @Test func aKeyThatIsNewBeforeOneThatChangedLeavesTheOthersComments() throws {
    let text = try change("patchbay: 1\nstubs:\n- name: a   # keep me\n  then: { respond: { status: 299 } }\n") {
      $0[0].stub.enabled = false
      $0[0].stub.then = .respond(CannedResponse(status: 201))
    }
    #expect(
      text == """
        patchbay: 1
        stubs:
        - name: a   # keep me
          enabled: false
          then: { respond: { status: 201 } }

        """)
  }

  @Test func switchingTouchesOneWord() throws {
    let on = try change(base) { $0[0].stub.enabled = true }
    #expect(on == base.replacingOccurrences(of: "enabled: false     #", with: "enabled: true     #") + "\n")
    let off = try change(base) { $0[1].stub.enabled = false }
    #expect(off == base.replacingOccurrences(of: "- name: two\n", with: "- name: two\n  enabled: false\n") + "\n")
  }

  @Test func editingTouchesTheChangedLines() throws {
    let edited = try change(base) {
      guard case .respond(var response) = $0[0].stub.then else { return }
      response.status = 503
      response.delay = .fixed(.seconds(2))
      response.body = .json(["b": "ただいま"])
      $0[0].stub.then = .respond(response)
      $0[1].stub.when.path = .glob("/zwei")
    }
    let expected =
      base
      .replacingOccurrences(of: "status: 200    # fine", with: "status: 503    # fine")
      .replacingOccurrences(of: "      json: { a: 1 }\n", with: "      json:\n        b: ただいま\n      delay: 2s\n")
      .replacingOccurrences(of: "path: \"/two*\"    #", with: "path: /zwei    #")
    #expect(edited == expected + "\n")
  }

  @Test func renamingKeepsTheComment() throws {
    let renamed = try change(base) { $0[0].stub.name = "eins" }
    #expect(renamed == base.replacingOccurrences(of: "name: one          #", with: "name: eins          #") + "\n")
  }

  @Test func addingRemovingMoving() throws {
    let added = try change(base) {
      $0.insert(.init(Stub(name: "new", then: .fail(Fault(.named("offline"))))), at: 1)
    }
    let stub = "- name: new\n  then:\n    fail: offline\n"
    #expect(added == base.replacingOccurrences(of: "# ---- A section", with: stub + "\n# ---- A section") + "\n")
    let removed = try change(base) { $0.remove(at: 1) }
    #expect(removed.contains("# ---- A section of its own\n\n- name: three"))
    #expect(removed.contains("name: two") == false)
    #expect(removed.contains("# The second one.") == false)
    let moved = try change(base) { $0.swapAt(0, 2) }
    #expect(try StubFile.parse(moved, path: "s.yaml").stubs.map(\.name) == ["three", "two", "one"])
    for comment in ["# Our stubs.", "# The first one.\n- name: one", "# Whether it is on:", "# The end.", "# both"] {
      #expect(moved.contains(comment), "\(comment)")
    }
    let emptied = try change(base) { $0 = [] }
    #expect(try StubFile.parse(emptied, path: "s.yaml").stubs.isEmpty)
  }

  @Test(arguments: [
    "patchbay: 1\nstubs:\n", "patchbay: 1\nstubs: []  # none\n", "patchbay: 1", "# x\npatchbay: 1\nstubs: ~\n",
  ])
  func emptyFilesTakeStubs(_ text: String) throws {
    let filled = try change(text) { $0 = [.init(Stub(name: "a", then: .hold(.request)))] }
    #expect(try StubFile.parse(filled, path: "s.yaml").stubs.map(\.name) == ["a"])
  }

  /// A lone CR ends a line in YAML, but not for the writer, which would take the file apart at the wrong places.
  @Test func aFileWhoseLinesCannotBeToldApartIsRefused() throws {
    #expect(throws: FilesError.self) {
      try change("patchbay: 1\rstubs: []\r") { $0 = [.init(Stub(name: "a", then: .hold(.request)))] }
    }
  }

  @Test func lineEndsStay() throws {
    let windows = base.replacingOccurrences(of: "\n", with: "\r\n")
    let on = try change(windows) { $0[0].stub.enabled = true }
    #expect(on.unicodeScalars.filter { $0 == "\n" }.count == on.unicodeScalars.filter { $0 == "\r" }.count)
    #expect(on.contains("enabled: true     # not yet\r\n"))
  }

  @Test func listsOnOneLineAreRefusedOrKept() throws {
    let text = "patchbay: 1\nstubs: [{name: a, then: {hold: both}}, {name: b, then: {hold: both}}]  # all\n"
    #expect(throws: FilesError.self) { try change(text) { $0[0].stub.enabled = false } }
    let items =
      "patchbay: 1\nstubs:\n  - {name: a, then: {hold: both}}   # a\n  - {name: b, then: {hold: both}}   # b\n"
    let changed = try change(items) { $0[0].stub.enabled = false }
    #expect(changed.contains("  - {name: b, then: {hold: both}}   # b\n"))
    #expect(try StubFile.parse(changed, path: "s.yaml").stubs[0].enabled == false)
  }

  @Test func anchorsAreNotBroken() throws {
    let text = """
      patchbay: 1
      stubs:
      - name: a
        when: &w
          path: /x
        then: {hold: both}
      - name: b
        when: *w
        then: {hold: both}
      """
    // Changing the anchor's text would change the other stub: it is told, and nothing is lost.
    #expect(throws: FilesError.self) { try change(text) { $0[0].stub.when.path = .glob("/y") } }
    let other = try change(text) { $0[1].stub.when.path = .glob("/y") }
    #expect(other.contains("when: &w\n    path: /x"))
  }

  @Test func jsonFilesKeepWhatDidNotChange() throws {
    let text = """
      {
        "patchbay": 1,
        "stubs": [
          { "name": "a",   "then": { "hold": "both" } },
          { "name": "b", "then": {"hold":"both"} }
        ]
      }
      """
    let changed = try change(text, path: "s.json") {
      $0[1].stub.enabled = false
      $0.append(.init(Stub(name: "c", then: .hold(.request))))
    }
    #expect(changed.contains("{ \"name\": \"a\",   \"then\": { \"hold\": \"both\" } },"))
    #expect(try StubFile.parse(changed, path: "s.json").stubs.map(\.name) == ["a", "b", "c"])
    let added = try change("{\"patchbay\": 1}", path: "s.json") { $0 = [.init(Stub(name: "c", then: .hold(.request)))] }
    #expect(try StubFile.parse(added, path: "s.json").stubs.map(\.name) == ["c"])
    let emptied = try change(text, path: "s.json") { $0 = [] }
    #expect(try StubFile.parse(emptied, path: "s.json").stubs.isEmpty)
  }

  /// Members that come and go, on one line and on many; the rest keeps its bytes.
  @Test func ofAStubInJSONWhatIsTheSameKeepsItsBytes() throws {
    let text = """
      { "patchbay": 1, "stubs": [
        { "enabled": false, "name": "a", "then": { "respond": { "status": 500, "delay": "1s", "json": {"b": [1,2], "c":"é"} } } },
        {
          "name": "b",
          "skip":  2,
          "then": {
            "respond": {
              "headers": {"X-A":"1"}
            }
          },
          "times": 3
        },
        {"name":"c","then":{"hold":"both"}}
      ] }
      """
    func changed(_ place: Int, _ change: (inout Stub) -> Void) throws -> String {
      try self.change(text, path: "s.json") { change(&$0[place].stub) }
    }
    func instead(_ old: String, _ new: String) -> String {
      #expect(text.contains(old))
      return text.replacingOccurrences(of: old, with: new)
    }
    #expect(try changed(0) { $0.enabled = true } == instead("\"enabled\": false", "\"enabled\": true"))
    #expect(try changed(2) { $0.enabled = false } == instead("\"c\",\"then\"", "\"c\",\"enabled\":false,\"then\""))
    #expect(try changed(1) { $0.skip = 0 } == instead("    \"skip\":  2,\n", ""))
    #expect(try changed(1) { $0.times = nil } == instead(",\n    \"times\": 3", ""))
    let noNumbers = try changed(1) { ($0.skip, $0.times) = (0, nil) }
    #expect(noNumbers == instead("    \"skip\":  2,\n", "").replacingOccurrences(of: ",\n    \"times\": 3", with: ""))
    #expect(try changed(1) { $0.chance = 0.5 }.contains("\"skip\":  2,\n    \"chance\":  0.5,\n    \"then\": {"))
    #expect(try changed(2) { $0.then = .hold(.request) } == instead("{\"hold\":\"both\"}", "{\"hold\":\"request\"}"))
    let other = instead("{\"hold\":\"both\"}", "{\"respond\":{\"status\":204}}")
    #expect(try changed(2) { $0.then = .respond(CannedResponse(status: 204)) } == other)
    func respond(_ place: Int, _ change: (inout CannedResponse) -> Void) throws -> String {
      try changed(place) { stub in
        guard case .respond(var response) = stub.then else { return }
        change(&response)
        stub.then = .respond(response)
      }
    }
    let less = instead("{\"b\": [1,2], \"c\":\"é\"}", "{\"c\":\"é\"}")
    #expect(try respond(0) { $0.body = .json(["c": "é"]) } == less)
    #expect(try respond(0) { $0.delay = nil } == instead("\"delay\": \"1s\", ", ""))
    let body = instead("[1,2], \"c\":\"é\"", "[1,7], \"c\":\"é\",\"d\":null")
    #expect(try respond(0) { $0.body = .json(["b": [1, 7], "c": "é", "d": .null]) } == body)
    #expect(
      try respond(1) { $0.headers.append(.init("X-B", "2")) }
        == instead("{\"X-A\":\"1\"}", "{\"X-A\":\"1\",\"X-B\":\"2\"}"))
  }

  @Test func writesFromTheBoard() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", base)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    var board = StubBoard()
    for edit: StubEdit in [
      .fileLoaded(path: path, try StubFile.read(path).stubs), .setEnabled(name: "one", true), .remove(name: "two"),
      .add(Stub(name: "mine", then: .hold(.request)), at: nil),
      .add(Stub(name: "other", then: .hold(.request)), at: nil),
    ] { board = try board.apply(edit) }
    // Somebody adds a stub to the file meanwhile: it stays.
    let meanwhile = try folder.read("s.yaml").replacingOccurrences(
      of: "- name: three", with: "- name: late\n  then: {hold: both}\n\n- name: three")
    try folder.write("s.yaml", meanwhile)
    let file = try StubFileWriter.write(board, to: path, adding: ["mine"])
    #expect(file.stubs.map(\.name) == ["mine", "one", "late", "three"])
    #expect(try StubFile.read(path).stubs == file.stubs)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    board = try board.apply(.fileLoaded(path: path, file.stubs))
    #expect(board.entries.filter(\.edited).isEmpty)
    #expect(board.removed.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["s.yaml"])
  }

  /// What a file has before its first line and at the ends of its lines stays.
  @Test(arguments: ["\u{FEFF}", ""]) func byteOrderMarksAndLineEndsStay(mark: String) throws {
    let folder = try TemporaryFolder()
    let old =
      mark + "# mine\r\npatchbay: 1\r\nstubs:\r\n- name: a  # first\r\n  enabled: true\r\n  then: {hold: both}\r\n"
    let path = try folder.write("s.yaml", old)
    let baseline = try StubFile.read(path).stubs[0]
    var stub = baseline
    stub.enabled = false
    try StubFileWriter.write([.init(stub, baseline: baseline)], to: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes == Data(old.replacingOccurrences(of: "enabled: true", with: "enabled: false").utf8))
  }

  @Test func newFilesAreOurs() throws {
    let folder = try TemporaryFolder()
    for name in ["n.yaml", "n.json"] {
      try StubFileWriter.write([.init(Stub(name: "a", then: .hold(.request)))], to: folder.file(name))
      #expect(try StubFile.read(folder.file(name)).stubs.map(\.name) == ["a"])
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(throws: FilesError.self) { try StubFileWriter.write([], to: folder.file("no/n.yaml")) }
  }

  @Test func changesOnBothSidesAreRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", base)
    let old = try StubFile.read(path).stubs[0]
    var mine = old
    mine.enabled = true
    try folder.write("s.yaml", base.replacingOccurrences(of: "status: 200", with: "status: 201"))
    #expect(throws: FilesError.self) { try StubFileWriter.write([.init(mine, baseline: old)], to: path) }
    // One that is not changed here takes what the file says.
    let file = try StubFileWriter.write([.init(old, baseline: old)], to: path)
    #expect(file.text.contains("status: 201"))
  }
}
