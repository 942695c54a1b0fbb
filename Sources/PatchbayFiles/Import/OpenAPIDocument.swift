import Foundation
import PatchbayStubs
import PatchbaySystem

/// A piece of an OpenAPI document, and the file in which it stands: references are relative to that.
struct OpenAPINode {
  var node: DocumentNode
  var file: Int

  subscript(_ key: String) -> OpenAPINode? { node[key].map { OpenAPINode(node: $0, file: file) } }

  var list: [OpenAPINode]? { node.list.map { $0.map { OpenAPINode(node: $0, file: file) } } }

  var entries: [(key: String, value: OpenAPINode)] {
    node.entries.map { ($0.key, OpenAPINode(node: $0.value, file: file)) }
  }
}

/// The document's files, and what `$ref` means in them. For one thread.
final class OpenAPIDocument {
  let root: OpenAPINode
  private(set) var paths: [String]
  private var nodes: [DocumentNode]
  private var known: [String: Int] = [:]
  /// Members of a map by their names: a document may refer to each of a hundred thousand.
  private var members: [String: [String: DocumentNode]] = [:]
  /// The folder below which referred files may lie, without symbolic links.
  private let folder: String?

  private static let fileLimit = 1_000
  /// References to references.
  private static let chainLimit = 30

  init(_ node: DocumentNode, path: String) {
    root = OpenAPINode(node: node, file: 0)
    nodes = [node]
    paths = [path]
    folder = path == "-" ? nil : Path.resolved(Path.folder(of: path))
  }

  func path(of node: OpenAPINode) -> String { paths[node.file] }

  /// What the node stands for.
  ///
  /// - Parameter followed: gets the references that were followed, each a file and a pointer.
  /// - Throws: a clause that says why it is nothing.
  func resolved(_ node: OpenAPINode, followed: inout [String]) throws(StubError) -> OpenAPINode {
    var node = node
    for _ in 0..<Self.chainLimit {
      guard let reference = node.node["$ref"], let text = reference.string else { return node }
      do throws(StubError) {
        node = try target(text, from: node.file, followed: &followed)
      } catch {
        throw StubError(error.message, at: reference.position)
      }
    }
    throw StubError("a `$ref` refers to itself", at: node.node.position)
  }

  func resolved(_ node: OpenAPINode) throws(StubError) -> OpenAPINode {
    var followed: [String] = []
    return try resolved(node, followed: &followed)
  }

  private func target(_ reference: String, from file: Int, followed: inout [String]) throws(StubError) -> OpenAPINode {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var file = file
    if !parts[0].isEmpty { file = try load(parts[0], from: file) }
    let pointer = parts.count > 1 ? parts[1] : ""
    followed.append("\(file)#\(pointer)")
    guard let found = node(pointer, in: file) else {
      throw StubError("the reference `\(reference.shortened(to: 100))` leads nowhere")
    }
    return OpenAPINode(node: found, file: file)
  }

  /// A JSON Pointer as it stands in a fragment.
  private func node(_ pointer: String, in file: Int) -> DocumentNode? {
    var node = nodes[file]
    guard !pointer.isEmpty else { return node }
    guard pointer.hasPrefix("/") else { return nil }
    var place = "\(file)#"
    for part in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).prefix(100) {
      let name = (part.removingPercentEncoding ?? String(part)).replacingOccurrences(of: "~1", with: "/")
        .replacingOccurrences(of: "~0", with: "~")
      if let items = node.list {
        guard let index = Int(name), items.indices.contains(index) else { return nil }
        node = items[index]
      } else {
        let parent = node
        let found = members[place, default: [:]]
        if found.isEmpty {
          members[place] = Dictionary(parent.entries.map { ($0.key, $0.value) }) { first, _ in first }
        }
        guard let next = members[place]?[name] else { return nil }
        node = next
      }
      place += "/" + part
    }
    return node
  }

  // MARK: - Files

  private func load(_ reference: String, from file: Int) throws(StubError) -> Int {
    guard !reference.contains("://") else {
      throw StubError("the reference `\(reference.shortened(to: 100))` leads to the network, which is not asked")
    }
    let name = reference.removingPercentEncoding ?? reference
    let place = Path.join(Path.folder(of: paths[file]), name)
    guard let folder, let path = Path.resolved(place) else {
      throw StubError("the file `\(name.shortened(to: 100))` that is referred to is not there")
    }
    if let known = known[path] { return known }
    guard path.hasPrefix(folder == "/" ? "/" : folder + "/") else {
      throw StubError(
        "the file `\(name.shortened(to: 100))` lies outside the document's folder and is not read: bundle the document")
    }
    guard nodes.count < Self.fileLimit else { throw StubError("it refers to more than \(Self.fileLimit) files") }
    let node: DocumentNode
    do throws(FilesError) {
      let text = try TextFile.text(path)
      do throws(StubError) {
        node = try Self.parse(text)
      } catch { throw FilesError(path: path, [error]) }
    } catch {
      throw StubError("the file `\(name.shortened(to: 100))` cannot be read: \(error.mistakes.first?.message ?? "")")
    }
    nodes.append(node)
    paths.append(place)
    known[path] = nodes.count - 1
    return nodes.count - 1
  }

  private static func parse(_ text: String) throws(StubError) -> DocumentNode {
    let first = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
    if first == "{" || first == "[" { return try DocumentNode(parsingJSON: Array(text.utf8)) }
    let node = try YAMLReader.documentWithRepeats(text).node
    return text.contains("<<:") ? node.withMerges(depth: 0) : node
  }
}
