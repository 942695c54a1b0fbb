import Foundation
import PatchbayStubs
import PatchbayWire

extension ControlSession {
  func listHeld(_ request: ControlRequest) throws -> JSONValue {
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

  func decide(_ request: ControlRequest, _ decision: Verdict.Decision) throws -> JSONValue {
    let id = Int64(try request.integer("exchange"))
    let url = server.core.state.withLock { $0.gatherer.held(id)?.exchange.request.url }
    try server.decide(id, decision)
    server.core.notice("\(request.by) decided for exchange \(id) (\(url ?? "")): \(request.command.dropFirst(5)).")
    return .members(["exchange": JSONValue(id)])
  }

  /// As it is, or with edits: the members that are given replace those of what is held.
  func continueHeld(_ request: ControlRequest) throws -> JSONValue {
    let id = Int64(try request.integer("exchange"))
    guard let held = (server.core.state.withLock { $0.gatherer.held(id) }) else { throw ServerError.notHeld(id: id) }
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

  func respondHeld(_ request: ControlRequest) throws -> JSONValue {
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
    let names = URLErrorCode.all.map(\.name) + NamedFault.all.map(\.name)
    return NearestName.find(name, among: names).map { " Did you mean “\($0)”?" } ?? ""
  }

  /// A `URLError` code by its Swift name, or a row of the fault menu; those that answer, answer.
  func failHeld(_ request: ControlRequest) throws -> JSONValue {
    let name = try request.text("fault")
    guard URLErrorCode.code(named: name) != nil || NamedFault[name] != nil else {
      throw ServerError.badRequest(ServerError.badFault(name).description + Self.hint(forFault: name))
    }
    switch NamedFault.resolve(.fail(Fault(.named(name)))) {
    case .fail(let fault): return try decide(request, .fail(fault))
    case .respond(let response): return try decide(request, .respond(response))
    default:
      throw ServerError.badRequest("The fault “\(name)” slows a request down and cannot end one that is held.")
    }
  }

  func releaseHeld(_ request: ControlRequest) throws -> JSONValue {
    var fits: @Sendable (Exchange) -> Bool = { _ in true }
    if let filter = try request.optionalText("filter") {
      guard let delegate = server.delegate else { throw Self.noDelegate(request) }
      fits = try delegate.exchangePredicate(filter)
    }
    let count = server.releaseAll { fits($0.exchange) }
    if count > 0 { server.core.notice("\(request.by) released \(count) held exchanges.") }
    return .members(["released": JSONValue(count)])
  }
}
