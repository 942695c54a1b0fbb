import Foundation

extension SchemaReader {
  /// - Parameter steps: whether a sequence may stand here.
  func action(_ node: DocumentNode, _ what: String, steps: Bool) -> Action? {
    guard let map = map(node, what, steps ? StubSchema.Keys.then : StubSchema.Keys.actions) else { return nil }
    let given = StubSchema.Keys.actions.filter { map[$0] != nil }
    guard let kind = given.first, given.count == 1, let value = map[kind] else {
      let found = given.isEmpty ? "" : ", not \(given.joined(separator: " and "))"
      mistake("\(what) must have one of \(StubSchema.Keys.actions.orList)\(found)", node)
      return nil
    }
    if kind != "sequence", let afterwards = map["afterwards"] {
      mistake("`afterwards` belongs to a `sequence`", afterwards)
    }
    switch kind {
    case "respond": return response(value, "`respond`", StubSchema.Keys.respond).map { .respond($0.response) }
    case "fail": return fault(value).map { .fail($0) }
    case "pass": return changes(value).map { .pass($0) }
    case "hold": return choice(value, "`hold`", Action.HoldPoint.self).map { .hold($0) }
    default: return sequence(value, map["afterwards"], steps: steps)
    }
  }

  private func sequence(_ node: DocumentNode, _ afterwards: DocumentNode?, steps: Bool) -> Action? {
    guard steps else {
      mistake("a step of a `sequence` cannot be a sequence", node)
      return nil
    }
    guard case .list(let items) = node.value, !items.isEmpty else {
      mistake("`sequence` must be a list of actions, not \(node.summary)", node)
      return nil
    }
    let then = afterwards.map { choice($0, "`afterwards`", Action.Afterwards.self) } ?? .last
    let actions = items.compactMap { action($0, "a step of `sequence`", steps: false) }
    return then.map { .sequence(actions, afterwards: $0) }
  }

