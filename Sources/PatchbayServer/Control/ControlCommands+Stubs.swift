import Foundation
import PatchbayStubs
import PatchbayWire

/// Stubs.
extension ControlCommands {
  func listStubs(_ request: ControlRequest) -> JSONValue {
    let board = server.board
    let progress = server.stubProgress
    return .members([
      "revision": JSONValue(board.revision), "paused": .bool(board.isPaused),
      "stubs": .array(
        board.entries.map { entry in
          let counted = progress.compactMap { process, all in all[entry.stub.name].map { (process, $0) } }
            .sorted { $0.0.pid < $1.0.pid }
          let hits = counted.reduce(UInt64(0)) { $0 &+ $1.1.hits }
          return .members([
            "name": .string(entry.stub.name), "enabled": .bool(entry.stub.enabled),
            "origin": .string(entry.origin.kind), "from": entry.origin.place.map { .string($0) } ?? .null,
            "edited": .bool(entry.edited), "paused": .bool(board.isPaused(entry)), "hits": JSONValue(hits),
            // From 1, as the screen counts; by process below, for each counts for itself.
            "nextStep": counted.last?.1.nextStep.map { JSONValue(UInt64($0) + 1) } ?? .null,
            "processes": .array(
              counted.map { process, one in
                .members([
                  "name": .string(process.name), "pid": .number("\(process.pid)"), "hits": JSONValue(one.hits),
                  "nextStep": one.nextStep.map { JSONValue(UInt64($0) + 1) } ?? .null,
                ])
              }),
            "stub": entry.stub.json,
          ])
        }),
    ])
  }

  /// Adds in front of the others; a stub with a known name takes the place of that one.
  func addStubs(_ request: ControlRequest) async throws -> JSONValue {
    guard case .array(let values)? = request.members["stubs"], !values.isEmpty else {
      throw request.missing("stubs", "a list of stubs")
    }
    let file = try request.optionalText("file")
    let stubs = try values.map { value in
      let stub = try Stub(json: value)
      return try file.map { try StubBodies.read(stub, of: $0) } ?? stub
    }
    let names = stubs.map(\.name)
    if let twice = Dictionary(grouping: names, by: { $0 }).first(where: { $0.value.count > 1 })?.key {
      throw ServerError.badRequest("Two of the stubs are named `\(twice)`: names must be unique.")
    }
    return try await change(request, ["added": .array(names.map { .string($0) })]) { board in
      for stub in stubs.reversed() {
        let isKnown = board[stub.name].map { !$0.origin.isCode } ?? false
        board = try board.apply(isKnown ? .replace(name: stub.name, with: stub) : .add(stub, at: nil))
      }
    }
  }

  func replaceStub(_ request: ControlRequest) async throws -> JSONValue {
    guard let value = request.members["stub"] else { throw request.missing("stub", "a stub") }
    return try await apply(request, .replace(name: try knownName(request), with: try Stub(json: value)))
  }

  func setStub(_ request: ControlRequest, enabled: Bool) async throws -> JSONValue {
    try await apply(request, .setEnabled(name: try knownName(request), enabled))
  }

  func setPaused(_ request: ControlRequest, _ paused: Bool) async throws -> JSONValue {
    try await apply(request, .setPaused(paused))
  }

  func removeStub(_ request: ControlRequest) async throws -> JSONValue {
    try await apply(request, .remove(name: try knownName(request)))
  }

  /// One that was removed is not on the board and can come back all the same.
  func revertStub(_ request: ControlRequest) async throws -> JSONValue {
    let name = try request.text("name")
    let board = server.board
    guard board[name] != nil || board.removed.contains(where: { $0.stub.name == name }) else {
      throw Self.unknown(name, in: board)
    }
    return try await apply(request, .revert(name: name))
  }

  private func knownName(_ request: ControlRequest) throws -> String {
    let name = try request.text("name")
    let board = server.board
    guard board[name] != nil else { throw Self.unknown(name, in: board) }
    return name
  }

  func editStubs(_ request: ControlRequest) async throws -> JSONValue {
    guard let value = request.members["edit"] else { throw request.missing("edit", "a change of the stubs") }
    return try await apply(request, try StubEdit(json: value))
  }

