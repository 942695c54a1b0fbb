/// One change of the board, by a person, a controller, a file or a process.
package enum StubEdit: Hashable, Sendable {
  /// A new stub made on screen or by a controller; without an index it comes first.
  case add(Stub, at: Int?)
  /// Another stub in the place of that one; its name may change. For a stub of code this overrides it.
  case replace(name: String, with: Stub)
  case remove(name: String)
  /// To that place in the list; stubs of code stay first.
  case move(name: String, to: Int)
  case setEnabled(name: String, Bool)
  case setAllEnabled(Bool)
  /// All off at once, each with its place, its switch and its counters kept; false is on again.
  case setPaused(Bool)
  /// The same for a set of stubs: those of a file, or those made here.
  case setSetPaused(StubBoard.Origin, Bool)
  /// Back to what the file (or the code) says; a removed stub comes back.
  case revert(name: String)
  case revertAll
  /// Back to the order of the files.
  case resetOrder
  /// A file was read, for the first time or again. Stubs edited on screen stay as edited.
  case fileLoaded(path: String, [Stub])
  /// The file is no longer watched; its stubs go.
  case fileForgotten(path: String)
  /// An earlier state as a whole, to undo. The revision rises all the same.
  case restore(StubBoard)

  /// What was done, for a message and the list of undoable changes: "add `x`".
  package var title: String {
    switch self {
    case .add(let stub, _): "add `\(stub.name)`"
    case .replace(let name, let stub): name == stub.name ? "edit `\(name)`" : "edit `\(name)`, now `\(stub.name)`"
    case .remove(let name): "remove `\(name)`"
    case .move(let name, _): "move `\(name)`"
    case .setEnabled(let name, let on): "switch `\(name)` \(on ? "on" : "off")"
    case .setAllEnabled(let on): "switch all stubs \(on ? "on" : "off")"
    case .setPaused(let paused): paused ? "pause all stubs" : "resume all stubs"
    case .setSetPaused(let set, let paused):
      "\(paused ? "pause" : "resume") the stubs of \(set.place ?? "this console")"
    case .revert(let name): "revert `\(name)`"
    case .revertAll: "revert all stubs"
    case .resetOrder: "put the order of the files back"
    case .fileLoaded(let path, _): "read \(path)"
    case .fileForgotten(let path): "forget \(path)"
    case .restore: "undo"
    }
  }
}

extension StubEdit {
  /// The change as JSON, for the control socket: `{"edit": "add", "stub": {…}, "at": 0}`.
  package var json: JSONValue {
    switch self {
    case .add(let stub, let index):
      .members(["edit": "add", "stub": stub.json, "at": index.map { .number("\($0)") } ?? .null])
    case .replace(let name, let stub): .members(["edit": "replace", "name": .string(name), "stub": stub.json])
    case .remove(let name): .members(["edit": "remove", "name": .string(name)])
    case .move(let name, let index):
      .members(["edit": "move", "name": .string(name), "to": .number("\(index)")])
    case .setEnabled(let name, let on): .members(["edit": "setEnabled", "name": .string(name), "on": .bool(on)])
    case .setAllEnabled(let on): .members(["edit": "setAllEnabled", "on": .bool(on)])
    case .setPaused(let paused): .members(["edit": "setPaused", "paused": .bool(paused)])
    case .setSetPaused(let set, let paused):
      .members(["edit": "setSetPaused", "set": set.json, "paused": .bool(paused)])
    case .revert(let name): .members(["edit": "revert", "name": .string(name)])
    case .revertAll: .members(["edit": "revertAll"])
    case .resetOrder: .members(["edit": "resetOrder"])
    case .fileLoaded(let path, let stubs):
      .members(["edit": "fileLoaded", "path": .string(path), "stubs": .array(stubs.map(\.json))])
    case .fileForgotten(let path): .members(["edit": "fileForgotten", "path": .string(path)])
    case .restore(let board): .members(["edit": "restore", "board": board.json])
    }
  }

  package init(json: JSONValue) throws(StubError) {
    let fields = JSONFields(json, "the change of the stubs")
    switch try fields.text("edit") {
    case "add": self = .add(try Stub(json: fields.value("stub")), at: json["at"]?.integer)
    case "replace": self = .replace(name: try fields.text("name"), with: try Stub(json: fields.value("stub")))
    case "remove": self = .remove(name: try fields.text("name"))
    case "move": self = .move(name: try fields.text("name"), to: try fields.integer("to"))
    case "setEnabled": self = .setEnabled(name: try fields.text("name"), try fields.bool("on"))
    case "setAllEnabled": self = .setAllEnabled(try fields.bool("on"))
    case "setPaused": self = .setPaused(try fields.bool("paused"))
    case "setSetPaused":
      self = .setSetPaused(try StubBoard.Origin(json: fields.value("set")), try fields.bool("paused"))
    case "revert": self = .revert(name: try fields.text("name"))
    case "revertAll": self = .revertAll
    case "resetOrder": self = .resetOrder
    case "fileLoaded":
      var stubs: [Stub] = []
      for item in try fields.list("stubs") { stubs.append(try Stub(json: item)) }
      self = .fileLoaded(path: try fields.text("path"), stubs)
    case "fileForgotten": self = .fileForgotten(path: try fields.text("path"))
    case "restore": self = .restore(try StubBoard(json: fields.value("board")))
    case let other: throw StubError("`\(other)` is no change of the stubs.")
    }
  }
}

/// Reads the members of an object, each with a sentence when it is not there.
struct JSONFields {
  let json: JSONValue
  let what: String

  init(_ json: JSONValue, _ what: String) {
    self.json = json
    self.what = what
  }

  func value(_ name: String) throws(StubError) -> JSONValue {
    guard let value = json[name] else { throw StubError("In \(what) the member `\(name)` is missing.") }
    return value
  }

  func text(_ name: String) throws(StubError) -> String {
    guard let text = try value(name).text else { throw StubError("In \(what) the member `\(name)` must be a text.") }
    return text
  }

  func integer(_ name: String) throws(StubError) -> Int {
    guard let number = try value(name).integer else {
      throw StubError("In \(what) the member `\(name)` must be a whole number.")
    }
    return number
  }

  func bool(_ name: String) throws(StubError) -> Bool {
    guard case .bool(let value) = try value(name) else {
      throw StubError("In \(what) the member `\(name)` must be true or false.")
    }
    return value
  }

  func list(_ name: String) throws(StubError) -> [JSONValue] {
    guard case .array(let items) = try value(name) else {
      throw StubError("In \(what) the member `\(name)` must be a list.")
    }
    return items
  }
}
