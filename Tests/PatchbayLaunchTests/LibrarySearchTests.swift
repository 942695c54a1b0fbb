import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

/// The rules of ld.so(8), with programs and libraries that are made here.
@Suite(.bounded) struct LibrarySearchTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("search")
  }

  @discardableResult private func make(
    _ name: String, _ dynamic: [(MadeElf.Tag, String)] = [], machine: UInt16 = 62, is64Bit: Bool = true
  ) throws -> String {
    let path = "\(place.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    let elf = MadeElf(is64Bit: is64Bit, machine: machine, dynamic: dynamic)
    try Data(elf.bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func search(_ libraryPath: String? = nil, system: [String] = []) -> LibrarySearch {
    var search = LibrarySearch(libraryPath: libraryPath)
    search.systemFolders = system
    search.cache = LinkerCache(path: "/nowhere")
    return search
  }

  private func found(_ search: LibrarySearch, _ name: String = "lib.so", of program: String) -> String? {
    search.images([name], loadedBy: program)[name]?.path
  }

  @Test(
    arguments: [
      (nil, []), ("", []), ("/a", ["/a"]), ("/a:/b", ["/a", "/b"]), ("/a;/b", ["/a", "/b"]), (":/a", [".", "/a"]),
      ("/a::/b:", ["/a", ".", "/b", "."]), (":", [".", "."]),
    ] as [(String?, [String])])
  func theFoldersOfTheEnvironment(_ value: String?, _ expected: [String]) {
    #expect(LibrarySearch(libraryPath: value).libraryPath == expected)
  }

  @Test func aPathOfTheProgramComesBeforeOrBehindTheEnvironment() throws {
    for name in ["own", "env", "sys"] { try make("\(name)/lib.so") }
    let both = search("\(place.path)/env", system: ["\(place.path)/sys"])
    let bare = search(system: ["\(place.path)/sys"])
    func expect(_ dynamic: [(MadeElf.Tag, String)], _ first: String, _ second: String, line: Int = #line) throws {
      let program = try make("bin/program", dynamic + [(.needed, "lib.so")])
      #expect(found(both, of: program) == "\(place.path)/\(first)/lib.so", "line \(line)")
      #expect(found(bare, of: program) == "\(place.path)/\(second)/lib.so", "line \(line)")
    }
    try expect([(.rpath, "\(place.path)/own")], "own", "own")
    try expect([(.runpath, "\(place.path)/own")], "env", "own")
    try expect([(.runpath, "$ORIGIN/../own")], "env", "own")
    try expect([(.rpath, "${ORIGIN}/../own")], "own", "own")
    try expect([], "env", "sys")
    try expect([(.rpath, "/nowhere")], "env", "sys")
  }

  @Test func aPathIsInheritedWhereItIsAnRpath() throws {
    try make("deep/lib.so")
    try make("first/middle.so", [(.needed, "lib.so")])
    let rpath = "\(place.path)/first:\(place.path)/deep"
    #expect(found(search(), of: try make("a", [(.rpath, rpath), (.needed, "middle.so")])) != nil)
    #expect(found(search(), of: try make("b", [(.runpath, rpath), (.needed, "middle.so")])) == nil)
    // Of those that led to it the nearest comes first; one with a path of the newer kind takes none of theirs.
    try make("near/lib.so")
    try make("first/middle.so", [(.rpath, "\(place.path)/near"), (.needed, "lib.so")])
    #expect(found(search(), of: "\(place.path)/a") == "\(place.path)/near/lib.so")
    try make("first/middle.so", [(.runpath, "/nowhere"), (.needed, "lib.so")])
    #expect(found(search(), of: "\(place.path)/a") == nil)
    #expect(found(search("\(place.path)/deep"), of: "\(place.path)/a") == "\(place.path)/deep/lib.so")
  }

  @Test func oneForAnotherProcessorIsPassedOver() throws {
    try make("one/lib.so", machine: 183)
    try make("two/lib.so", is64Bit: false)
    _ = try place.folder("three")
    _ = try place.file("three/lib.so", String(repeating: "no library", count: 10))
    try make("four/lib.so")
    let path = ["one", "two", "three", "four"].map { "\(place.path)/\($0)" }.joined(separator: ":")
    #expect(found(search(path), of: try make("a", [(.needed, "lib.so")])) == "\(place.path)/four/lib.so")
    #expect(
      found(search(path), of: try make("b", [(.needed, "lib.so")], machine: 183)) == "\(place.path)/one/lib.so")
  }

  @Test func aNameWithASlashIsAPathAndALinkIsFollowed() throws {
    let real = try make("real/lib-1.so", [(.soname, "lib.so")])
    try FileManager.default.createDirectory(atPath: "\(place.path)/links", withIntermediateDirectories: true)
    #expect(symlink(real, "\(place.path)/links/lib.so") == 0)
    let image = search("\(place.path)/links").images(["lib.so"], loadedBy: try make("a", [(.needed, "lib.so")]))[
      "lib.so"]
    #expect(image?.path == real && image?.file.name == "lib.so")
    let slashed = "\(place.path)/links/lib.so"
    #expect(found(search(), slashed, of: try make("b", [(.needed, slashed)])) == real)
    #expect(found(search("\(place.path)"), "links/lib.so", of: try make("c", [(.needed, "links/lib.so")])) == nil)
  }

  @Test func allThatIsWantedIsFoundAndNothingElse() throws {
    try make("l/one.so", [(.needed, "two.so"), (.needed, "one.so")])
    try make("l/two.so", [(.needed, "one.so"), (.needed, "three.so")])
    try make("l/three.so")
    let program = try make("program", [(.needed, "missing.so"), (.needed, "one.so")])
    let images = search("\(place.path)/l").images(["one.so", "three.so", "four.so"], loadedBy: program)
    #expect(images.mapValues(\.path) == ["one.so": "\(place.path)/l/one.so", "three.so": "\(place.path)/l/three.so"])
    #expect(search("\(place.path)/l").images(["one.so"], loadedBy: "/nowhere").isEmpty)
    #expect(search("\(place.path)/l").images([], loadedBy: program).isEmpty)
  }

  @Test func theLibrariesOfEachThatIsLoadedAreLookedAt() throws {
    try make("l/one.so", [(.needed, "first.so")])
    try make("l/two.so", [(.needed, "second.so")])
    for name in ["first", "second"] { try make("l/\(name).so") }
    let program = try make("program", [(.needed, "one.so"), (.needed, "two.so")])
    let images = search("\(place.path)/l").images(["first.so", "second.so"], loadedBy: program)
    #expect(images.keys.sorted() == ["first.so", "second.so"])
  }

  @Test func theCacheComesBehindPathsAndBeforeTheSystemsFolders() throws {
    for name in ["cached", "sys", "env"] { try make("\(name)/lib.so") }
    let cache = try place.file("cache", "")
    try Data(LinkerCacheTests.bytes([("lib.so", "/nowhere/lib.so"), ("lib.so", "\(place.path)/cached/lib.so")])).write(
      to: URL(fileURLWithPath: cache))
    var some = search(system: ["\(place.path)/sys"])
    some.cache = LinkerCache(path: cache)
    let program = try make("program", [(.needed, "lib.so")])
    #expect(found(some, of: program) == "\(place.path)/cached/lib.so")
    some.libraryPath = ["\(place.path)/env"]
    #expect(found(some, of: program) == "\(place.path)/env/lib.so")
  }

  @Test func theSystemsFoldersAreThoseOfBothProcessors() {
    #expect(
      LibrarySearch().systemFolders == [
        "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
      ])
  }
}

