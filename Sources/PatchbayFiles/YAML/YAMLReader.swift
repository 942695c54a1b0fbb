import Foundation
import PatchbayStubs
import Yams

/// Reads YAML into nodes with their places, by the 1.2 core schema from the nodes' own text.
enum YAMLReader {
  /// So many nodes more than it has characters may aliases make of a document.
  private static let nodeLimit = 200_000
  private static let depthLimit = 200

  /// One document; an empty one is nothing.
  static func document(_ text: String) throws(StubError) -> DocumentNode {
    let (node, repeats) = try documentWithRepeats(text)
    if let first = repeats.first { throw first }
    return node
  }

  /// One document in which keys may repeat: the first of a name counts, the others are mistakes.
  static func documentWithRepeats(_ text: String) throws(StubError) -> (node: DocumentNode, repeats: [StubError]) {
    try refuseDeepNesting(text)
    var keys = RepeatedKeys(text)
    guard let root = try keys.root() else {
      return (DocumentNode(.scalar("", .null), at: SourcePosition(line: 1, column: 1)), keys.mistakes)
    }
    var converter = Converter(left: nodeLimit + text.utf8.count)
    return (try converter.node(root, depth: 0), keys.mistakes)
  }

  private struct Converter {
    var left: Int

    mutating func node(_ node: Node, depth: Int) throws(StubError) -> DocumentNode {
      left -= 1
      let place = node.mark.map { SourcePosition(line: $0.line, column: $0.column) }
      guard left > 0 else { throw StubError("the document has too many nodes (aliases of aliases?)", at: place) }
      guard depth < depthLimit else { throw StubError("the document is nested too deeply", at: place) }
      switch node {
      case .scalar(let scalar): return DocumentNode(.scalar(scalar.string, kind(of: scalar)), at: place)
      case .sequence(let sequence):
        var items: [DocumentNode] = []
        for item in sequence { items.append(try self.node(item, depth: depth + 1)) }
        return DocumentNode(.list(items), at: place)
      case .mapping(let mapping):
        var entries: [DocumentNode.Entry] = []
        for (key, value) in mapping {
          let keyPlace = key.mark.map { SourcePosition(line: $0.line, column: $0.column) }
          guard case .scalar(let name) = key else {
            throw StubError("a key must be a text, not a list or a map", at: keyPlace ?? place)
          }
          if RepeatedKeys.isSetAside(name.string) { continue }
          let converted = try self.node(value, depth: depth + 1)
          entries.append(DocumentNode.Entry(name.string, at: keyPlace, value: converted))
        }
        return DocumentNode(.map(entries), at: place)
      case .alias: throw StubError("an alias cannot stand here", at: place)
      }
    }

    private func kind(of scalar: Node.Scalar) -> DocumentNode.Kind {
      switch scalar.tag.rawValue {
      case "tag:yaml.org,2002:str", "!": return .text
      default: break
      }
      return scalar.style == .plain || scalar.style == .any ? CoreSchema.kind(of: scalar.string) : .text
    }
  }

  /// The parser recurses; brackets without end must not reach it. Those in comments and quotes count too, so the limit
  /// is far above what anybody writes.
  private static func refuseDeepNesting(_ text: String) throws(StubError) {
    var depth = 0
    var line = 1
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > 400 {
          throw StubError("the brackets are nested too deeply", at: SourcePosition(line: line, column: 1))
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(depth - 1, 0)
      case 0x0A: line += 1
      default: break
      }
    }
  }
}
