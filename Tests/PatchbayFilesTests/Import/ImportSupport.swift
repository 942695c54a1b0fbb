import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Stubs that were made of a document, and what was said of it.
struct ImportedDocument {
  let stubs: [Stub]
  let notes: [String]
  let text: String

  /// - Parameter name: of the file; its ending says nothing.
  init(_ document: String, name: String = "document.json", sourceLocation: SourceLocation = #_sourceLocation) throws {
    let folder = try TemporaryFolder()
    try self.init(paths: [folder.write(name, document)])
  }

  init(paths: [String], output: String? = nil) throws {
    let imported = try StubImport.read(paths, output: output)
    text = imported.text
    notes = imported.notes.map(\.description)
    // Whatever comes out is a stub file without mistakes.
    stubs = try StubFile.parse(imported.text, path: output ?? "stubs.yaml", checksBodies: true).stubs
    #expect(stubs.count == imported.count)
  }

  subscript(_ name: String) -> Stub? { stubs.first { $0.name == name } }

  /// The name of the stub that answers.
  func answering(
    _ method: String, _ url: String, _ headers: [HeaderField] = [], body: String? = nil
  ) -> String? {
    let facts = RequestFacts(method: method, url: url, headers: headers, body: body.map { Data($0.utf8) })
    return StubMatcher(StubSet(stubs: stubs)).explain(facts).first { $0.matches }?.stub
  }

  /// What it answers with.
  func answer(_ method: String, _ url: String, _ headers: [HeaderField] = [], body: String? = nil) -> CannedResponse? {
    guard let name = answering(method, url, headers, body: body), case .respond(let response)? = self[name]?.then else {
      return nil
    }
    return response
  }

  func says(_ text: String) -> Bool { notes.contains { $0.contains(text) } }
}