/// The format is glibc's, `sysdeps/generic/dl-cache.h`.
@Suite(.bounded) struct LinkerCacheTests {
  static func bytes(_ files: [(String, String)], count: Int? = nil, magic: String = "glibc-ld.so.cache1.1") -> [UInt8] {
    func int(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    var texts: [UInt8] = []
    var entries: [UInt8] = []
    let start = 48 + 24 * files.count
    for (key, path) in files {
      entries += int(1) + int(start + texts.count) + int(start + texts.count + key.utf8.count + 1)
      entries += [UInt8](repeating: 0xee, count: 12)
      texts += Array(key.utf8) + [0] + Array(path.utf8) + [0]
    }
    return Array(magic.utf8) + int(count ?? files.count) + int(texts.count) + [UInt8](repeating: 0, count: 20)
      + entries + texts
  }

  private func cache(_ bytes: [UInt8]) throws -> LinkerCache {
    let place = try TemporaryFolder("cache")
    let path = "\(place.path)/cache"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return LinkerCache(path: path)
  }

  private static let three = [("a.so", "/1/a.so"), ("b.so", "/1/b.so"), ("a.so", "/2/a.so")]

  @Test func filesComeInTheirOrder() throws {
    let cache = try cache(Self.bytes(Self.three))
    #expect(cache.files(named: "a.so") == ["/1/a.so", "/2/a.so"])
    #expect(cache.files(named: "b.so") == ["/1/b.so"])
    #expect(cache.files(named: "c.so") == [])
  }

  @Test func whatIsCutOffOrOfAnotherKindHasFewer() throws {
    let whole = Self.bytes(Self.three)
    #expect(try cache(Self.bytes(Self.three, count: 2)).files(named: "a.so") == ["/1/a.so"])
    #expect(try cache(Self.bytes(Self.three, magic: "glibc-ld.so.cache1.0")).files(named: "a.so") == [])
    #expect(try cache(Array(whole.prefix(47))).files(named: "a.so") == [])
    // Without the last text's end; then with none of the texts, and with one entry too few.
    #expect(try cache(Array(whole.dropLast())).files(named: "a.so") == ["/1/a.so"])
    #expect(try cache(Array(whole.prefix(48 + 72))).files(named: "a.so") == [])
    #expect(try cache(Array(whole.prefix(48 + 71))).files(named: "a.so") == [])
    // An entry that leads outside is left out, and those behind it are read.
    var bytes = whole
    bytes.replaceSubrange(52..<56, with: [0xff, 0xff, 0xff, 0x7f])
    #expect(try cache(bytes).files(named: "a.so") == ["/2/a.so"])
    // As many entries as there is room for.
    let many = Self.bytes([("", "")], count: 1)
    #expect(try cache(many).files(named: "") == [""])
    #expect(try cache(Self.bytes([("", "")], count: 2)).files(named: "") == [])
  }
}
