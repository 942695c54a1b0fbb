import Foundation
import PatchbayStubs
import PatchbayWire

/// The commands of the control protocol, each from a request to the members of its answer.
struct ControlCommands: Sendable {
  let server: ConsoleServer
  /// Begins a log on the connection that the request came on.
  let follow: @Sendable (ControlRequest) throws -> JSONValue

  private typealias Command = @Sendable (ControlCommands, ControlRequest) async throws -> JSONValue

  /// Each command of the control protocol.
  private static let commands: [String: Command] = [
    "status": { $0.status($1) },
    "stubs.list": { $0.listStubs($1) },
    "stubs.add": { try await $0.addStubs($1) },
    "stubs.replace": { try await $0.replaceStub($1) },
    "stubs.enable": { try await $0.setStub($1, enabled: true) },
    "stubs.disable": { try await $0.setStub($1, enabled: false) },
    "stubs.pause": { try await $0.setPaused($1, true) },
    "stubs.resume": { try await $0.setPaused($1, false) },
    "stubs.remove": { try await $0.removeStub($1) },
    "stubs.revert": { try await $0.revertStub($1) },
    "stubs.edit": { try await $0.editStubs($1) },
    "stubs.reset": { try await $0.resetStubs($1) },
    "stubs.scenario": { try await $0.scenario($1) },
    "stubs.explain": { try $0.explain($1) },
    "hold.list": { try $0.listHeld($1) },
    "hold.continue": { try $0.continueHeld($1) },
    "hold.drop": { try $0.decide($1, .drop) },
    "hold.respond": { try $0.respondHeld($1) },
    "hold.fail": { try $0.failHeld($1) },
    "hold.release": { try $0.releaseHeld($1) },
    "hold.all": { try await $0.holdAll($1) },
    "links.degree": { try $0.setDegree($1) },
    "links.detach": { try $0.detach($1) },
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
      "paused": .bool(server.board.isPaused),
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

  private func detach(_ request: ControlRequest) throws -> JSONValue {
    guard let delegate = server.delegate else { throw Self.noDelegate(request) }
    let pid = try request.integer("pid")
    guard let process = Int32(exactly: pid), let linked = delegate.letGo(of: process) else {
      throw ServerError.badRequest("This console was not attached to a process with the pid \(pid).")
    }
    server.unlink(process: linked, saying: "Detached by \(request.by).")
    return .members([:])
  }

  private func history(_ request: ControlRequest) async throws -> JSONValue {
    guard let delegate = server.delegate else { throw Self.noDelegate(request) }
    let limit = try request.optionalInteger("limit")
    guard limit ?? 0 >= 0 else { throw request.missing("limit", "a number from 0 on") }
    let lines = try await delegate.history(filter: try request.optionalText("filter") ?? "", limit: limit)
    return .members([
      "file": delegate.historyFile.map { .string($0) } ?? .null,
      "exchanges": .array(try lines.map { try JSONValue(parsing: $0) }),
    ])
  }

  static func noDelegate(_ request: ControlRequest) -> ServerError {
    .badRequest("This console does not answer \(request.command).")
  }
}

/// Holds.
extension ControlCommands {
  private func listHeld(_ request: ControlRequest) throws -> JSONValue {
    .members([
      "held": .array(
        try server.held.map { held in
          let exchange = try server.delegate.map { try JSONValue(parsing: $0.exchangeJSON(held.exchange)) } ?? .null
          return .members([
            "id": JSONValue(held.id), "stage": .string(held.stage.rawValue), "since": JSONValue(time: held.since),
            "process": .members([
              "name": .string(held.exchange.process.name), "pid": JSONValue(held.exchange.process.pid),
            ]),
            "method": .string(held.exchange.request.method), "url": .string(held.exchange.request.url),
            "exchange": exchange,
          ])
        })
    ])
  }

  private func decide(_ request: ControlRequest, _ decision: Verdict.Decision) throws -> JSONValue {
    let id = Int64(try request.integer("exchange"))
    let url = server.held(id)?.exchange.request.url
    try server.decide(id, decision)
    server.notice("\(request.by) decided for exchange \(id) (\(url ?? "")): \(request.command.dropFirst(5)).")
    return .members(["exchange": JSONValue(id)])
  }

