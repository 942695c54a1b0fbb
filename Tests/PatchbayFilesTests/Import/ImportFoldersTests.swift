import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Folders of documents: which of their files are read, and in what order.
@Suite(.bounded) struct ImportFoldersTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String) throws {
    let path = URL(fileURLWithPath: folder.file(name))
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
  }

  private func mapping(_ name: String, _ priority: Int = 5) -> String {
    #"{"name": "\#(name)", "priority": \#(priority), "request": {}, "response": {}}"#
  }

  private func notes(_ read: ImportedDocument) -> [String] {
    read.notes.map { $0.replacing(folder.path, with: "F") }
  }

  @Test func filesAreReadByTheirEndingsInTheOrderOfTheirPaths() throws {
    try write("b.json", mapping("b"))
    try write("a/z.YAML", mapping("z"))
    try write("a/y.yml", mapping("y"))
    try write("C.Json", mapping("c"))
    try write("d.curl", "curl https://h.example/d\n")
    try write("e.sh", "curl https://h.example/e\n")
    try write(".hidden.json", mapping("hidden"))
    try write(".git/f.json", mapping("git"))
    try write("__files/g.json", mapping("file"))
    try write("a/__files/h.json", mapping("file"))
    symlink(folder.file("b.json"), folder.file("link.json"))
    symlink(folder.file("a"), folder.file("linked"))
    let read = try ImportedDocument(paths: [folder.path + "/"])
    // cURL's are there at once; of the mappings the last that was added comes first.
    #expect(read.stubs.map(\.name) == ["GET /d", "GET /e", "b", "z", "y", "c"])
    #expect(
      read.text.hasPrefix(
        "# Imported by patchbay from C.Json (WireMock), y.yml (WireMock), z.YAML (WireMock), b.json (WireMock), "
          + "d.curl (cURL), ….\n"))
    #expect(
      notes(read) == [
        "F/d.curl:1:1: a command tells no answer: each stub answers 200 without a body until one is written",
        "F/e.sh:1:1: a command tells no answer: each stub answers 200 without a body until one is written",
      ])
  }

  @Test(arguments: [
    (1, "1 other file was passed over (n1.txt)"), (2, "2 other files were passed over (n1.txt, n2.txt)"),
    (5, "5 other files were passed over (n1.txt, n2.txt, n3.txt, n4.txt, n5.txt)"),
    (6, "6 other files were passed over (n1.txt, n2.txt, n3.txt, n4.txt, n5.txt, …)"),
  ])
  func otherFilesAreNamed(_ count: Int, _ sentence: String) throws {
    try write("a.json", mapping("a"))
    for number in 1...count { try write("n\(number).txt", "") }
    #expect(try notes(ImportedDocument(paths: [folder.path])) == ["F: \(sentence)"])
  }

  @Test func whatCannotBeReadIsNotedAndTheOthersAreRead() throws {
    try write("a.json", "{")
    try write("b.json", mapping("b"))
    try write("c.yaml", "swagger: '2.0'")
    let read = try ImportedDocument(paths: [folder.path])
    #expect(read.stubs.map(\.name) == ["b"])
    #expect(read.text.hasPrefix("# Imported by patchbay from b.json (WireMock).\n"))
    let said = notes(read)
    #expect(
      said.count == 2 && said[0].hasPrefix("F/a.json:1:") && said[1].hasPrefix("F/c.yaml: is OpenAPI 2 (Swagger)"))
    // Named by itself it is refused.
    #expect(throws: FilesError.self) { try ImportedDocument(paths: [folder.file("b.json"), folder.file("c.yaml")]) }
  }

  @Test func aFolderWithoutDocumentsIsRefused() throws {
    try write("a.txt", "")
    try write("b.json", "{}")
    let error = #expect(throws: FilesError.self) { try ImportedDocument(paths: [folder.path]) }
    #expect(
      error?.mistakes.map { $0.description.replacing(folder.path, with: "F") } == [
        "F/b.json: is none of WireMock mappings, OpenAPI 3, a Postman collection and cURL commands",
        "F: 1 other file was passed over (a.txt)", "F: holds no document that can be imported",
      ])
    // Beside another that has some, that is a note.
    let other = try TemporaryFolder()
    try other.write("m.json", mapping("m"))
    let read = try ImportedDocument(paths: [other.file("m.json"), folder.path])
    #expect(notes(read).last == "F: holds no document that can be imported" && read.stubs.count == 1)
  }

  @Test func foldersAreReadSixteenDeep() throws {
    let deep = (1...16).map { "\($0)/" }.joined()
    try write(deep + "a.json", mapping("sixteen"))
    try write(deep + "17/b.json", mapping("seventeen"))
    #expect(try ImportedDocument(paths: [folder.path]).stubs.map(\.name) == ["sixteen"])
  }

  @Test func aFolderOfTooManyFilesIsRefused() throws {
    try write("a.json", mapping("a"))
    for number in 1..<10_000 { close(open(folder.file("\(number)"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
    #expect(try ImportedDocument(paths: [folder.path]).says("9999 other files were passed over"))
    try write("more", "")
    let error = #expect(throws: FilesError.self) { try ImportedDocument(paths: [folder.path]) }
    #expect(error?.description == "\(folder.path): holds more than 10000 files: name the folders that are meant")
  }

  /// `__files` lies in the folder, or beside it, or a little further up.
  @Test(arguments: [("", true), ("1/", true), ("1/2/", true), ("1/2/3/", true), ("1/2/3/4/", false)])
  func bodiesAreLookedForFurtherUp(_ depth: String, _ isFound: Bool) throws {
    try write("__files/body.txt", "found")
    try write(depth + "m.json", #"{"request": {}, "response": {"bodyFileName": "body.txt"}}"#)
    let file = try ImportedDocument(paths: [folder.file(depth + "m.json")])
    #expect(file.answer("GET", "http://h/")?.body == (isFound ? .text("found") : CannedResponse.Body.none))
    guard !depth.isEmpty else { return }
    let whole = try ImportedDocument(paths: [folder.file(String(depth.dropLast()))])
    #expect(whole.answer("GET", "http://h/")?.body == (isFound ? .text("found") : CannedResponse.Body.none))
    #expect(whole.says("there is no `__files` beside the mappings") == !isFound)
  }

  @Test func theBodiesInTheFolderComeBeforeThoseBesideIt() throws {
    try write("__files/body.txt", "beside")
    try write("m/__files/body.txt", "inside")
    try write("m/m.json", #"{"request": {}, "response": {"bodyFileName": "body.txt"}}"#)
    let read = try ImportedDocument(paths: [folder.file("m")])
    #expect(read.answer("GET", "http://h/")?.body == .text("inside"))
  }

  @Test func aCommandIsAnArgumentUnlessAFileIsCalledSo() throws {
    let read = try ImportedDocument(paths: ["curl https://h.example/a"])
    #expect(read.text.hasPrefix("# Imported by patchbay from the command (cURL).\n"))
    #expect(read.stubs.map(\.name) == ["GET /a"])
    #expect(
      read.notes == [
        "the command:1:1: a command tells no answer: each stub answers 200 without a body until one is written"
      ])
    let error = #expect(throws: FilesError.self) { try StubImport.read(["curly.json"]) }
    #expect(error?.description == "curly.json: cannot be read: No such file or directory")
  }

  @Test func ofManyDocumentsFiveAreNamed() throws {
    for number in 1...7 { try write("\(number).json", mapping("\(number)")) }
    func head(_ count: Int) throws -> String {
      let text = try ImportedDocument(paths: (1...count).map { folder.file("\($0).json") }).text
      return String(text.prefix { $0 != "\n" }).replacing(" (WireMock)", with: "")
    }
    #expect(try head(1) == "# Imported by patchbay from 1.json.")
    #expect(try head(5) == "# Imported by patchbay from 1.json, 2.json, 3.json, 4.json, 5.json.")
    #expect(try head(6) == "# Imported by patchbay from 1.json, 2.json, 3.json, 4.json, 5.json, ….")
    #expect(try head(7) == "# Imported by patchbay from 1.json, 2.json, 3.json, 4.json, 5.json, ….")
  }

  @Test func documentsWithoutAnyStubAreTold() throws {
    try write("o.json", #"{"openapi": "3.0.0", "paths": {"/a": {"x": 1}}}"#)
    try write("p.json", #"{"info": {}, "item": []}"#)
    let read = try ImportedDocument(paths: [folder.file("o.json"), folder.file("p.json")])
    #expect(
      notes(read) == [
        "F/o.json: it names no operation under `paths`: no stub is made of it",
        "F/p.json: the collection holds no request: no stub is made of it",
      ])
    #expect(read.text == "# Imported by patchbay from o.json (OpenAPI), p.json (Postman).\npatchbay: 1\nstubs: []\n")
  }
}
