import ArgumentParser
import Foundation
import PatchbayFiles
import PatchbayRuntime
import PatchbaySystem

/// `patchbay stubs import FILE|FOLDER… [-o FILE]`
struct StubsImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a stub file of WireMock mappings, OpenAPI 3, Postman collections or cURL commands.",
    discussion: """
      What a document is is told by its content; a folder may hold mappings with __files. What stubs cannot say is named \
      with its place on standard error.
      """)

  @Argument(
    help: ArgumentHelp(
      "Documents and folders of them; - is standard input; a cURL command itself in quotes.", valueName: "file"),
    completion: .file())
  var files: [String]
  @Option(
    name: [.short, .long], help: ArgumentHelp("The stub file to write; else standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  func run() throws {
    let target = output == "-" ? nil : output
    let imported = try StubImport.read(files, output: target)
    for note in imported.notes { StandardError.say("\(note)") }
    guard let target else {
      try FileHandle.standardOutput.write(contentsOf: Data(imported.text.utf8))
      return
    }
    do {
      try OutputFile.write(Array(imported.text.utf8), to: target)
    } catch {
      throw RuntimeError("\(target) cannot be written (\(error.reason)): free some space, or choose another file.")
    }
    StandardError.say("wrote \(imported.count) stub\(imported.count == 1 ? "" : "s") to \(target).")
  }
}
