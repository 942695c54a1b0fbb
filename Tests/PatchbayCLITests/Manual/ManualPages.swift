import Foundation
import PatchbayTestSupport

/// The manual's files in the sources, where the tests that write tables anew find them.
enum ManualFiles {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appendingPathComponent("Sources/PatchbayManual/PatchbayManual.docc")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }.sorted()
  }
}

/// A code block of a page.
struct Snippet: Sendable {
  let page: String
  let language: String
  let lines: [String]

  var text: String { lines.map { $0 + "\n" }.joined() }

  static func all() throws -> [Snippet] {
    let pages = try ManualFiles.names().map { ($0, try ManualFiles.text($0)) }
    let readme = try String(contentsOf: ManualFiles.root.appendingPathComponent("README.md"), encoding: .utf8)
    return (pages + [("README.md", readme)]).flatMap { snippets(of: $1, page: $0) }
  }

  private static func snippets(of text: String, page: String) -> [Snippet] {
    var found: [Snippet] = []
    var open: (language: String, lines: [String])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let block = open {
        if line.hasPrefix("```") {
          found.append(Snippet(page: page, language: block.language, lines: block.lines))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), [])
      }
    }
    return found
  }
}
