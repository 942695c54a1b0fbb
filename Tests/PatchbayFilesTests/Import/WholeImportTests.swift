import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Documents in which about everything stands that an importer knows, and the whole of what becomes of them: the stub file
/// and what is said of it. With `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeImportTests {
  @Test(arguments: ["wiremock.json", "postman.json", "openapi.yaml", "curl.sh"])
  func becomes(_ name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Whole")
    let read = try ImportedDocument(paths: [folder.appendingPathComponent(name).path])
    let seen = (read.text + "\n" + read.notes.joined(separator: "\n") + "\n")
      .replacingOccurrences(of: folder.path + "/", with: "")
    try expectRecorded(seen, "Whole/\(name).stubs")
  }
}