  /// As it is, or with edits: the members that are given replace those of what is held.
  private func continueHeld(_ request: ControlRequest) throws -> JSONValue {
    let id = Int64(try request.integer("exchange"))
    guard let held = server.held(id) else { throw ServerError.notHeld(id: id) }
    var editedRequest: RecordedRequest?
    var editedResponse: RecordedResponse?
    if let edits = request.members["request"], edits != .null {
      var edited = held.exchange.request
      edited.method = edits["method"]?.text ?? edited.method
      edited.url = edits["url"]?.text ?? edited.url
      edited.headers = try ControlRequest.headers(edits["headers"]) ?? edited.headers
      if let body = edits["body"] {
        edited.body = try ControlRequest.body(body)
        edited.truncated = false
      }
      editedRequest = edited
    }
    if let edits = request.members["response"], edits != .null {
      var edited = held.exchange.response ?? RecordedResponse(status: 200)
      edited.status = try edits["status"].map { try Self.status($0.integer) } ?? edited.status
      edited.headers = try ControlRequest.headers(edits["headers"]) ?? edited.headers
      if let body = edits["body"] {
        edited.body = try ControlRequest.body(body)
        edited.truncated = false
      }
      editedResponse = edited
    }
    return try decide(request, .continue(request: editedRequest, response: editedResponse))
  }

  private func respondHeld(_ request: ControlRequest) throws -> JSONValue {
    let status = try Self.status(request.optionalInteger("status") ?? 200)
    let headers = try ControlRequest.headers(request.members["headers"]) ?? []
    let body = try ControlRequest.body(request.members["body"])
    let response = CannedResponse(status: status, headers: headers, body: body.map { .data($0) } ?? .none)
    return try decide(request, .respond(response))
  }

  private static func status(_ number: Int?) throws(ServerError) -> Int {
    guard let number, (100...599).contains(number) else {
      throw .badRequest("A status must be a number from 100 to 599.")
    }
    return number
  }

  private static func hint(forFault name: String) -> String {
    if let status = Int(name), (100...599).contains(status) {
      return " A status is answered: `patchbay hold respond ID --status \(status)`."
    }
    let names = URLErrorCode.all.map(\.name) + FaultPreset.all.map(\.name)
    return NearestName.find(name, among: names).map { " Did you mean “\($0)”?" } ?? ""
  }

  /// A `URLError` code by its Swift name, or a row of the fault menu; those that answer, answer.
  private func failHeld(_ request: ControlRequest) throws -> JSONValue {
    let name = try request.text("fault")
    guard URLErrorCode.code(named: name) != nil || FaultPreset[name] != nil else {
      throw ServerError.badRequest(ServerError.badFault(name).description + Self.hint(forFault: name))
    }
    switch FaultPreset.resolve(.fail(Fault(.named(name)))) {
    case .fail(let fault): return try decide(request, .fail(fault))
    case .respond(let response): return try decide(request, .respond(response))
    default:
      throw ServerError.badRequest("The fault “\(name)” slows a request down and cannot end one that is held.")
    }
  }

  private func releaseHeld(_ request: ControlRequest) throws -> JSONValue {
    var fits: @Sendable (Exchange) -> Bool = { _ in true }
    if let filter = try request.optionalText("filter") {
      guard let delegate = server.delegate else { throw Self.noDelegate(request) }
      fits = try delegate.exchangePredicate(filter)
    }
    let count = server.releaseAll { fits($0.exchange) }
    if count > 0 { server.notice("\(request.by) released \(count) held exchanges.") }
    return .members(["released": JSONValue(count)])
  }
}

extension LinkInfo {
  /// As `status` has it.
  fileprivate var json: JSONValue {
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
        "exchanges": JSONValue(missing.exchanges), "bodies": JSONValue(missing.bodies),
        "bytes": JSONValue(missing.bytes),
      ]),
    ])
  }
}
