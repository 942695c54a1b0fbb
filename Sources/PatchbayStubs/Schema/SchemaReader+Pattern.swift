extension SchemaReader {
  func pattern(_ node: DocumentNode) -> RequestPattern {
    var pattern = RequestPattern()
    guard let map = map(node, "`when`", StubSchema.Keys.when) else { return pattern }
    if let value = map["method"] { pattern.methods = methods(value) }
    pattern.url = map["url"].flatMap { textPattern($0, "`url`") }
    pattern.scheme = map["scheme"].flatMap { textPattern($0, "`scheme`") }
    pattern.host = map["host"].flatMap { textPattern($0, "`host`") }
    pattern.path = map["path"].flatMap { textPattern($0, "`path`") }
    pattern.process = map["process"].flatMap { textPattern($0, "`process`") }
    if let value = map["port"] { pattern.port = integer(value, "`port`", in: 0...65_535) }
    if let value = map["query"] { pattern.query = conditions(value, "`query`") }
    if let value = map["headers"] { pattern.headers = conditions(value, "`headers`") }
    if let value = map["body"] { pattern.body = bodyPattern(value) }
    return pattern
  }

  private func methods(_ node: DocumentNode) -> [String] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    if nodes.isEmpty { mistake("`method` is an empty list; leave it out for all methods", node) }
    return nodes.compactMap { node in
      guard let name = text(node, "`method`") else { return nil }
      if checks, name.isEmpty || !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) {
        mistake("`\(name)` is no method; several are written as a list: [GET, POST]", node)
      }
      return HTTPMethod.normal(name)
    }
  }

  func textPattern(_ node: DocumentNode, _ what: String) -> TextPattern? {
    guard case .map = node.value else { return text(node, what).map { .glob($0) } }
    guard let map = map(node, what, StubSchema.Keys.text) else { return nil }
    guard let value = map["matches"] else {
      mistake("\(what) must be a text or { matches: … }", node)
      return nil
    }
    return regularExpression(value).map { .matches($0) }
  }

  private func regularExpression(_ node: DocumentNode) -> String? {
    guard let source = text(node, "`matches`") else { return nil }
    if checks {
      do throws(StubError) { _ = try PatternRegex(source) } catch { mistake(error.message, node) }
    }
    return source
  }

  private func bodyPattern(_ node: DocumentNode) -> BodyPattern? {
    guard let map = map(node, "`body`", StubSchema.Keys.body) else { return nil }
    var body = BodyPattern()
    body.contains = map["contains"].flatMap { text($0, "`contains`") }
    body.equals = map["equals"].flatMap { text($0, "`equals`") }
    body.matches = map["matches"].flatMap { regularExpression($0) }
    body.json = map["json"].map { json($0) }
    if let value = map["pointer"] {
      body.pointer = pairs(value, "`pointer`").map { key, position, value in
        if checks, let clause = BodyPattern.mistake(inPointer: key) { mistake(clause, at: position) }
        return JSONValue.Member(key, json(value))
      }
    }
    if let value = map["form"] { body.form = conditions(value, "`form`") }
    if let value = map["multipart"] { body.multipart = conditions(value, "`multipart`") }
    return body
  }

  /// Names and patterns; nothing as the value means that the name must be absent.
  private func conditions(_ node: DocumentNode, _ what: String) -> [RequestPattern.Condition] {
    pairs(node, what).map { key, _, value in
      RequestPattern.Condition(key, value.isNull ? nil : textPattern(value, "`\(key)`"))
    }
  }

  /// The entries of a map, or of a list of maps, which can name the same key again.
  func pairs(_ node: DocumentNode, _ what: String) -> [(String, SourcePosition?, DocumentNode)] {
    switch node.value {
    case .map(let entries):
      var seen = Set<String>()
      for entry in entries where !seen.insert(entry.key).inserted {
        mistake("the key `\(entry.key)` is there twice", at: entry.keyPosition ?? node.position)
      }
      return entries.map { ($0.key, $0.keyPosition ?? node.position, $0.value) }
    case .list(let items):
      return items.flatMap { item -> [(String, SourcePosition?, DocumentNode)] in
        guard case .map = item.value else {
          mistake("\(what) must be a map, or a list of maps with one key each, not \(item.summary)", item)
          return []
        }
        return pairs(item, what)
      }
    case .scalar:
      mistake("\(what) must be a map of names and values, not \(node.summary)", node)
      return []
    }
  }
}
