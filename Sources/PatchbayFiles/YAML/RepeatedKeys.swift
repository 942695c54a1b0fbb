import PatchbayStubs
import Yams

/// Parses YAML in which keys repeat, which the parser refuses at the first: each repeat is noted as a mistake and its
/// key put out of the way, so that the other mistakes of the file can be told too.
struct RepeatedKeys {
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

  private static func parse(_ text: String) -> Result<Node?, YamlError> {
    // A text that fits into the string itself has no lasting address, which the parser wants.
    let padded =
      text.utf8.count < 64 ? text + (text.hasSuffix("\n") ? "" : "\n") + "#" + String(repeating: " ", count: 64) : text
    do {
      return .success(try Parser(yaml: padded, encoding: .utf8).singleRoot())
    } catch {
      return .failure(error as? YamlError ?? .no)
    }
  }

  /// Finds the next key of the first name that stands in the same map: the one without which the error is another.
  private mutating func setAside(_ all: [String], after mark: Mark) -> Bool {
    let scalars = Array(text.unicodeScalars)
    let name = all.first ?? ""
    let wanted = Array(name.unicodeScalars)
    guard !wanted.isEmpty, let stand = Unicode.Scalar(0xE000 + UInt32(count)) else { return false }
    var position = SourcePosition(line: 1, column: 1)
    var tries = 0
    for at in scalars.indices {
      let here = position
      position =
        scalars[at] == "\n"
        ? SourcePosition(line: here.line + 1, column: 1) : SourcePosition(line: here.line, column: here.column + 1)
      guard here > SourcePosition(line: mark.line, column: mark.column), Self.isKey(wanted, scalars, at) else {
        continue
      }
      var changed = scalars
      changed.replaceSubrange(at..<at + wanted.count, with: repeatElement(stand, count: wanted.count))
      var view = String.UnicodeScalarView()
      view.append(contentsOf: changed)
      tries += 1
      guard tries < Self.limit else { return false }
      if case .failure(let error) = Self.parse(String(view)) {
        guard case .duplicatedKeysInMapping(let names, let context) = error else { continue }
        if names == all, context.mark.line == mark.line, context.mark.column == mark.column { continue }
      }
      mistakes.append(StubError("the key `\(name)` is there twice in one map (first on line \(mark.line))", at: here))
      text = String(view)
      count += 1
      return true
    }
    return false
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
