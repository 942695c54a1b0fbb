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

  /// The parser recurses; lists and maps in brackets without end must not reach it. Those in texts count too where one could
  /// begin, so the limit is far above what anybody writes; those of terminal colours stand behind an escape and do not.
  private static func refuseDeepNesting(_ text: String) throws(StubError) {
    var depth = 0
    var line = 1
    // At the beginning of a line, behind `,` `:` `-` `?`, another bracket, or a tag or an anchor.
    var mayOpen = true
    var isProperty = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard mayOpen else { continue }
        depth += 1
        if depth > 400 {
          throw StubError("the brackets are nested too deeply", at: SourcePosition(line: line, column: 1))
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(depth - 1, 0)
        mayOpen = false
      case 0x0A, 0x0D:
        line += byte == 0x0A ? 1 : 0
        mayOpen = true
        isProperty = false
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"): mayOpen = true
      case UInt8(ascii: "!"), UInt8(ascii: "&"): isProperty = isProperty || mayOpen
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        mayOpen = mayOpen || isProperty
        isProperty = false
      // Marks of byte order and the rarer ends of lines among them.
      case 0x80...: break
      default: mayOpen = isProperty
      }
    }
  }
}

/// What a plain scalar is by YAML 1.2's core schema (§10.3.2): `NO` is text, `010` is ten.
enum CoreSchema {
  static func kind(of text: String) -> DocumentNode.Kind {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE", "false", "False", "FALSE": .bool
    default: isNumber(Array(text.utf8)) ? .number : .text
    }
  }

  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    if rest.starts(with: "0x".utf8) { return rest.count > 2 && rest.dropFirst(2).allSatisfy { isHex($0) } }
    if rest.starts(with: "0o".utf8) {
      return rest.count > 2 && rest.dropFirst(2).allSatisfy { (0x30...0x37).contains($0) }
    }
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { rest.removeFirst() }
    let word = String(decoding: rest, as: UTF8.self)
    if [".inf", ".Inf", ".INF"].contains(word) { return true }
    if [".nan", ".NaN", ".NAN"].contains(word) { return rest.count == bytes.count }
    let whole = digits(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = digits(&rest)
    }
    guard whole + fraction > 0 else { return false }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
    let count = rest.prefix { $0 &- 0x30 < 10 }.count
    rest = rest.dropFirst(count)
    return count
  }

  private static func isHex(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }
}

/// Parses YAML in which keys repeat, which the parser refuses at the first: each repeat is noted as a mistake and its
/// key put out of the way, so that the other mistakes of the file can be told too.
private struct RepeatedKeys {
  private(set) var mistakes: [StubError] = []
  private var text: String
  private var count = 0

  /// Parsing again and again is for texts that people write.
  private static let sizeLimit = 1 << 20
  private static let limit = 50

  init(_ text: String) { self.text = text }

  /// The document; the error is one that is no repeat.
  mutating func root() throws(StubError) -> Node? {
    while true {
      switch Self.parse(text) {
      case .success(let root): return root
      case .failure(let error):
        guard case .duplicatedKeysInMapping(let names, let context) = error, count < Self.limit,
          text.utf8.count <= Self.sizeLimit, setAside(names, after: context.mark)
        else { throw YAMLMistake.explain(error, in: text) }
      }
    }
  }

  /// Whether the key is one that was put out of the way.
  static func isSetAside(_ key: String) -> Bool {
    guard let first = key.unicodeScalars.first else { return false }
    return (0xE000..<0xE000 + UInt32(limit)).contains(first.value) && key.unicodeScalars.allSatisfy { $0 == first }
  }

  /// The kinds of values are our own affair (`CoreSchema`): with its rules the parser would try seven regular expressions
  /// on each key, a third of the time that 100,000 stubs take.
  private static func parse(_ text: String) -> Result<Node?, YamlError> {
    // A text that fits into the string itself has no lasting address, which the parser wants.
    let padded =
      text.utf8.count < 64 ? text + (text.hasSuffix("\n") ? "" : "\n") + "#" + String(repeating: " ", count: 64) : text
    do {
      return .success(try Parser(yaml: padded, resolver: .basic, encoding: .utf8).singleRoot())
    } catch {
      return .failure(error as? YamlError ?? .no)
    }
  }

  private typealias Place = (start: Int, position: SourcePosition)

  /// Finds the keys of the first name that stand in the same map: those without which the error is another. Mostly it is one
  /// that is there once more.
  private mutating func setAside(_ all: [String], after mark: Mark) -> Bool {
    let name = all.first ?? ""
    let wanted = Array(name.unicodeScalars)
    let scalars = Array(text.unicodeScalars)
    let found = Self.places(of: wanted, in: scalars, after: SourcePosition(line: mark.line, column: mark.column))

    func replacing(_ places: [Place]) -> String {
      var changed = scalars
      for (number, place) in places.enumerated() {
        guard let stand = Unicode.Scalar(0xE000 + UInt32(count + number)) else { continue }
        changed.replaceSubrange(
          place.start..<place.start + wanted.count, with: repeatElement(stand, count: wanted.count))
      }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: changed)
      return String(view)
    }
    func isAnother(without places: [Place]) -> Bool {
      guard case .failure(let error) = Self.parse(replacing(places)) else { return true }
      guard case .duplicatedKeysInMapping(let names, let context) = error else { return false }
      return names != all || context.mark.line != mark.line || context.mark.column != mark.column
    }

    var repeats = found.first { isAnother(without: [$0]) }.map { [$0] } ?? []
    if repeats.isEmpty {
      // More than once more: as many as it takes, without those of other maps.
      guard let enough = (2..<max(2, found.count + 1)).first(where: { isAnother(without: Array(found.prefix($0))) })
      else { return false }
      repeats = Array(found.prefix(enough))
      for place in repeats.dropLast() {
        let fewer = repeats.filter { $0.start != place.start }
        if isAnother(without: fewer) { repeats = fewer }
      }
    }
    guard count + repeats.count <= Self.limit else { return false }
    mistakes += repeats.map { place in
      StubError("the key `\(name)` is there twice in one map (first on line \(mark.line))", at: place.position)
    }
    text = replacing(repeats)
    count += repeats.count
    return true
  }

  /// Where that key stands behind a place, in whatever maps.
  private static func places(
    of wanted: [Unicode.Scalar], in scalars: [Unicode.Scalar], after start: SourcePosition
  ) -> [Place] {
    guard !wanted.isEmpty else { return [] }
    var found: [Place] = []
    var position = SourcePosition(line: 1, column: 1)
    for at in scalars.indices where found.count < limit {
      let here = position
      position =
        scalars[at] == "\n"
        ? SourcePosition(line: here.line + 1, column: 1) : SourcePosition(line: here.line, column: here.column + 1)
      if here > start, isKey(wanted, scalars, at) { found.append((at, here)) }
    }
    return found
  }

  private static func isKey(_ wanted: [Unicode.Scalar], _ scalars: [Unicode.Scalar], _ at: Int) -> Bool {
    guard at + wanted.count < scalars.count, scalars[at] == wanted[0],
      scalars[at..<at + wanted.count].elementsEqual(wanted)
    else { return false }
    if at > 0, !" \t\n,{\"'".unicodeScalars.contains(scalars[at - 1]) { return false }
    let next = scalars[(at + wanted.count)...].first { $0 != "\"" && $0 != "'" && $0 != " " }
    return next == ":"
  }
}
