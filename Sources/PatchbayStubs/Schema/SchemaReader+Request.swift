/// What `pass` sends instead of what the program asked.
extension SchemaReader {
  func target(_ node: DocumentNode) -> String? {
    guard let text = text(node, "`to`") else { return nil }
    checkTemplate(text, node)
    if checks, let clause = PassChanges(to: text).mistakeOfTarget { mistake(clause, node) }
    return text
  }

  func requestChanges(_ node: DocumentNode) -> RequestChanges? {
    if node.isNull { return RequestChanges() }
    guard let map = map(node, "`request`", StubSchema.Keys.request) else { return nil }
    var changes = RequestChanges()
    changes.method = map["method"].flatMap { method($0) }
    changes.scheme = map["scheme"].flatMap { scheme($0) }
    changes.host = map["host"].flatMap { host($0) }
    changes.port = map["port"].flatMap { integer($0, "`port`", in: checks ? 1...65_535 : 0...Int.max) }
    changes.path = map["path"].flatMap { templated($0, "`path`") }
    if let value = map["query"] {
      changes.query = pairs(value, "`query`").map { name, position, value in
        if checks, name.isEmpty { mistake("an item of `query` has no name", at: position) }
        let texts = value.isNull ? [] : queryValues(value, name)
        return RequestChanges.QueryChange(name, texts.isEmpty ? nil : texts)
      }
    }
    if let value = map["headers"] { changes.headers = headerChanges(value) }
    let bodies = StubSchema.Keys.requestBodies.filter { map[$0] != nil }
    if bodies.count > 1, let second = map[bodies[1]] {
      mistake("`request` has \(bodies.joined(separator: " and ")); give one of them", second)
    }
    if let kind = bodies.first, let value = map[kind] {
      changes.body = body(kind, value)
      // The console reads it, before it knows any request.
      if checks, case .file(let path) = changes.body, Template.isNeeded(for: path) {
        mistake("the `file` of a `request` cannot hold templates; name one file, or write `body`", value)
      }
    }
    changes.mergePatch = map["mergePatch"].map { json($0) }
    if let value = map["replace"] { changes.replace = replacements(value) }
    if checks, let method = changes.method.map({ HTTPMethod.normal($0) }), method == "GET" || method == "HEAD",
      let kind = bodies.first ?? ["mergePatch", "replace"].first(where: { map[$0] != nil }), let value = map[kind]
    {
      mistake("a \(method) carries no body, so `\(kind)` has nothing to change", value)
    }
    return changes
  }

  private func queryValues(_ node: DocumentNode, _ name: String) -> [String] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    return nodes.compactMap { templated($0, "the query item `\(name.shortened(to: 40))`") }
  }

  private func templated(_ node: DocumentNode, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    checkTemplate(text, node)
    return text
  }

  /// RFC 9110 §9.1: a token.
  private func method(_ node: DocumentNode) -> String? {
    guard let text = text(node, "`method`") else { return nil }
    if checks, !FieldToken.isOne(text) { mistake("`\(text.shortened(to: 40))` is no name of a method", node) }
    return text
  }

  private func scheme(_ node: DocumentNode) -> String? {
    guard let text = templated(node, "`scheme`") else { return nil }
    if checks, !Template.isNeeded(for: text), !["http", "https"].contains(text.lowercased()) {
      mistake("`scheme` must be http or https, not \(node.summary)", node)
    }
    return text
  }

  private func host(_ node: DocumentNode) -> String? {
    guard let text = templated(node, "`host`") else { return nil }
    if checks, !Template.isNeeded(for: text), let clause = RequestChanges.mistake(inHost: text) {
      mistake(clause, node)
    }
    return text
  }
}