  private func apply(_ request: ControlRequest, _ edit: StubEdit) async throws -> JSONValue {
    try await change(request) { board in board = try board.apply(edit) }
  }

  private func change(
    _ request: ControlRequest, _ members: KeyValuePairs<String, JSONValue> = [:],
    _ change: @Sendable (inout StubBoard) throws -> Void
  ) async throws -> JSONValue {
    let (_, revision) = try server.edit(by: request.author, change)
    guard case .object(let answer) = await acknowledged(revision), case .object(let more) = JSONValue.members(members)
    else { return .object([]) }
    return .object(answer + more)
  }

  func resetStubs(_ request: ControlRequest) async throws -> JSONValue {
    let name = try request.optionalText("name")
    let board = server.board
    if let name, board[name] == nil { throw Self.unknown(name, in: board) }
    return await acknowledged(server.resetCounts(of: name, by: request.author))
  }

  /// Says the states of one scenario, or of all, in each process; with a state it moves the one first.
  func scenario(_ request: ControlRequest) async throws -> JSONValue {
    let all = server.board.stubs.scenarios
    let name = try request.optionalText("name")
    if let name, !all.contains(where: { $0.name == name }) {
      let end =
        all.isEmpty
        ? ": no stub has one; give stubs a `scenario`."
        : NearestName.hint(
          for: name, among: all.map(\.name), otherwise: "; there are \(all.map(\.name).joined(separator: ", "))")
      throw ServerError.badRequest("There is no scenario named `\(name)`\(end)")
    }
    let shown = all.filter { name == nil || $0.name == name }
    var acknowledged: [JSONValue.Member] = []
    if let state = try request.optionalText("state") {
      guard let one = shown.first, name != nil else { throw request.missing("name", "the name of a scenario") }
      guard one.states.contains(state) else {
        let end = NearestName.hint(
          for: state, among: one.states, otherwise: "; its states are \(one.states.joined(separator: ", "))")
        throw ServerError.badRequest("The scenario `\(one.name)` has no state `\(state)`\(end)")
      }
      guard !server.states(of: one.name).isEmpty else {
        throw ServerError.badRequest("No process is linked, and each has states of its own: start one first.")
      }
      let revision = server.setScenario(ScenarioState(name: one.name, state: state), by: request.author)
      if case .object(let members) = await self.acknowledged(revision) { acknowledged = members }
    }
    let scenarios = shown.map { scenario in
      JSONValue.members([
        "name": .string(scenario.name), "states": .array(scenario.states.map { .string($0) }),
        "processes": .array(
          server.states(of: scenario.name).map { process, state in
            .members(["name": .string(process.name), "pid": .number("\(process.pid)"), "state": .string(state)])
          }),
      ])
    }
    return .object(acknowledged + [.init("scenarios", .array(scenarios))])
  }

  func explain(_ request: ControlRequest) throws -> JSONValue {
    let facts = RequestFacts(
      method: try request.optionalText("method") ?? "GET", url: try request.text("url"),
      headers: try ControlRequest.headers(request.members["headers"]) ?? [],
      body: try ControlRequest.body(request.members["body"]), process: try request.optionalText("process") ?? "")
    let board = server.board
    let explanations = StubMatcher(StubSet(revision: 1, stubs: board.stubsInForce)).explain(facts)
    return .members([
      "paused": .bool(board.isPaused),
      "answers": explanations.first { $0.verdict == .answers }.map { .string($0.stub) } ?? .null,
      "stubs": .array(
        explanations.map {
          .members(["name": .string($0.stub), "matches": .bool($0.matches), "reason": .string($0.reason)])
        }),
    ])
  }

  private static func unknown(_ name: String, in board: StubBoard) -> ServerError {
    let end = NearestName.hint(for: name, among: board.stubs.map(\.name), otherwise: ": see `patchbay stubs list`.")
    return .badRequest("There is no stub named `\(name)`\(end)")
  }
}

extension StubBoard.Origin {
  fileprivate var kind: String {
    switch self {
    case .file: "file"
    case .console: "console"
    case .code: "code"
    }
  }
}
