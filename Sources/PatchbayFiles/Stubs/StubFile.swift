import Foundation
import PatchbayStubs

/// A stub file as it was read: its text, and the stubs in it with their places.
package struct StubFile: Hashable, Sendable {
  /// As it was given.
  package var path: String
  package var text: String
  package var format: Format
  package var document: DocumentNode
  package var located: [StubSchema.Located]

  package enum Format: String, Hashable, Sendable {
    case yaml
    case json
  }

  package var stubs: [Stub] { located.map(\.stub) }

  /// Reads a file; the error has all its mistakes. The files of `file:` bodies must be there.
  package static func read(_ path: String) throws(FilesError) -> StubFile {
    try parse(try TextFile.text(path), path: path, checksBodies: true)
  }

  /// Reads a text as the file of that path would be read.
  ///
  /// - Parameter checksBodies: whether the files of `file:` bodies must be there.
  package static func parse(_ text: String, path: String, checksBodies: Bool = false) throws(FilesError) -> StubFile {
    let format = format(of: text, path: path)
    let node: DocumentNode
    var mistakes: [StubError] = []
    do throws(StubError) {
      (node, mistakes) = try documentWithRepeats(text, format)
    } catch { throw FilesError(path: path, [error]) }
    let read = StubSchema.document(node)
    mistakes += read.mistakes
    if checksBodies { mistakes += read.files.compactMap { BodyFile.mistake($0, stubFile: path) } }
    guard mistakes.isEmpty else { throw FilesError(path: path, StubSchema.inOrder(mistakes)) }
    return StubFile(path: path, text: text, format: format, document: node, located: read.stubs)
  }

  /// Whether the text is JSON: by the path's end, else by its first character.
  static func format(of text: String, path: String) -> Format {
    let name = path.lowercased()
    if name.hasSuffix(".json") { return .json }
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return .yaml }
    return text.first { !$0.isWhitespace } == "{" ? .json : .yaml
  }

  private static func documentWithRepeats(
    _ text: String, _ format: Format
  ) throws(StubError) -> (DocumentNode, [StubError]) {
    switch format {
    case .json: (try DocumentNode(parsingJSON: Array(text.utf8)), [])
    case .yaml: try YAMLReader.documentWithRepeats(text)
    }
  }

  private static func document(_ text: String, _ format: Format) throws(StubError) -> DocumentNode {
    switch format {
    case .json: try DocumentNode(parsingJSON: Array(text.utf8))
    case .yaml: try YAMLReader.document(text)
    }
  }

  /// One stub as the YAML that a stub file has for it, `- name: …` on, with a line end at the end.
  package static func yaml(_ stub: Stub) -> String {
    YAMLWriter.item(stub.json).joined(separator: "\n") + "\n"
  }

  /// A whole stub file of these stubs.
  package static func yaml(_ stubs: [Stub]) -> String {
    let list = stubs.map { yaml($0) }.joined(separator: "\n")
    return "patchbay: \(StubSchema.version)\n" + (stubs.isEmpty ? "stubs: []\n" : "stubs:\n" + list)
  }

  /// Reads the YAML (or JSON) of one stub, as a person edits it in an editor: a list with one stub, a stub alone, or a
  /// whole file with one. The error has all mistakes.
  package static func stub(_ text: String, path: String = "stub.yaml") throws(FilesError) -> Stub {
    do throws(StubError) {
      var node = try document(text, format(of: text, path: path))
      if case .map = node.value, let list = node["stubs"] { node = list }
      if case .list(let items) = node.value {
        guard items.count == 1 else {
          throw StubError("one stub was expected, not \(items.count)", at: node.position)
        }
        node = items[0]
      }
      return try StubSchema.stub(node, allowsCode: true)
    } catch {
      throw FilesError(path: path, [error])
    }
  }
}
