import Foundation
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Bodies that lie in files beside what is imported.
@Suite(.bounded) final class ImportedBodiesTests {
  private let folder: TemporaryFolder
  private var files: String { folder.file("__files") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("__files/deep"), withIntermediateDirectories: true)
  }

  private func write(_ name: String, _ data: Data) throws {
    try data.write(to: URL(fileURLWithPath: files + "/" + name))
  }

  private func found(_ name: String, _ bodies: inout ImportedBodies) -> String {
    do throws(StubError) {
      switch try bodies.body(name, in: files) {
      case .text(let text): return "text \(text.utf8.count)"
      case .bytes(let data): return "bytes \(data.count)"
      case .file(let path): return "file \(path)"
      }
    } catch { return error.description }
  }

  @Test func aBodyIsTextWhereItCanBe() throws {
    try write("a.txt", Data("häl".utf8))
    try write("deep/b.json", Data("{}".utf8))
    try write("nul.txt", Data("a\0b".utf8))
    try write("bytes.bin", Data([0xFF, 0xFE]))
    try write("empty", Data())
    var bodies = ImportedBodies(output: nil)
    let said = ["a.txt", "/a.txt", "//a.txt", "deep/b.json", "nul.txt", "bytes.bin", "empty", "deep/../a.txt"].map {
      found($0, &bodies)
    }
    #expect(said == ["text 4", "text 4", "text 4", "text 2", "bytes 3", "bytes 2", "text 0", "text 4"])
  }

  @Test func whatLiesElsewhereIsNotRead() throws {
    _ = try folder.write("secret", to: "secret.txt")
    try FileManager.default.createSymbolicLink(
      atPath: files + "/link.txt", withDestinationPath: folder.file("secret.txt"))
    var bodies = ImportedBodies(output: nil)
    #expect(found("../secret.txt", &bodies) == "the file `../secret.txt` lies outside `__files` and is not read")
    #expect(found("link.txt", &bodies) == "the file `link.txt` lies outside `__files` and is not read")
    #expect(found("none.txt", &bodies) == "the file `none.txt` is not in `__files`")
    #expect(found("", &bodies).hasSuffix("lies outside `__files` and is not read"))
    #expect(found("deep", &bodies).hasPrefix("the file `deep` "))
    #expect(throws: StubError("the file `a` is not in `__files`")) { try bodies.body("a", in: folder.file("nowhere")) }
  }

  @Test func largeOnesStayFiles() throws {
    try write("small", Data(repeating: 0x61, count: 64 << 10))
    try write("large", Data(repeating: 0x61, count: 64 << 10 + 1))
    let root = try #require(Path.resolved(files))
    var bodies = ImportedBodies(output: nil)
    #expect(found("small", &bodies) == "text \(64 << 10)")
    #expect(found("large", &bodies) == "file \(root)/large")
    var beside = ImportedBodies(output: folder.file("stubs.yaml"))
    #expect(found("large", &beside) == "file __files/large")
    var inside = ImportedBodies(output: folder.file("__files/stubs.yaml"))
    #expect(found("large", &inside) == "file large")
    var elsewhere = ImportedBodies(output: folder.file("__files/deep/stubs.yaml"))
    #expect(found("large", &elsewhere) == "file \(root)/large")
  }

  @Test func fourMebibytesAreWrittenIntoTheStubFile() throws {
    try write("part", Data(repeating: 0x61, count: 64 << 10))
    try write("one", Data("a".utf8))
    try write("empty", Data())
    var bodies = ImportedBodies(output: folder.file("stubs.yaml"))
    for _ in 0..<63 { #expect(found("part", &bodies) == "text \(64 << 10)") }
    #expect(found("one", &bodies) == "text 1")
    #expect(found("part", &bodies) == "file __files/part", "one byte too many")
    #expect(found("one", &bodies) == "text 1")
    #expect(found("empty", &bodies) == "text 0")
    var exact = ImportedBodies(output: folder.file("stubs.yaml"))
    for _ in 0..<64 { #expect(found("part", &exact) == "text \(64 << 10)") }
    #expect(found("one", &exact) == "file __files/one")
    #expect(found("empty", &exact) == "text 0")
  }

  @Test func filesWhoseNameIsMadeForEachRequest() throws {
    let bodies = ImportedBodies(output: folder.file("stubs.yaml"))
    #expect(bodies.place("{{ path.id }}.json", in: files) == "__files/{{ path.id }}.json")
    #expect(bodies.place("//a/{{ x }}", in: files) == "__files/a/{{ x }}")
    #expect(bodies.place("a", in: folder.file("nowhere")) == nil)
    let root = try #require(Path.resolved(files))
    #expect(ImportedBodies(output: nil).place("a", in: files) == root + "/a")
  }
}
