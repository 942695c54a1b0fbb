extension SchemaReader {
  func pattern(_ node: DocumentNode, _ what: String = "`when`") -> RequestPattern {
    var pattern = RequestPattern()
    guard let map = map(node, what, StubSchema.Keys.when) else { return pattern }
    if let value = map["method"] { pattern.methods = methods(value) }
    pattern.url = map["url"].flatMap { textPattern($0, "`url`") }
    pattern.scheme = map["scheme"].flatMap { textPattern($0, "`scheme`") }
    pattern.host = map["host"].flatMap { textPattern($0, "`host`") }
    pattern.path = map["path"].flatMap { textPattern($0, "`path`") }
    pattern.process = map["process"].flatMap { textPattern($0, "`process`") }
    if let value = map["port"] { pattern.port = port(value) }
    if let value = map["query"] { pattern.query = conditions(value, "`query`") }
    if let value = map["headers"] { pattern.headers = conditions(value, "`headers`") }
    if let value = map["body"] { pattern.body = bodyPattern(value) }
    if let value = map["any"] { pattern.any = patterns(value, "`any`", list: true) }
    if let value = map["not"] { pattern.not = patterns(value, "`not`", list: false) }
    return pattern
  }

  /// - Parameter list: whether one pattern alone is a mistake.
  private func patterns(_ node: DocumentNode, _ what: String, list: Bool) -> [RequestPattern] {
    nested(node, what, []) {
      if case .list(let items) = node.value {
        if items.isEmpty { mistake("\(what) is an empty list; give patterns as in `when`, or leave it out", node) }
        return items.map { item in
          if case .map(let entries) = item.value, entries.isEmpty {
            mistake("a pattern in \(what) is empty, and would fit every request", item)
          }
          return pattern(item, "a pattern in \(what)")
        }
      }
      guard !list, case .map(let entries) = node.value else {
        let form = list ? "a list of patterns" : "a pattern as in `when`, or a list of them"
        mistake("\(what) must be \(form), not \(node.summary)", node)
        return []
      }
      if entries.isEmpty { mistake("\(what) is empty, and would exclude every request", node) }
      return [pattern(node, what)]
    }
  }

  /// Patterns stand in patterns to a certain depth, which bounds what matching takes of the stack.
  private func nested<Result>(_ node: DocumentNode, _ what: String, _ none: Result, _ read: () -> Result) -> Result {
    nesting += 1
    defer { nesting -= 1 }
    if nesting <= Self.nestingLimit { return read() }
    if nesting == Self.nestingLimit + 1 {
      mistake("\(what) is nested more than \(Self.nestingLimit) deep; name what fits in a flatter way", node)
    }
    return none
  }

  private func port(_ node: DocumentNode) -> Int? {
    if case .scalar = node.value { return integer(node, "`port`", in: 0...65_535) }
    mistake("`port` must be one whole number; of several any are `any: [{ port: 80 }, { port: 8080 }]` beside it", node)
    return nil
  }

  private func methods(_ node: DocumentNode) -> [String] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    if nodes.isEmpty { mistake("`method` is an empty list; leave it out for all methods", node) }
    return nodes.compactMap { node in
      if case .map = node.value {
        mistake("`method` must be a name or a list of names; all but some are `not: { method: … }` beside it", node)
        return nil
      }
      guard let name = text(node, "`method`") else { return nil }
      if checks, name.isEmpty || !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) {
        mistake("`\(name)` is no method; several are written as a list: [GET, POST]", node)
      }
      return HTTPMethod.normal(name)
    }
  }

  func textPattern(_ node: DocumentNode, _ what: String) -> TextPattern? {
    nested(node, what, nil) {
      switch node.value {
      case .scalar: return text(node, what).map { .glob($0) }
      case .list: return texts(node, what).map { .any($0) }
      case .map: break
      }
      guard let map = map(node, what, StubSchema.Keys.text) else { return nil }
      let matches = map["matches"].flatMap { expressions($0) }
      let not = map["not"].flatMap { value -> TextPattern? in
        if case .list = value.value { return texts(value, "`not`").map { .not($0) } }
        guard !value.isNull else {
          mistake("`not` must be a text, not nothing; what must be there, whatever it is, is `\"*\"`", value)
          return nil
        }
        return textPattern(value, "`not`").map { .not([$0]) }
      }
      if map["matches"] == nil, map["not"] == nil {
        lacking("\(what) must be a text, a list of texts, { matches: … } or { not: … }", node, map)
      }
      if let matches, let not { return .all([matches, not]) }
      return matches ?? not
    }
  }

  /// The items of a list, of which any may fit, or none.
  private func texts(_ node: DocumentNode, _ what: String) -> [TextPattern]? {
    guard case .list(let items) = node.value else { return nil }
    if items.isEmpty { mistake("\(what) is an empty list; give at least one text", node) }
    return items.compactMap { item in
      guard !item.isNull else {
        mistake("a list in \(what) cannot hold nothing; say that it may be absent with `any`: two whole patterns", item)
        return nil
      }
      return textPattern(item, what)
    }
  }

  /// One regular expression, or a list of which any may be found.
  private func expressions(_ node: DocumentNode) -> TextPattern? {
    guard case .list(let items) = node.value else { return regularExpression(node).map { .matches($0) } }
    if items.isEmpty { mistake("`matches` is an empty list; give at least one expression", node) }
    return .any(items.compactMap { regularExpression($0).map { .matches($0) } })
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
    body.contains = map["contains"].flatMap { textPattern($0, "`contains`") }
    body.equals = map["equals"].flatMap { text($0, "`equals`") }
    switch map["matches"].flatMap({ expressions($0) }) {
    case .matches(let source)?: body.matches = source
    case let any?: body.contains = body.contains.map { .all([$0, any]) } ?? any
    case nil: break
    }
    if let value = map["graphql"] { body.graphql = graphql(value) }
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

  private func graphql(_ node: DocumentNode) -> BodyPattern.GraphQL? {
    guard let map = map(node, "`graphql`", StubSchema.Keys.graphql) else { return nil }
    var graphql = BodyPattern.GraphQL(operation: map["operation"].flatMap { textPattern($0, "`operation`") })
    if let value = map["variables"] {
      if case .map = value.value {
        graphql.variables = json(value)
      } else {
        mistake("`variables` must be a map of names and values, not \(value.summary)", value)
      }
    }
    return graphql
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
