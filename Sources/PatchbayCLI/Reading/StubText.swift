import PatchbayFiles
import PatchbayStubs

/// Stubs as the text of a stub file.
enum StubText {
  static func yaml(_ stubs: [Stub]) -> String { StubFile.yaml(stubs) }

  /// The one stub of a text that a person has edited.
  ///
  /// - Throws: all mistakes with their places.
  static func single(_ text: String) throws -> Stub { try StubFile.stub(text) }
}
