import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What a controller says of held exchanges, and the verdicts that the hook gets.
@Suite(.bounded) struct ControlHoldTests {
  /// Exchange 1 is held at its request and exchange 2 at its response.
  private func holding(
    _ delegate: (any ControlDelegate)? = FakeDelegate(), _ test: (TestConsole, FakeHook) async throws -> Void
  ) async throws {
    try await TestConsole(delegate: delegate).run { console in
      let hook = try await FakeHook.link(console.socket, name: "shop", pid: 4_711)
      var start = ExchangeUpdate.Start.request("http://x.test/1")
      start.request.headers = [HeaderField("A", "1")]
      start.request.body = Data("asked".utf8)
      start.request.truncated = true
      hook.send(
        .exchange(ExchangeUpdate(key: 41, start: start, held: .request)),
        .exchange(
          ExchangeUpdate(
            key: 42, start: .request("http://x.test/2"), held: .response,
            head: .init(at: 1, status: 201, headers: [HeaderField("B", "2")]), data: Data("got".utf8))))
      try await eventually { console.server.held.count == 2 }
      try await test(console, hook)
    }
  }

  private func decision(_ line: String) async throws -> Verdict? {
    var verdict: Verdict?
    try await holding { console, hook in
      let answer = try await console.answers("{\"id\":1,\"by\":\"me\",\(line)}")[0]
      guard answer.contains("\"ok\":true") else {
        #expect(console.server.held.count == 2 && hook.verdicts.isEmpty)
        Issue.record("\(answer)")
        return
      }
      let id = console.server.held.map(\.id) == [2] ? 1 : 2
      #expect(answer == "{\"id\":1,\"ok\":true,\"exchange\":\(id)}")
      let command = try #require(line.firstMatch(of: /hold\.([a-z]+)/)).1
      try await eventually { hook.verdicts.count == 1 && !console.log.notices.isEmpty }
      #expect(console.log.notices == ["me decided for exchange \(id) (http://x.test/\(id)): \(command)."])
      verdict = hook.verdicts.first
    }
    return verdict
  }

  private func refusal(_ line: String) async throws -> String {
    var refusal = ""
    try await holding { console, hook in
      let answer = try await console.answers("{\"id\":1,\(line)}")[0]
      let head = "{\"id\":1,\"ok\":false,\"error\":\""
      refusal = answer.hasPrefix(head) ? String(answer.dropFirst(head.count).dropLast(2)) : answer
      await console.server.events.flush()
      #expect(console.server.held.count == 2 && hook.verdicts.isEmpty && console.log.notices.isEmpty)
    }
    return refusal
  }

