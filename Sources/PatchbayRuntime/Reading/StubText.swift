import Foundation
import PatchbayFiles
import PatchbayStubs

/// Stubs as the text of a stub file.
enum StubText {
  static func yaml(_ stubs: [Stub]) -> String { StubFile.yaml(stubs) }

  /// Writes a stub file of these stubs, mode 0600.
  static func save(_ stubs: [Stub], to path: String) throws {
    let data = Data(yaml(stubs).utf8)
    let draft = "\(path).\(getpid()).new"
    let isMade = FileManager.default.createFile(atPath: draft, contents: data, attributes: [.posixPermissions: 0o600])
    guard isMade, rename(draft, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(draft)
      throw RuntimeError(reason)
    }
  }

  /// The one stub of a text that a person has edited.
  ///
  /// - Throws: all mistakes with their places.
  static func single(_ text: String) throws -> Stub { try StubFile.stub(text) }
}
