import Foundation

/// Reads nodes by the schema and collects every mistake. One at a time, for one thread.
package final class SchemaReader {
  package private(set) var mistakes: [StubError] = []
  /// Regular expressions, templates and names of faults are looked into; a stub from the wire was when it was made.
  let checks: Bool
  /// `code` may stand as an action: in what the console sends back of a stub that a program declares, not in files.
  let allowsCode: Bool
  /// How many patterns stand around the one that is being read.
  var nesting = 0
  static let nestingLimit = 16
  /// Of the stub that is being read.
  private var files: [StubSchema.FileReference] = []
  private(set) var allFiles: [StubSchema.FileReference] = []

  /// The lines of the file, where there is one.
  let source: [Substring]?
  /// What templates of the stub that is being read may name; nil where its pattern is not known.
  private(set) var groups: KnownGroups?

  package init(checks: Bool = true, allowsCode: Bool = false, source: String? = nil) {
    self.source = source?.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    self.checks = checks
    self.allowsCode = allowsCode || !checks
  }

  package func mistake(_ message: String, _ node: DocumentNode) {
    mistakes.append(StubError(message, at: node.position))
  }
  package func mistake(_ message: String, at position: SourcePosition?) {
    mistakes.append(StubError(message, at: position))
  }

  /// The value, or the mistakes as one error.
  func finish<Value>(_ value: Value?) throws(StubError) -> Value {
    let found = mistakes.inOrder
    guard let value, found.isEmpty else {
      let first = found.first ?? StubError("it cannot be read")
      let others = found.dropFirst().map { "\n" + $0.description }.joined()
      throw StubError(first.message + others, at: first.position)
    }
    return value
  }

  // MARK: - Files and stubs

  func file(_ node: DocumentNode) -> [StubSchema.Located] {
    let list: DocumentNode
    if case .list = node.value {
      mistake("the file must begin with `patchbay: 1`, and have its list under `stubs:`", node)
      list = node
    } else {
      guard let map = map(node, "the file", StubSchema.Keys.file) else { return [] }
      if let version = map["patchbay"] {
        if case .scalar("1", .number) = version.value {
        } else {
          mistake("this Patchbay reads version 1 of stub files, not \(version.summary)", version)
        }
      } else {
        mistake("the first line must be `patchbay: \(StubSchema.version)`", node)
      }
      guard let stubs = map["stubs"], !stubs.isNull else { return [] }
      list = stubs
    }
    guard case .list(let items) = list.value else {
      mistake("`stubs` must be a list, not \(list.summary); begin each stub with `- name: …`", list)
      return []
    }
    var seen: [String: SourcePosition?] = [:]
    return items.compactMap { item in
      let located = stub(item)
      // Of a stub with other mistakes too.
      guard let node = item["name"], case .scalar(let name, let kind) = node.value, kind != .null else {
        return located
      }
      if let other = seen[name] {
        let place = other.map { " (line \($0.line))" } ?? ""
        mistake("the name `\(name)` is taken by another stub\(place)", at: node.position)
        return nil
      }
      seen[name] = node.position
      return located
    }
  }

  func stub(_ node: DocumentNode) -> StubSchema.Located? {
    let before = mistakes.count
    files = []
    guard let map = map(node, "a stub", StubSchema.Keys.stub) else { return nil }
    let given = map["name"].flatMap { text($0, "`name`") }
    let name = given ?? ""
    if map["name"] == nil { lacking("a stub needs a `name`", node, map) }
    if checks, let given, let place = map["name"], given.allSatisfy(\.isWhitespace) {
      mistake("the `name` is empty", place)
    }
    var stub = Stub(name: name, then: .pass(PassChanges()))
    if let value = map["enabled"] { stub.enabled = bool(value, "`enabled`") ?? true }
    if let value = map["when"], !value.isNull { stub.when = pattern(value) }
    groups = checks && mistakes.count == before ? KnownGroups(stub.when) : nil
    if let value = map["then"] {
      stub.then = action(value, "`then`", steps: true) ?? stub.then
    } else {
      lacking("the stub `\(name)` needs a `then`", node, map)
    }
    if let value = map["skip"] { stub.skip = integer(value, "`skip`", in: 0...Int.max) ?? 0 }
    if let value = map["times"] { stub.times = integer(value, "`times`", in: (checks ? 1 : 0)...Int.max) }
    if let value = map["chance"] { stub.chance = share(value) }
    if let value = map["seed"] { stub.seed = seed(value) }
    if let value = map["scenario"] { stub.scenario = scenario(value) }
    guard mistakes.count == before else { return nil }
    return StubSchema.Located(stub: stub, node: node, namePosition: map["name"]?.position, files: files)
  }

  private func scenario(_ node: DocumentNode) -> Stub.Scenario? {
    guard let map = map(node, "`scenario`", StubSchema.Keys.scenario) else { return nil }
    func name(_ key: String) -> String? {
      guard let value = map[key], let text = text(value, "`\(key)`") else { return nil }
      if checks, text.allSatisfy(\.isWhitespace) { mistake("`\(key)` of the `scenario` is empty", value) }
      return text
    }
    if map["name"] == nil { lacking("`scenario` needs a `name`, which its stubs have in common", node, map) }
    let scenario = Stub.Scenario(name("name") ?? "", in: name("in"), to: name("to"))
    if checks, map["name"] != nil, map["in"] == nil, map["to"] == nil {
      lacking(
        "`scenario` needs `in` (the state in which the stub answers), `to` (the state that follows) or both", node, map)
    }
    return scenario
  }

  private func share(_ node: DocumentNode) -> Double? {
    guard case .scalar(let text, .number) = node.value, let value = Double(text), (0...1).contains(value) else {
      mistake("`chance` must be a number from 0 to 1, not \(node.summary)", node)
      return nil
    }
    return value
  }

  private func seed(_ node: DocumentNode) -> UInt64? {
    guard case .scalar(let text, .number) = node.value, let value = UInt64(text) else {
      mistake("`seed` must be a whole number, 0 or more, not \(node.summary)", node)
      return nil
    }
    return value
  }

  func noteFile(_ path: String, _ node: DocumentNode, isFolder: Bool = false) {
    let file = StubSchema.FileReference(path: path, position: node.position, isFolder: isFolder)
    files.append(file)
    allFiles.append(file)
  }

  // MARK: - Maps and scalars

  /// The entries of a map, of which every key must be one of these.
  package func map(_ node: DocumentNode, _ what: String, _ keys: [String]) -> [String: DocumentNode]? {
    guard case .map(let entries) = node.value else {
      mistake("\(what) must be a map with \(keys.orList), not \(node.summary)", node)
      return nil
    }
    var found: [String: DocumentNode] = [:]
    for entry in entries {
      if !keys.contains(entry.key) {
        let rest = entry.key == "<<" ? "; YAML 1.2 has no merging: write the keys out" : "; expected \(keys.orList)"
        let end = NearestName.hint(for: entry.key, among: keys, otherwise: rest)
        mistake(
          "unknown key `\(entry.key.shortened(to: 40))` in \(what)\(end)", at: entry.keyPosition ?? node.position)
      } else if found.updateValue(entry.value, forKey: entry.key) != nil {
        mistake("the key `\(entry.key)` is there twice", at: entry.keyPosition ?? node.position)
      }
    }
    return found
  }

  /// Says what a map lacks, unless a key of it is not known, which may be what is meant: a misspelt key is one mistake, not
  /// two.
  func lacking(_ message: String, _ node: DocumentNode, _ known: [String: DocumentNode]) {
    if case .map(let entries) = node.value, entries.count == known.count { mistake(message, node) }
  }

  /// A scalar's text as it was written; nothing is a mistake.
  package func text(_ node: DocumentNode, _ what: String) -> String? {
    guard case .scalar(let text, let kind) = node.value, kind != .null else {
      mistake("\(what) must be a text, not \(node.summary)", node)
      return nil
    }
    return text
  }

  package func bool(_ node: DocumentNode, _ what: String) -> Bool? {
    guard case .scalar(let text, .bool) = node.value else {
      mistake("\(what) must be true or false, not \(node.summary)", node)
      return nil
    }
    return text.lowercased() == "true"
  }

  package func integer(_ node: DocumentNode, _ what: String, in range: ClosedRange<Int>) -> Int? {
    guard case .scalar(let text, .number) = node.value, let value = Int(text), range.contains(value) else {
      let bounds =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      mistake("\(what) must be a whole number, \(bounds), not \(node.summary)", node)
      return nil
    }
    return value
  }

  package func duration(_ node: DocumentNode, _ what: String) -> Duration? {
    guard case .scalar(let text, let kind) = node.value, kind != .null, let value = DurationText.parse(text) else {
      mistake("\(what) must be a duration such as 300ms, 2s or 1m, not \(node.summary)", node)
      return nil
    }
    return value
  }

  package func size(_ node: DocumentNode, _ what: String) -> Int? {
    guard case .scalar(let text, let kind) = node.value, kind != .null, let value = SizeText.parse(text) else {
      mistake("\(what) must be a size such as 100, 20kB or 5MiB, not \(node.summary)", node)
      return nil
    }
    return value
  }

  func json(_ node: DocumentNode) -> JSONValue {
    JSONValue(node) { self.mistake($0, $1) }
  }
}

extension [String] {
  /// `a, b or c`
  var orList: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + (last ?? "")
  }
}
