extension SchemaReader {
  /// - Parameter steps: whether a sequence may stand here.
  func action(_ node: DocumentNode, _ what: String, steps: Bool) -> Action? {
    if allowsCode, case .map(let entries) = node.value, entries.map(\.key) == ["code"] { return .code }
    guard let map = map(node, what, steps ? StubSchema.Keys.then : StubSchema.Keys.actions) else { return nil }
    let given = StubSchema.Keys.actions.filter { map[$0] != nil }
    guard let kind = given.first, given.count == 1, let value = map[kind] else {
      let message = "\(what) must have one of \(StubSchema.Keys.actions.orList)"
      guard !given.isEmpty else {
        lacking(message, node, map)
        return nil
      }
      mistake("\(message), not \(given.joined(separator: " and "))", node)
      // Their own mistakes are told as well.
      for kind in given { _ = map[kind].flatMap { action(kind, $0, map["afterwards"], steps: steps) } }
      return nil
    }
    if kind != "sequence", let afterwards = map["afterwards"] {
      mistake("`afterwards` belongs to a `sequence`", afterwards)
    }
    return action(kind, value, map["afterwards"], steps: steps)
  }

  private func action(
    _ kind: String, _ value: DocumentNode, _ afterwards: DocumentNode?, steps: Bool
  ) -> Action? {
    switch kind {
    case "respond": return response(value, "`respond`", StubSchema.Keys.respond).map { .respond($0.response) }
    case "fail": return fault(value).map { .fail($0) }
    case "pass": return changes(value).map { .pass($0) }
    case "hold": return choice(value, "`hold`", Action.HoldPoint.self).map { .hold($0) }
    default: return sequence(value, afterwards, steps: steps)
    }
  }

  private func sequence(_ node: DocumentNode, _ afterwards: DocumentNode?, steps: Bool) -> Action? {
    guard steps else {
      mistake("a step of a `sequence` cannot be a sequence", node)
      return nil
    }
    let then = afterwards.map { choice($0, "`afterwards`", Action.Afterwards.self) } ?? .last
    guard case .list(let items) = node.value, !items.isEmpty else {
      let found = if case .list = node.value { "an empty one" } else { node.summary }
      mistake("`sequence` must be a list of actions, not \(found)", node)
      return nil
    }
    let actions = items.compactMap { action($0, "a step of `sequence`", steps: false) }
    return then.map { .sequence(actions, afterwards: $0) }
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ node: DocumentNode, _ what: String, _ type: Value.Type
  ) -> Value? {
    if case .scalar(let text, _) = node.value, let value = Value(rawValue: text) { return value }
    mistake("\(what) must be \(Value.allCases.map(\.rawValue).orList), not \(node.summary)", node)
    return nil
  }

  // MARK: - Failures

  func fault(_ node: DocumentNode) -> Fault? {
    guard case .map = node.value else { return failure(node).map { Fault($0) } }
    guard let map = map(node, "`fail`", StubSchema.Keys.fail) else { return nil }
    var failure: Fault.Failure?
    if let name = map["error"] {
      failure = self.failure(name)
      if let own = map["domain"] ?? map["code"] ?? map["message"] {
        mistake("`fail` has an `error`, so it cannot have domain, code and message of its own", own)
      }
    } else if let domain = map["domain"], let code = map["code"] {
      if let domain = text(domain, "`domain`"), let code = integer(code, "`code`", in: Int.min...Int.max) {
        failure = .custom(domain: domain, code: code, message: map["message"].flatMap { text($0, "`message`") })
      }
    } else {
      lacking("`fail` must have an `error`, or a `domain` and a `code`", node, map)
    }
    guard let failure else { return nil }
    var fault = Fault(failure, delay: map["delay"].flatMap { delay($0) })
    if let value = map["after"], let partial = response(value, "`after`", StubSchema.Keys.after) {
      fault.after = Fault.Partial(response: partial.response, bytes: partial.bytes)
    }
    return fault
  }

  private func failure(_ node: DocumentNode) -> Fault.Failure? {
    guard let name = text(node, "`fail`") else { return nil }
    if checks, let clause = Fault.mistake(inName: name) {
      mistake(clause, node)
      return nil
    }
    return .named(name)
  }

  // MARK: - Changes of the network's answer

  private func changes(_ node: DocumentNode) -> PassChanges? {
    if node.isNull { return PassChanges() }
    guard let map = map(node, "`pass`", StubSchema.Keys.pass) else { return nil }
    var changes = PassChanges()
    changes.to = map["to"].flatMap { target($0) }
    changes.request = map["request"].flatMap { requestChanges($0) }
    changes.delay = map["delay"].flatMap { delay($0) }
    changes.pace = pace(map, "`pass`")
    changes.status = map["status"].flatMap { integer($0, "`status`", in: checks ? 100...599 : 0...Int.max) }
    if let value = map["headers"] { changes.headers = headerChanges(value) }
    changes.mergePatch = map["mergePatch"].map { json($0) }
    if let value = map["replace"] { changes.replace = replacements(value) }
    return changes
  }

  func headerChanges(_ node: DocumentNode) -> [PassChanges.HeaderChange] {
    pairs(node, "`headers`").map { name, position, value in
      checkFieldName(name, position)
      let texts = value.isNull ? [] : values(value, name)
      return PassChanges.HeaderChange(name, texts.isEmpty ? nil : texts)
    }
  }

  func replacements(_ node: DocumentNode) -> [PassChanges.Replacement] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    return nodes.compactMap { node in
      guard let map = map(node, "`replace`", StubSchema.Keys.replacement) else { return nil }
      guard let find = map["find"].flatMap({ text($0, "`find`") }),
        let with = map["with"].flatMap({ text($0, "`with`") })
      else {
        if map["find"] == nil || map["with"] == nil { lacking("`replace` needs `find` and `with`", node, map) }
        return nil
      }
      if checks, find.isEmpty { mistake("the text to `find` is empty", node) }
      return PassChanges.Replacement(find: find, with: with)
    }
  }
}
