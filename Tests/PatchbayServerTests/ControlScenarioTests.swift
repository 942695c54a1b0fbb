import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// Scenarios and explanations over the control socket.
@Suite(.bounded) struct ControlScenarioTests {
  private func tell(_ console: TestConsole) throws {
    @Sendable func stub(_ name: String, _ scenario: Stub.Scenario) -> Stub {
      Stub(name: name, then: .hold(.both), scenario: scenario)
    }
    try console.server.edit(
      by: .person,
      { board in
        board.entries = [
          .init(stub: stub("a", Stub.Scenario("cart", in: nil, to: "full")), origin: .console),
          .init(stub: stub("b", Stub.Scenario("cart", in: "full", to: "paid")), origin: .console),
          .init(stub: stub("c", Stub.Scenario("login", in: nil, to: "in")), origin: .console),
        ]
      })
  }

  @Test func theStatesOfEachProcessAreSaidAndMoved() async throws {
    try await TestConsole.run { console in
      try tell(console)
      let list = "{\"id\":1,\"do\":\"stubs.scenario\"}"
      let cart = "{\"name\":\"cart\",\"states\":[\"Started\",\"full\",\"paid\"],\"processes\":"
      let login = "{\"name\":\"login\",\"states\":[\"Started\",\"in\"],\"processes\":"
      #expect(
        try await console.answers(list) == ["{\"id\":1,\"ok\":true,\"scenarios\":[\(cart)[]},\(login)[]}]}"])
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.scenario\",\"name\":\"cart\",\"state\":\"paid\"}") == [
          "{\"id\":1,\"ok\":false,\"error\":\"No process is linked, and each has states of its own: start one first.\"}"
        ])
      let second = try await FakeHook.link(console.socket, name: "b", pid: 12)
      let first = try await FakeHook.link(console.socket, name: "a", pid: 11)
      try await eventually { console.server.links.count == 2 }
      second.send(.scenarios([ScenarioState(name: "cart", state: "full")]))
      let process = HarnessProcess(name: "b", pid: 12)
      try await eventually { console.server.states(of: "cart").contains { $0.state == "full" } }
      func states(_ one: String, _ two: String) -> String {
        "[{\"name\":\"a\",\"pid\":11,\"state\":\"\(one)\"},{\"name\":\"b\",\"pid\":12,\"state\":\"\(two)\"}]"
      }
      #expect(
        try await console.answers(list) == [
          "{\"id\":1,\"ok\":true,\"scenarios\":[\(cart)\(states("Started", "full"))},\(login)\(states("Started", "Started"))}]}"
        ])
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.scenario\",\"name\":\"login\"}") == [
          "{\"id\":1,\"ok\":true,\"scenarios\":[\(login)\(states("Started", "Started"))}]}"
        ])
      let revision = console.server.board.revision + 1
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.scenario\",\"name\":\"cart\",\"state\":\"paid\"}") == [
          "{\"id\":1,\"ok\":true,\"revision\":\(revision),\"laggards\":[],\"scenarios\":[\(cart)\(states("Started", "full"))}]}"
        ])
      let moved = ConsoleMessage.setScenario(ScenarioState(name: "cart", state: "paid"))
      #expect([first, second].allSatisfy { $0.messages.filter { $0 == moved }.count == 1 })
      // A process that comes again begins anew, and that is told.
      await second.close()
      try await eventually { console.server.links.count == 1 }
      _ = try await FakeHook.link(console.socket, name: "b", pid: 12)
      try await eventually { console.server.links.count == 2 }
      #expect(console.server.states(of: "cart").map(\.state) == ["Started", "Started"])
      try await eventually { console.log.moves.last?.process == process && console.log.moves.count == 2 }
      #expect(
        console.log.moves.map(\.states) == [
          [ScenarioState(name: "cart", state: "full")], [ScenarioState(name: "cart", state: "Started")],
        ])
    }
  }

  @Test func whatIsNoneIsSaid() async throws {
    try await TestConsole.run { console in
      func refusal(_ members: String) async throws -> String {
        let answer = try await console.answers("{\"id\":1,\"do\":\"stubs.scenario\",\(members)}")[0]
        let head = "{\"id\":1,\"ok\":false,\"error\":\""
        return answer.hasPrefix(head) ? String(answer.dropFirst(head.count).dropLast(2)) : answer
      }
      #expect(
        try await refusal("\"name\":\"cart\"")
          == "There is no scenario named `cart`: no stub has one; give stubs a `scenario`.")
      try tell(console)
      #expect(try await refusal("\"name\":\"carts\"") == "There is no scenario named `carts`; did you mean `cart`?")
      #expect(
        try await refusal("\"name\":\"xyzzyxyzzy\"") == "There is no scenario named `xyzzyxyzzy`; there are cart, login"
      )
      #expect(
        try await refusal("\"state\":\"paid\"") == "stubs.scenario needs “name”, which must be the name of a scenario.")
      #expect(
        try await refusal("\"name\":\"cart\",\"state\":\"pid\"")
          == "The scenario `cart` has no state `pid`; did you mean `paid`?")
      #expect(
        try await refusal("\"name\":\"cart\",\"state\":\"xyzzyxyzzy\"")
          == "The scenario `cart` has no state `xyzzyxyzzy`; its states are Started, full, paid")
      #expect(console.server.board.revision == 2)
    }
  }

  @Test func aRequestIsExplainedByAllItsFacts() async throws {
    try await TestConsole.run { console in
      func stub(_ name: String, _ when: RequestPattern, enabled: Bool = true) throws {
        try console.server.edit(
          .add(Stub(name: name, enabled: enabled, when: when, then: .fail(Fault(.named("timedOut")))), at: nil),
          by: .person)
      }
      try stub("off", RequestPattern(), enabled: false)
      try stub("process", RequestPattern(process: .glob("shop*")))
      try stub("body", RequestPattern(body: .init(contains: "needle")))
      try stub("header", RequestPattern(headers: [.init("X-A", .glob("1"))]))
      try stub("method", RequestPattern(methods: ["PUT"]))
      func explained(_ members: String) async throws -> String {
        let line = "{\"id\":1,\"do\":\"stubs.explain\",\"url\":\"http://x.test/\"\(members)}"
        let answer = try JSONValue(parsing: try await console.answers(line)[0])
        #expect(answer["ok"] == true)
        guard case .array(let rows)? = answer["stubs"] else { return "no rows" }
        #expect(rows.map { $0["name"]?.text } == ["method", "header", "body", "process", "off"])
        #expect(rows.allSatisfy { $0["reason"]?.text?.isEmpty == false })
        let matching = rows.filter { $0["matches"] == true }.compactMap { $0["name"]?.text }
        #expect(answer["paused"] == .bool(console.server.board.isPaused))
        return "\(matching.joined(separator: " ")): \(answer["answers"]?.compact ?? "nothing")"
      }
      #expect(try await explained("") == ": null")
      #expect(try await explained(",\"method\":\"PUT\"") == "method: \"method\"")
      #expect(try await explained(",\"headers\":[[\"X-A\",\"1\"]]") == "header: \"header\"")
      #expect(try await explained(",\"body\":\"a needle\",\"process\":\"shopping\"") == "body process: \"body\"")
      #expect(
        try await explained(",\"method\":null,\"headers\":null,\"body\":null,\"process\":null") == ": null")
      try console.server.edit(.setPaused(true), by: .person)
      #expect(try await explained(",\"method\":\"PUT\"").isEmpty == false)
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.explain\"}") == [
          "{\"id\":1,\"ok\":false,\"error\":\"stubs.explain needs “url”, which must be text.\"}"
        ])
    }
  }
}
