import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// What a shell completes: lines as they were typed up to now.
@Suite(.bounded) struct TypedLineTests {
  // MARK: Values of options

  @Test(arguments: [
    ("patchbay stubs list --socket /tmp/a ", "/tmp/a"), ("patchbay stubs list --socket=/tmp/a", "/tmp/a"),
    ("patchbay stubs list --socket '/tmp/a b'", "/tmp/a b"),
    ("patchbay stubs list --socket \"/tmp/a b\" x", "/tmp/a b"),
    ("patchbay stubs list --socket /tmp/a\\ b", "/tmp/a b"),
    ("patchbay stubs list --socket '/tmp/a\\ b'", "/tmp/a\\ b"),
    ("patchbay stubs list --socket \"/tmp/a'b\"", "/tmp/a'b"), ("patchbay stubs list --socket '/tmp/\"'", "/tmp/\""),
    ("patchbay stubs list --socket \"/tmp/\\\"\"", "/tmp/\""), ("patchbay stubs list --socket /a --socket /b", "/a"),
    ("patchbay  stubs   list  --socket   /tmp/a", "/tmp/a"), ("patchbay stubs list --socket=", ""),
    ("patchbay stubs list --socket ", ""), ("patchbay stubs list --socket", nil), ("patchbay stubs list ", nil),
    ("patchbay stubs list --sockets /a", nil), ("", nil),
  ])
  func valuesOfOptions(_ line: String, _ value: String?) {
    #expect(TypedLine(line).value(of: "--socket") == value)
  }

  // MARK: The command of `run`

  private static let commands: [(String, [String]?)] = [
    ("patchbay run sw", ["sw"]), ("patchbay run swift te", ["swift", "te"]), ("patchbay run swift ", ["swift", ""]),
    ("patchbay run ", [""]), ("patchbay run -- ", [""]), ("patchbay run -- sw", ["sw"]),
    ("patchbay run -- --x", ["--x"]), ("patchbay run --headless sw", ["sw"]),
    ("patchbay run --for 3s sw", ["sw"]), ("patchbay run --for=3s sw", ["sw"]),
    ("patchbay run --for 3s -- sw --for ", ["sw", "--for", ""]), ("patchbay run sw -- x", ["sw", "--", "x"]),
    ("patchbay run --head", nil), ("patchbay run --for 3", nil), ("patchbay run --for", nil),
    ("patchbay stubs list ", nil),
  ]

  @Test(arguments: commands) func theCommandOfRun(_ line: String, _ words: [String]?) {
    #expect(TypedLine(line).command == words)
  }

  @Test func programsAreOfferedThenFiles() throws {
    let folder = try TemporaryFolder()
    let manager = FileManager.default
    func make(_ name: String, _ mode: Int) throws {
      let path = try folder.write("", to: name)
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    for name in ["bin", "other", "bin/tool-folder", "work", "work/tool-work", "work/.hidden", "work/sub"] {
      try manager.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    try make("bin/tool-b", 0o755)
    try make("bin/tool-a", 0o755)
    try make("bin/tool-plain", 0o644)
    try make("bin/awk", 0o755)
    try make("other/tool-a", 0o755)
    try make("other/tool-c", 0o700)
    try manager.createSymbolicLink(atPath: folder.file("other/tool-link"), withDestinationPath: folder.file("bin/awk"))
    try manager.createSymbolicLink(atPath: folder.file("other/tool-dir"), withDestinationPath: folder.file("bin"))
    try manager.createSymbolicLink(atPath: folder.file("other/tool-gone"), withDestinationPath: folder.file("none"))
    try make("work/sub/b.txt", 0o644)
    try make("work/sub/a.txt", 0o644)
    let path = "\(folder.file("bin")):\(folder.file("other")):\(folder.file("none"))"
    func offered(_ line: String) -> [String] { TypedLine(line).commandWords(path: path) }

    #expect(offered("patchbay run tool-") == ["tool-a", "tool-b", "tool-c", "tool-link"])
    #expect(offered("patchbay run tool-b") == ["tool-b"])
    #expect(offered("patchbay run --headless -- aw") == ["awk"])
    let work = folder.file("work")
    #expect(offered("patchbay run \(work)/") == ["\(work)/sub/", "\(work)/tool-work/"])
    #expect(offered("patchbay run \(work)/.") == ["\(work)/.hidden/"])
    #expect(offered("patchbay run \(work)/su") == ["\(work)/sub/"])
    #expect(offered("patchbay run \(work)/sub/") == ["\(work)/sub/a.txt", "\(work)/sub/b.txt"])
    #expect(offered("patchbay run awk tool-") == [], "behind the program there are files only")
    #expect(offered("patchbay run awk \(work)/sub/a") == ["\(work)/sub/a.txt"])
    #expect(offered("patchbay run --for 3") == [])
    #expect(offered("patchbay stubs list tool") == [])
  }

  @Test func aLinkToNothingIsNoFolder() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("gone"), withDestinationPath: folder.file("nothing"))
    #expect(TypedLine("patchbay run \(folder.file("go"))").commandWords(path: "") == [folder.file("gone")])
  }

  // MARK: Names

  @Test(arguments: [
    (["5.9", ""], "a\\:b:means it"), (["", "3.7"], "a:b\tmeans it"), (["", ""], "a:b"), ([], "a:b"),
  ])
  func namesAsEachShellTakesThem(_ shells: [String], _ line: String) {
    #expect(OfferedName.line("a:b", "means it", shells: shells) == line)
  }

  @Test func namesDoNothingToTheTerminal() {
    #expect(OfferedName.line("a\u{1B}", "b\n", shells: ["", "3"]) == "a␛\tb␊")
  }
}
