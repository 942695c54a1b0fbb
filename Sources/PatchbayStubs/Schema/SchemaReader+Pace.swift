extension SchemaReader {
  func delay(_ node: DocumentNode) -> Delay? {
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
      if map.count < 2 { mistake("`dribble` must be {pieces: …, over: …}", node) }
    }
    return nil
  }
}
