import PatchbayAttach
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// The tables of what is held and of what can be attached to.
@Suite(.bounded) struct ListedTests {
  @Test func whatIsHeld() throws {
    let held = try [
      #"{"id":7,"stage":"request","since":"12:00:01","process":"shop 4711","method":"GET","url":"http://a/?token=s3cret"}"#,
      #"{"id":8,"stage":"response","since":"12:00:02","process":{"name":"日本","pid":12},"method":"PUT","url":"http://b/x"}"#,
      "{}",
    ].map { try JSONValue(parsing: $0) }
    #expect(
      HoldListCommand.table(held, withSecrets: false).lines(width: nil) == [
        "7\trequest\t12:00:01\tshop 4711\tGET\thttp://a/?token=***",
        "8\tresponse\t12:00:02\t日本 12\tPUT\thttp://b/x", "\t\t\t 0\t\t",
      ])
    #expect(
      HoldListCommand.table(held, withSecrets: true).lines(width: 200).prefix(3).map { $0 } == [
        "id  held at   since     process    method  url",
        "7   request   12:00:01  shop 4711  GET     http://a/?token=s3cret",
        "8   response  12:00:02  日本 12    PUT     http://b/x",
      ])
    #expect(HoldListCommand.table([], withSecrets: false).lines(width: nil) == [])
  }

  @Test func theStubsOfAConsole() throws {
    let stubs = try [
      #"{"name":"tea","enabled":true,"hits":12,"from":"a.yaml:3","origin":"file","edited":true}"#,
      #"{"name":"in\tcode","enabled":false,"hits":0,"origin":"code","edited":false}"#,
      #"{"name":"made","origin":"console"}"#, "{}",
    ].map { try JSONValue(parsing: $0) }
    #expect(
      StubsListCommand.table(stubs).lines(width: nil) == [
        "on\ttea\t12\ta.yaml:3 (edited)", "off\tin code\t0\tcode", "off\tmade\t0\tconsole", "off\t\t0\t",
      ])
    #expect(
      StubsListCommand.table(stubs).lines(width: 80).prefix(2) == [
        "on   name     hits  from", "on   tea      12    a.yaml:3 (edited)",
      ])
    #expect(StubsListCommand.table([]).lines(width: nil) == [])
  }

  @Test func theStatesOfScenarios() throws {
    let scenarios = try [
      #"{"name":"session","processes":[{"name":"shop","pid":12,"state":"signed in"},{"name":"app","state":"Started"},{}]}"#,
      #"{"name":"cart","processes":[]}"#, #"{"name":"broken"}"#, #"{"processes":[]}"#,
    ].map { try JSONValue(parsing: $0) }
    #expect(
      StubsScenarioCommand.table(scenarios).lines(width: nil) == [
        "session\tshop 12\tsigned in", "session\tapp\tStarted", "session\t\t", "cart\t(none is linked)\tStarted",
        "\t(none is linked)\tStarted",
      ])
    #expect(StubsScenarioCommand.table([]).rows.isEmpty)
    #expect(StubsScenarioCommand.table([]).lines(width: 80) == ["scenario  process  state"])
  }

  @Test func whatCanBeAttachedTo() {
    let long = String(repeating: "x", count: 20_000)
    let table = AttachCommand.table([
      RunningProgram(process: 12, name: "a", command: "a " + long, user: 4_000_000_001, startedAt: 0),
      RunningProgram(process: 4711, name: "b", command: "./b", user: 4_000_000_001, startedAt: 0),
    ])
    let piped = table.lines(width: nil).map { $0.split(separator: "\t") }
    #expect(piped.map(\.first) == ["12", "4711"] && piped.map(\.last) == ["a \(long)", "./b"])
    #expect(piped.allSatisfy { $0.count == 4 && $0[2] == "4000000001" })
    // On a terminal each is one row; the user goes first where it is narrow, then the time.
    let heads = [100, 60, 40].map { table.lines(width: $0)[0].split(separator: " ").joined(separator: " ") }
    #expect(heads == ["pid started user command", "pid started command", "pid command"])
    #expect(table.lines(width: 60)[1].hasSuffix("x…") && table.lines(width: 60)[1].count == 60)
  }
}