  private func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ node: DocumentNode, _ what: String, _ type: Value.Type
  ) -> Value? {
    if case .scalar(let text, _) = node.value, let value = Value(rawValue: text) { return value }
    mistake("\(what) must be \(Value.allCases.map(\.rawValue).orList), not \(node.summary)", node)
    return nil
  }

  // MARK: - Responses

  private func response(
    _ node: DocumentNode, _ what: String, _ keys: [String]
  ) -> (response: CannedResponse, bytes: Int?)? {
    if node.isNull { return (CannedResponse(), nil) }
    guard let map = map(node, what, keys) else { return nil }
    var response = CannedResponse()
    if let value = map["status"] {
      response.status = integer(value, "`status`", in: checks ? 100...599 : 0...Int.max) ?? 200
    }
    if let value = map["headers"] { response.headers = headers(value) }
    let bodies = StubSchema.Keys.bodies.filter { map[$0] != nil }
    if bodies.count > 1, let second = map[bodies[1]] {
      mistake("\(what) has \(bodies.joined(separator: " and ")); give one of them", second)
    }
    if let kind = bodies.first, let value = map[kind] { response.body = body(kind, value) }
    response.delay = map["delay"].flatMap { delay($0) }
    response.pace = pace(map, what)
    return (response, map["bytes"].flatMap { size($0, "`bytes`") })
  }

  private func body(_ kind: String, _ node: DocumentNode) -> CannedResponse.Body {
    switch kind {
    case "json":
      let value = json(node)
      if checks { checkTemplates(node) }
      return .json(value)
    case "body":
      let text = text(node, "`body`") ?? ""
      checkTemplate(text, node)
      return .text(text)
    case "base64":
      guard let text = text(node, "`base64`") else { return .none }
      if let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) { return .data(data) }
      mistake("this is not base64 (letters, digits, + and /, filled up with =)", node)
      return .none
    case "file":
      guard let path = text(node, "`file`"), !path.isEmpty else { return .none }
      noteFile(path, node)
      return .file(path)
    default: return .filler(bytes: filler(node))
    }
  }

  private func filler(_ node: DocumentNode) -> Int {
    guard let bytes = size(node, "`filler`") else { return 0 }
    if checks, bytes > 1 << 30 { mistake("`filler` is at most 1GiB", node) }
    return bytes
  }

  private func headers(_ node: DocumentNode) -> [HeaderField] {
    pairs(node, "`headers`").flatMap { name, position, value -> [HeaderField] in
      checkFieldName(name, position)
      return values(value, name).map { HeaderField(name, $0) }
    }
  }

  private func values(_ node: DocumentNode, _ name: String) -> [String] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    return nodes.compactMap { node in
      guard let value = text(node, "the header `\(name)`") else { return nil }
      checkTemplate(value, node)
      if checks, value.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) {
        mistake("the header `\(name)` holds a line end, which HTTP does not allow", node)
      }
      return value
    }
  }

  /// RFC 9110 §5.6.2: a token.
  private func checkFieldName(_ name: String, _ position: SourcePosition?) {
    guard checks else { return }
    let signs = Set("!#$%&'*+-.^_`|~".utf8)
    let fits = name.utf8.allSatisfy { byte in
      signs.contains(byte) || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }
    if name.isEmpty || !fits { mistake("`\(name.shortened(to: 40))` is no name of a header", at: position) }
  }

  private func checkTemplate(_ text: String, _ node: DocumentNode) {
    guard checks, Template.isNeeded(for: text) else { return }
    do throws(StubError) { _ = try Template(text) } catch { mistake(error.message, node) }
  }

  private func checkTemplates(_ node: DocumentNode) {
    switch node.value {
    case .scalar(let text, .text): checkTemplate(text, node)
    case .scalar: break
    case .list(let nodes): for node in nodes { checkTemplates(node) }
    case .map(let entries): for entry in entries { checkTemplates(entry.value) }
    }
  }

  // MARK: - Pace

  private func delay(_ node: DocumentNode) -> Delay? {
    guard case .map = node.value else { return duration(node, "`delay`").map { .fixed($0) } }
    guard let map = map(node, "`delay`", StubSchema.Keys.delay) else { return nil }
    guard let from = map["from"].flatMap({ duration($0, "`from`") }),
      let to = map["to"].flatMap({ duration($0, "`to`") })
    else {
      if map["from"] == nil || map["to"] == nil { mistake("`delay` must be a duration or {from: …, to: …}", node) }
      return nil
    }
    if checks, from > to { mistake("in `delay` the `from` is later than the `to`", node) }
    return .random(from: from, to: to)
  }

  private func pace(_ map: [String: DocumentNode], _ what: String) -> Pace? {
    if let second = map["dribble"], map["throttle"] != nil {
      mistake("\(what) has throttle and dribble; give one of them", second)
    }
    if let node = map["throttle"] {
      if case .scalar(let text, let kind) = node.value, kind != .null {
        let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        if let bytes = SizeText.parse(size), bytes > 0 { return .throttle(bytesPerSecond: bytes) }
      }
      mistake("`throttle` must be a size for each second such as 20kB/s, not \(node.summary)", node)
    } else if let node = map["dribble"] {
      guard let map = self.map(node, "`dribble`", StubSchema.Keys.dribble) else { return nil }
      let pieces = map["pieces"].flatMap { integer($0, "`pieces`", in: 1...1_000_000) }
      let over = map["over"].flatMap { duration($0, "`over`") }
      if let pieces, let over { return .dribble(pieces: pieces, over: over) }
      if map.count < 2 { mistake("`dribble` must be {pieces: …, over: …}", node) }
    }
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
      mistake("`fail` must have an `error`, or a `domain` and a `code`", node)
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
    if checks, URLErrorCode.code(named: name) == nil, NamedFault[name] == nil {
      let known = URLErrorCode.all.map(\.name) + NamedFault.all.map(\.name)
      let number = Int(name).flatMap { URLErrorCode.name(of: $0) }.map { "; did you mean `\($0)`?" }
      let hint = number ?? NearestName.hint(for: name, among: known)
      mistake("`\(name.shortened(to: 40))` is neither a URLError code such as timedOut nor a named fault\(hint)", node)
      return nil
    }
    return .named(name)
  }

  // MARK: - Changes of the network's answer

  private func changes(_ node: DocumentNode) -> PassChanges? {
    if node.isNull { return PassChanges() }
    guard let map = map(node, "`pass`", StubSchema.Keys.pass) else { return nil }
    var changes = PassChanges()
    changes.delay = map["delay"].flatMap { delay($0) }
    changes.pace = pace(map, "`pass`")
    changes.status = map["status"].flatMap { integer($0, "`status`", in: checks ? 100...599 : 0...Int.max) }
    if let value = map["headers"] {
      changes.headers = pairs(value, "`headers`").map { name, position, value in
        checkFieldName(name, position)
        let texts = value.isNull ? [] : values(value, name)
        return PassChanges.HeaderChange(name, texts.isEmpty ? nil : texts)
      }
    }
    changes.mergePatch = map["mergePatch"].map { json($0) }
    if let value = map["replace"] { changes.replace = replacements(value) }
    return changes
  }

  private func replacements(_ node: DocumentNode) -> [PassChanges.Replacement] {
    let nodes: [DocumentNode]
    if case .list(let list) = node.value { nodes = list } else { nodes = [node] }
    return nodes.compactMap { node in
      guard let map = map(node, "`replace`", StubSchema.Keys.replacement) else { return nil }
      guard let find = map["find"].flatMap({ text($0, "`find`") }),
        let with = map["with"].flatMap({ text($0, "`with`") })
      else {
        if map["find"] == nil || map["with"] == nil { mistake("`replace` needs `find` and `with`", node) }
        return nil
      }
      if checks, find.isEmpty { mistake("the text to `find` is empty", node) }
      return PassChanges.Replacement(find: find, with: with)
    }
  }
}