  @Test func whatIsHeldIsListed() async throws {
    func row(_ id: Int, _ stage: String, _ exchange: String) -> String {
      "{\"id\":\(id),\"stage\":\"\(stage)\",\"since\":\"NOW\",\"process\":{\"name\":\"shop\",\"pid\":4711},"
        + "\"method\":\"GET\",\"url\":\"http://x.test/\(id)\",\"exchange\":\(exchange)}"
    }
    let lines = [
      row(1, "request", "{\"id\":1,\"url\":\"http://x.test/1\",\"body\":null}"),
      row(2, "response", "{\"id\":2,\"url\":\"http://x.test/2\",\"body\":\"got\"}"),
    ]
    try await holding { console, _ in
      let answers = try await console.answers("{\"id\":1,\"do\":\"hold.list\"}")
      #expect(answers == ["{\"id\":1,\"ok\":true,\"held\":[\(lines.joined(separator: ","))]}"])
    }
    try await holding(nil) { console, _ in
      let answers = try await console.answers("{\"id\":1,\"do\":\"hold.list\"}")
      #expect(
        answers == ["{\"id\":1,\"ok\":true,\"held\":[\(row(1, "request", "null")),\(row(2, "response", "null"))]}"])
    }
  }

  private static let request = RecordedRequest(
    method: "GET", url: "http://x.test/1", headers: [HeaderField("A", "1")], body: Data("asked".utf8), truncated: true)
  private static let response = RecordedResponse(
    status: 201, headers: [HeaderField("B", "2")], body: Data("got".utf8))

  private static func edited<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
  }

  /// The members that are given replace those of what is held, and no others.
  @Test(
    arguments: [
      ("\"do\":\"hold.continue\",\"exchange\":1", .continue(request: nil, response: nil)),
      ("\"do\":\"hold.continue\",\"exchange\":1,\"request\":null", .continue(request: nil, response: nil)),
      ("\"do\":\"hold.continue\",\"exchange\":1,\"request\":{}", .continue(request: request, response: nil)),
      (
        "\"do\":\"hold.continue\",\"exchange\":1,\"request\":{\"method\":\"PUT\"}",
        .continue(request: edited(request) { $0.method = "PUT" }, response: nil)
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":1,\"request\":{\"url\":\"http://y.test/\",\"headers\":[]}",
        .continue(request: edited(request) { ($0.url, $0.headers) = ("http://y.test/", []) }, response: nil)
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":1,\"request\":{\"body\":\"other\"}",
        .continue(request: edited(request) { ($0.body, $0.truncated) = (Data("other".utf8), false) }, response: nil)
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":1,\"request\":{\"body\":null}",
        .continue(request: edited(request) { ($0.body, $0.truncated) = (nil, false) }, response: nil)
      ),
      ("\"do\":\"hold.continue\",\"exchange\":2,\"response\":{}", .continue(request: nil, response: response)),
      (
        "\"do\":\"hold.continue\",\"exchange\":2,\"response\":{\"status\":599}",
        .continue(request: nil, response: edited(response) { $0.status = 599 })
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":2,\"response\":{\"headers\":[[\"C\",\"3\"]],\"body\":{\"base64\":\"AP8=\"}}",
        .continue(
          request: nil,
          response: edited(response) { ($0.headers, $0.body) = ([HeaderField("C", "3")], Data([0, 255])) })
      ),
      ("\"do\":\"hold.drop\",\"exchange\":1", .drop),
      ("\"do\":\"hold.respond\",\"exchange\":1", .respond(CannedResponse(status: 200, headers: [], body: .none))),
      (
        "\"do\":\"hold.respond\",\"exchange\":2,\"status\":100,\"headers\":[[\"C\",\"3\"]],\"body\":\"\"",
        .respond(CannedResponse(status: 100, headers: [HeaderField("C", "3")], body: .data(Data())))
      ),
      ("\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"timedOut\"", .fail(Fault(.named("timedOut")))),
    ] as [(String, Verdict.Decision)])
  func theHookGetsTheVerdict(_ line: String, _ decision: Verdict.Decision) async throws {
    let isFirst = line.contains("\"exchange\":1")
    #expect(try await self.decision(line) == Verdict(key: isFirst ? 41 : 42, decision: decision))
  }

  /// One that was recorded in part is whole when it gets another body; one of which nothing was told is made of the edits.
  @Test(
    arguments: [
      (true, "{}", RecordedResponse(status: 201, body: Data("got".utf8), truncated: true)),
      (true, "{\"body\":\"new\"}", RecordedResponse(status: 201, body: Data("new".utf8))),
      (true, "{\"body\":null}", RecordedResponse(status: 201)), (false, "{}", RecordedResponse(status: 200)),
      (false, "{\"status\":404,\"body\":\"\"}", RecordedResponse(status: 404, body: Data())),
    ] as [(Bool, String, RecordedResponse)])
  func aResponseIsGivenAnew(_ isTold: Bool, _ edits: String, _ response: RecordedResponse) async throws {
    try await TestConsole(adjust: { $0.limits.body = 3 }).run { console in
      let hook = try await FakeHook.link(console.socket)
      var update = ExchangeUpdate(key: 7, start: .request("http://x.test/"), held: .response)
      if isTold {
        update.head = .init(at: 1, status: 201, headers: [])
        update.data = Data("got it".utf8)
      }
      hook.send(.exchange(update))
      try await eventually { console.server.held.count == 1 }
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"hold.continue\",\"exchange\":1,\"response\":\(edits)}")
          == ["{\"id\":1,\"ok\":true,\"exchange\":1}"])
      try await eventually { !hook.verdicts.isEmpty }
      #expect(hook.verdicts == [Verdict(key: 7, decision: .continue(request: nil, response: response))])
    }
  }

  /// Those of the fault menu that answer, answer, and those that fail, fail.
  @Test func aRowOfTheFaultMenuIsAVerdict() async throws {
    for preset in FaultPreset.all {
      let line = "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"\(preset.name)\""
      switch FaultPreset.resolve(.fail(Fault(.named(preset.name)))) {
      case .fail(let fault): #expect(try await decision(line)?.decision == .fail(fault), "\(preset.name)")
      case .respond(let response): #expect(try await decision(line)?.decision == .respond(response), "\(preset.name)")
      default:
        #expect(
          try await refusal(line)
            == "The fault “\(preset.name)” slows a request down and cannot end one that is held.")
      }
    }
  }

  @Test(
    arguments: [
      ("\"do\":\"hold.drop\"", "hold.drop needs “exchange”, which must be a whole number."),
      ("\"do\":\"hold.drop\",\"exchange\":\"1\"", "hold.drop needs “exchange”, which must be a whole number."),
      ("\"do\":\"hold.drop\",\"exchange\":7", "Exchange 7 is not held: see `patchbay hold list` for those that are."),
      (
        "\"do\":\"hold.continue\",\"exchange\":7",
        "Exchange 7 is not held: see `patchbay hold list` for those that are."
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":1,\"response\":{}",
        "Exchange 1 is held at its request, so a decision for the other side does not fit: look at it again."
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":2,\"request\":{}",
        "Exchange 2 is held at its response, so a decision for the other side does not fit: look at it again."
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":2,\"response\":{\"status\":600}",
        "A status must be a number from 100 to 599."
      ),
      (
        "\"do\":\"hold.continue\",\"exchange\":2,\"response\":{\"status\":null}",
        "A status must be a number from 100 to 599."
      ),
      ("\"do\":\"hold.respond\",\"exchange\":1,\"status\":99", "A status must be a number from 100 to 599."),
      (
        "\"do\":\"hold.respond\",\"exchange\":1,\"status\":\"200\"",
        "hold.respond needs “status”, which must be a whole number."
      ),
      (
        "\"do\":\"hold.respond\",\"exchange\":1,\"headers\":7",
        "Headers must be a list of pairs, such as [[\\\"Accept\\\",\\\"*/*\\\"]]."
      ),
      ("\"do\":\"hold.respond\",\"exchange\":1,\"body\":7", "A body must be a string, or {\\\"base64\\\": …}."),
      ("\"do\":\"hold.fail\",\"exchange\":1", "hold.fail needs “fault”, which must be text."),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"timedOu\"",
        "There is no fault named “timedOu”: use a URLError code such as timedOut, or a name from the fault menu. Did you "
          + "mean “timedOut”?"
      ),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"xyzzyxyzzy\"",
        "There is no fault named “xyzzyxyzzy”: use a URLError code such as timedOut, or a name from the fault menu."
      ),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"599\"",
        "There is no fault named “599”: use a URLError code such as timedOut, or a name from the fault menu. A status is "
          + "answered: `patchbay hold respond ID --status 599`."
      ),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"100\"",
        "There is no fault named “100”: use a URLError code such as timedOut, or a name from the fault menu. A status is "
          + "answered: `patchbay hold respond ID --status 100`."
      ),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"99\"",
        "There is no fault named “99”: use a URLError code such as timedOut, or a name from the fault menu."
      ),
      (
        "\"do\":\"hold.fail\",\"exchange\":1,\"fault\":\"600\"",
        "There is no fault named “600”: use a URLError code such as timedOut, or a name from the fault menu."
      ),
      ("\"do\":\"hold.release\",\"filter\":\"(\"", "1: a parenthesis is not closed."),
    ] as [(String, String)])
  func whatDoesNotFitDecidesNothing(_ line: String, _ sentence: String) async throws {
    #expect(try await refusal(line) == sentence)
  }

  @Test func theyAreReleasedByAFilterOrAll() async throws {
    try await holding { console, hook in
      let lines = [
        "{\"id\":1,\"by\":\"me\",\"do\":\"hold.release\",\"filter\":\"/3\"}",
        "{\"id\":2,\"by\":\"me\",\"do\":\"hold.release\",\"filter\":\"/2\"}",
        "{\"id\":3,\"by\":\"me\",\"do\":\"hold.release\"}",
      ]
      #expect(try await console.answers(lines[0]) == ["{\"id\":1,\"ok\":true,\"released\":0}"])
      #expect(try await console.answers(lines[1]) == ["{\"id\":2,\"ok\":true,\"released\":1}"])
      try await eventually { hook.verdicts == [Verdict(key: 42, decision: .continue(request: nil, response: nil))] }
      #expect(try await console.answers(lines[2]) == ["{\"id\":3,\"ok\":true,\"released\":1}"])
      try await eventually { hook.verdicts.count == 2 }
      // Of nothing nothing is said.
      try await eventually { console.log.notices.count == 2 }
      #expect(console.log.notices == ["me released 1 held exchanges.", "me released 1 held exchanges."])
    }
  }
}
