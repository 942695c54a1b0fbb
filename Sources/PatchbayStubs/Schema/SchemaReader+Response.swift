import Foundation

extension SchemaReader {
  func response(
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
    if let value = map["otherwise"] {
      let otherwise = choice(value, "`otherwise`", CannedResponse.Missing.self)
      if case .folder(let path, _) = response.body {
        response.body = .folder(path, otherwise: otherwise ?? .pass)
      } else if map["folder"] == nil {
        mistake("`otherwise` belongs to a `folder`", value)
      }
    }
    if map["events"] != nil, let pace = map["throttle"] ?? map["dribble"] {
      mistake("events have pauses of their own (`after`), so \(what) cannot have throttle or dribble", pace)
    }
    response.delay = map["delay"].flatMap { delay($0) }
    response.pace = pace(map, what)
    return (response, map["bytes"].flatMap { size($0, "`bytes`") })
  }

  func body(_ kind: String, _ node: DocumentNode) -> CannedResponse.Body {
    switch kind {
    case "json":
      let value = json(node)
      if checks { checkTemplates(node) }
      return .json(value)
    case "body":
      guard case .scalar = node.value else {
        let instead = "JSON belongs in `json`, the path of a file in `file`"
        mistake("`body` must be a text, not \(node.summary); \(instead)", node)
        return .text("")
      }
      let text = text(node, "`body`") ?? ""
      checkTemplate(text, node)
      return .text(text)
    case "base64":
      guard let text = text(node, "`base64`") else { return .none }
      if let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) { return .data(data) }
      mistake("this is not base64 (letters, digits, + and /, filled up with =)", node)
      return .none
    case "file":
      guard let path = text(node, "`file`") else { return .none }
      guard !path.isEmpty else {
        if checks { mistake("`file` is empty; give the path of a file, from the folder of the stub file", node) }
        return .none
      }
      checkTemplate(path, node)
      // Which file it is, each request says.
      if !Template.isNeeded(for: path) { noteFile(path, node) }
      return .file(path)
    case "folder":
      guard let path = text(node, "`folder`") else { return .none }
      if checks, path.isEmpty { mistake("`folder` is empty; `.` is the folder of the stub file", node) }
      if checks, Template.isNeeded(for: path) {
        mistake("`folder` cannot hold templates; the path of the request is joined with it", node)
      }
      noteFile(path, node, isFolder: true)
      return .folder(path, otherwise: .pass)
    case "events": return .events(events(node))
    default: return .filler(bytes: filler(node))
    }
  }

  private func events(_ node: DocumentNode) -> [CannedResponse.Event] {
    guard case .list(let items) = node.value, !items.isEmpty else {
      let found = if case .list = node.value { "an empty one" } else { node.summary }
      mistake("`events` must be a list such as [{ event: token, data: … }], not \(found)", node)
      return []
    }
    return items.compactMap { event($0) }
  }

  private func event(_ node: DocumentNode) -> CannedResponse.Event? {
    guard let map = map(node, "an event", StubSchema.Keys.event) else { return nil }
    func line(_ key: String) -> String? {
      guard let value = map[key], let text = text(value, "`\(key)`") else { return nil }
      checkTemplate(text, value)
      if checks, text.contains(where: \.isNewline) { mistake("`\(key)` of an event must be one line", value) }
      return text
    }
    var event = CannedResponse.Event(event: line("event"), id: line("id"))
    if let value = map["data"] {
      event.data = json(value)
      if checks { checkTemplates(value) }
    }
    event.after = map["after"].flatMap { delay($0, "`after`") }
    if map["event"] == nil, map["id"] == nil, map["data"] == nil {
      lacking("an event needs `data`, `event` or `id`", node, map)
    }
    return event
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

  func values(_ node: DocumentNode, _ name: String) -> [String] {
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
  func checkFieldName(_ name: String, _ position: SourcePosition?) {
    guard checks else { return }
    if !FieldToken.isOne(name) { mistake("`\(name.shortened(to: 40))` is no name of a header", at: position) }
  }

  func checkTemplate(_ text: String, _ node: DocumentNode) {
    guard checks, Template.isNeeded(for: text) else { return }
    for one in Template.mistakes(in: text) { mistake(one.message, at: place(ofBraces: one.number, in: node)) }
    guard let groups, let template = try? Template(text) else { return }
    for name in template.groups {
      if let clause = groups.mistake(inName: name) { mistake(clause, node) }
    }
  }

  /// Where in the text of the file the braces of that number stand, of those in the node: the node's own place where they
  /// begin it, or where the file's text is not known.
  private func place(ofBraces number: Int, in node: DocumentNode) -> SourcePosition? {
    guard let start = node.position, let lines = source, lines.indices.contains(start.line - 1) else {
      return node.position
    }
    var left = number
    for line in start.line - 1..<lines.count {
      var column = line == start.line - 1 ? start.column - 1 : 0
      let text = Array(lines[line].unicodeScalars)
      while column + 1 < text.count {
        guard text[column] == "{", text[column + 1] == "{" else {
          column += 1
          continue
        }
        if left == 0 {
          let place = SourcePosition(line: line + 1, column: column + 1)
          return place.line == start.line && place.column <= start.column + 1 ? start : place
        }
        left -= 1
        column += 2
      }
    }
    return start
  }

  private func checkTemplates(_ node: DocumentNode) {
    switch node.value {
    case .scalar(let text, .text): checkTemplate(text, node)
    case .scalar: break
    case .list(let nodes): for node in nodes { checkTemplates(node) }
    case .map(let entries): for entry in entries { checkTemplates(entry.value) }
    }
  }
}

extension SchemaReader {
  func delay(_ node: DocumentNode, _ what: String = "`delay`") -> Delay? {
    guard case .map = node.value else { return duration(node, what).map { .fixed($0) } }
    guard let map = map(node, what, StubSchema.Keys.delay) else { return nil }
    guard let from = map["from"].flatMap({ duration($0, "`from`") }),
      let to = map["to"].flatMap({ duration($0, "`to`") })
    else {
      if map["from"] == nil || map["to"] == nil { lacking("\(what) must be a duration or {from: …, to: …}", node, map) }
      return nil
    }
    if checks, from > to { mistake("in \(what) the `from` is later than the `to`", node) }
    return .random(from: from, to: to)
  }

  func pace(_ map: [String: DocumentNode], _ what: String) -> Pace? {
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
      if map.count < 2 { lacking("`dribble` must be {pieces: …, over: …}", node, map) }
    }
    return nil
  }
}
