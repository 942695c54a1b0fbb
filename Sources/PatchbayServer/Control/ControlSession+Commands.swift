import PatchbayStubs
import PatchbayWire

extension ControlSession {
  private typealias Command = @Sendable (ControlSession, ControlRequest) async throws -> JSONValue

  /// Each command of the control protocol.
  private static let commands: [String: Command] = [
    "status": { $0.status($1) },
    "stubs.list": { $0.listStubs($1) },
    "stubs.add": { try await $0.addStubs($1) },
    "stubs.replace": { try await $0.replaceStub($1) },
    "stubs.enable": { try await $0.setStub($1, enabled: true) },
    "stubs.disable": { try await $0.setStub($1, enabled: false) },
    "stubs.remove": { try await $0.removeStub($1) },
    "stubs.edit": { try await $0.editStubs($1) },
    "stubs.reset": { try await $0.resetStubs($1) },
    "stubs.explain": { try $0.explain($1) },
    "hold.list": { try $0.listHeld($1) },
    "hold.continue": { try $0.continueHeld($1) },
    "hold.drop": { try $0.decide($1, .drop) },
    "hold.respond": { try $0.respondHeld($1) },
    "hold.fail": { try $0.failHeld($1) },
    "hold.release": { try $0.releaseHeld($1) },
    "hold.all": { try await $0.holdAll($1) },
    "links.degree": { try $0.setDegree($1) },
    "log": { try $0.follow($1) },
    "history": { try await $0.history($1) },
  ]

  func perform(_ request: ControlRequest) async throws -> JSONValue {
    guard let command = Self.commands[request.command] else {
      let near = NearestName.find(request.command, among: Self.commands.keys.sorted())
      let hint = near.map { "did you mean “\($0)”?" } ?? "see the commands of the control protocol."
      throw ServerError.badRequest("There is no command “\(request.command)”: \(hint)")
    }
    return try await command(self, request)
  }

  /// Waits for the links, and says which of them did not answer.
  func acknowledged(_ revision: UInt64) async -> JSONValue {
    let late = await server.awaitAcknowledged(revision)
    return .members([
      "revision": JSONValue(revision),
      "laggards": .array(late.map { .string("\($0.process.name) \($0.process.pid)") }),
    ])
  }

  private func status(_ request: ControlRequest) -> JSONValue {
    .members([
      "socket": .string(server.configuration.socket),
      "pid": JSONValue(HarnessProcess.console.pid),
      "revision": JSONValue(server.board.revision),
      "unmatched": .string(server.unmatched.rawValue),
      "holdAll": server.holdAll.map { .string($0.rawValue) } ?? .null,
      "held": JSONValue(server.held.count),
      "links": .array(server.links.map(\.json)),
    ])
  }

  private func holdAll(_ request: ControlRequest) async throws -> JSONValue {
    let name = try request.optionalText("point")
    let point = name.flatMap { Action.HoldPoint(rawValue: $0) }
    guard name == nil || point != nil else { throw request.missing("point", "request, response, both or null") }
    return await acknowledged(server.setHoldAll(point, by: request.author))
  }

  private func setDegree(_ request: ControlRequest) throws -> JSONValue {
    guard let degree = HookSettings.Degree(rawValue: try request.text("degree")) else {
      throw request.missing("degree", "full, observe or bypass")
    }
    let pid = try request.integer("pid")
    let links = server.links.filter { $0.process.pid == Int32(truncatingIfNeeded: pid) }
    guard !links.isEmpty else { throw ServerError.badRequest("No process with the pid \(pid) is linked.") }
    for link in links { try server.setDegree(degree, of: link.id) }
    return .members(["changed": JSONValue(links.count)])
  }

  private func history(_ request: ControlRequest) async throws -> JSONValue {
    guard let delegate = server.delegate else { throw Self.noDelegate(request) }
    let limit = try request.optionalInteger("limit")
    let lines = try await delegate.history(filter: try request.optionalText("filter") ?? "", limit: limit)
    return .members([
      "file": delegate.historyFile.map { .string($0) } ?? .null,
      "exchanges": .array(try lines.map { try JSONValue(parsing: $0) }),
    ])
  }
}

extension LinkInfo {
  /// As `status` has it.
  var json: JSONValue {
    .members([
      "process": .members(["name": .string(process.name), "pid": JSONValue(process.pid)]),
      "executable": .string(executable),
      "entry": .string(entry.rawValue),
      "linkedAt": JSONValue(time: linkedAt),
      "revision": JSONValue(revision),
      "degree": .string(degree.rawValue),
      "stalled": .bool(isStalled),
      "throttled": .bool(isThrottled),
      "shed": .members([
        "exchanges": JSONValue(shed.exchanges), "bodies": JSONValue(shed.bodies), "bytes": JSONValue(shed.bytes),
      ]),
    ])
  }
}
