extension StubBoard {
  /// The board as JSON, to keep it over a restart.
  package var json: JSONValue {
    .members([
      "revision": .number("\(revision)"), "files": .array(files.map { .string($0) }),
      "isOrderEdited": .bool(isOrderEdited), "entries": .array(entries.map(\.json)),
      "removed": .array(removed.map(\.json)),
    ])
  }

  package init(json: JSONValue) throws(StubError) {
    let fields = JSONFields(json, "the saved stubs")
    self.init()
    guard case .number(let digits) = try fields.value("revision"), let revision = UInt64(digits) else {
      throw StubError("In the saved stubs the member `revision` must be a whole number.")
    }
    self.revision = revision
    files = try fields.list("files").compactMap(\.text)
    isOrderEdited = try fields.bool("isOrderEdited")
    for item in try fields.list("entries") { entries.append(try Entry(json: item)) }
    for item in try fields.list("removed") { removed.append(try Entry(json: item)) }
  }
}

extension StubBoard.Entry {
  var json: JSONValue {
    .members([
      "stub": stub.json, "origin": origin.json, "edited": .bool(edited), "baseline": baseline?.json ?? .null,
    ])
  }

  init(json: JSONValue) throws(StubError) {
    let fields = JSONFields(json, "a saved stub")
    let baseline = json["baseline"] ?? .null
    self.init(
      stub: try Stub(json: fields.value("stub"), checked: false),
      origin: try StubBoard.Origin(json: fields.value("origin")), edited: try fields.bool("edited"),
      baseline: baseline == .null ? nil : try Stub(json: baseline, checked: false))
  }
}

extension StubBoard.Origin {
  package var json: JSONValue {
    switch self {
    case .file(let path): .members(["file": .string(path)])
    case .console: "console"
    case .code(let process): .members(["code": .string(process)])
    }
  }

  package init(json: JSONValue) throws(StubError) {
    if let path = json["file"]?.text {
      self = .file(path)
    } else if let process = json["code"]?.text {
      self = .code(process)
    } else if json.text == "console" {
      self = .console
    } else {
      throw StubError("A stub's origin must be console, a file or code.")
    }
  }
}
