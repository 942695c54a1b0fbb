/// All stubs that the console knows, with where each came from. The set for the hooks is made of it.
///
/// The order, until someone moves a stub: those of code first, which only their own processes have; then those made on
/// screen, the newest on top, as who makes a stub expects it to win; then the files in the order given, each in its own.
package struct StubBoard: Hashable, Sendable {
  package var revision: UInt64
  /// In the order in which they are tried; stubs of code come first.
  package var entries: [Entry]
  /// The stub files in the order in which they were given; earlier ones win.
  package var files: [String] = []
  /// Stubs of files that were removed on screen, until they are removed from their file or brought back.
  package var removed: [Entry] = []
  /// Someone moved a stub: files that are read again no longer put their own order back.
  package var isOrderEdited = false
  /// The names of the stubs of each file, as they stand in it.
  var orders: [String: [String]] = [:]
  /// All stubs of files, and those made on screen or by a controller, match nothing until this is taken back: each keeps
  /// its place, its own switch and its counters. Stubs in code stay in force, and what no stub matches is decided as ever.
  package var isPaused = false
  /// Sets of stubs, those of a file or those made here, that match nothing until it is taken back, in the same way.
  package var pausedSets: Set<Origin> = []

  package struct Entry: Hashable, Sendable, Identifiable {
    package var stub: Stub
    package var origin: Origin
    /// Edited on screen or by a controller since it was read from its file, and neither written nor reverted.
    package var edited: Bool
    /// The stub as its file has it; nil for stubs that no file has.
    package var baseline: Stub?

    package var id: String { stub.name }

    package init(stub: Stub, origin: Origin, edited: Bool = false, baseline: Stub? = nil) {
      self.stub = stub
      self.origin = origin
      self.edited = edited
      self.baseline = baseline
    }
  }

  package enum Origin: Hashable, Sendable {
    /// The stub file's path as it was given.
    case file(String)
    /// Made on screen or by a controller.
    case console
    /// Declared in the code of that process (name and pid).
    case code(String)

    package var isCode: Bool {
      if case .code = self { return true }
      return false
    }

    /// The file's path, or the process that declares it.
    package var place: String? {
      switch self {
      case .file(let path): path
      case .code(let process): process
      case .console: nil
      }
    }
  }

  package init(revision: UInt64 = 0, entries: [Entry] = []) {
    self.revision = revision
    self.entries = entries
  }

  package var stubs: [Stub] { entries.map(\.stub) }

  /// The stubs as they match: while they are paused each but those in code is switched off.
  package var stubsInForce: [Stub] {
    guard isPaused || !pausedSets.isEmpty else { return stubs }
    return entries.map { entry in
      var stub = entry.stub
      if isPaused(entry) { stub.enabled = false }
      return stub
    }
  }

  /// Whether it matches nothing whatever its own switch says: all stubs are paused, or its set is.
  package func isPaused(_ entry: Entry) -> Bool {
    !entry.origin.isCode && (isPaused || pausedSets.contains(entry.origin))
  }

  /// The sets of stubs that can be paused, in the order of the list; those in code are none.
  package var sets: [Origin] {
    entries.reduce(into: []) { if !$1.origin.isCode, !$0.contains($1.origin) { $0.append($1.origin) } }
  }

  package subscript(_ name: String) -> Entry? { entries.first { $0.stub.name == name } }
}

extension StubBoard.Entry {
  /// Edited in more than its switch, so that what its file says does not take its place.
  package var isContentEdited: Bool {
    guard edited else { return false }
    guard var baseline else { return true }
    baseline.enabled = stub.enabled
    return baseline != stub
  }

  /// A stub of code that was edited in more than its switch.
  package var isOverride: Bool {
    guard origin.isCode, var baseline else { return false }
    baseline.enabled = stub.enabled
    return baseline != stub
  }
}

extension StubBoard {
  /// The board as JSON, to keep it over a restart.
  package var json: JSONValue {
    .members([
      "revision": .number("\(revision)"), "files": .array(files.map { .string($0) }),
      "isOrderEdited": .bool(isOrderEdited), "isPaused": .bool(isPaused),
      "pausedSets": .array(sets.filter(pausedSets.contains).map(\.json)), "entries": .array(entries.map(\.json)),
      "removed": .array(removed.map(\.json)),
      "orders": .object(
        files.compactMap { path in
          orders[path].map { JSONValue.Member(path, .array($0.map { .string($0) })) }
        }),
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
    for path in files {
      if case .array(let names)? = json["orders"]?[path] { orders[path] = names.compactMap(\.text) }
    }
    // Boards that were saved before there was such a switch have none.
    isPaused = json["isPaused"] == .bool(true)
    if case .array(let sets)? = json["pausedSets"] {
      for set in sets { pausedSets.insert(try Origin(json: set)) }
    }
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
