import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayRuntime
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayCLI

/// Rows as they are printed, and what a child is given.
@Suite("What commands print of their values", .bounded) struct PrintedTests {
  private func summary(_ id: Int64, _ url: String, _ change: (inout Exchange) -> Void = { _ in }) -> ExchangeSummary {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "shop", pid: 42), startedAt: Timestamp(microseconds: 1_700_000_000_123_456),
      request: RecordedRequest(method: "PUT", url: url))
    change(&exchange)
    return ExchangeSummary(exchange)
  }

  @Test("recorded exchanges, a row each; a pipe has the whole moment") func history() {
    let rows = [
      summary(7, "http://a.example/x?token=1") {
        ($0.phase, $0.outcome, $0.by, $0.stub) = (.ended, .responded, .stub, "down")
        $0.response = RecordedResponse(status: 503, body: Data(count: 2_048))
        $0.bytesReceived = 2_048
        $0.timing.end = 1_500_000
      },
      summary(8, "http://b.example/") { ($0.phase, $0.outcome, $0.by) = (.ended, .cancelled, .cache) },
    ]
    let table = HistoryCommand.table(rows, isTerminal: false, withSecrets: false)
    #expect(table.heads == ["id", "time", "process", "method", "result", "size", "took", "by", "url"])
    #expect(table.spare == ["by", "took", "process", "size", "time"])
    let moment = Moment.rfc3339(Timestamp(microseconds: 1_700_000_000_123_456))
    #expect(
      table.rows == [
        [
          "7", moment, "shop 42", "PUT", "503", Quantity.bytes(2_048), Quantity.duration(1_500_000), "down",
          "http://a.example/x?token=***",
        ],
        ["8", moment, "shop 42", "PUT", "cancelled", "—", "—", "cache", "http://b.example/"],
      ])
    let open = HistoryCommand.table(rows, isTerminal: true, withSecrets: true)
    #expect(open.rows.map(\.last) == ["http://a.example/x?token=1", "http://b.example/"])
    #expect(open.rows.allSatisfy { $0[1] == LocalTime.short(Timestamp(microseconds: 1_700_000_000_123_456)) })
    #expect(open.rows.allSatisfy { $0[1] != moment })
  }

  @Test(
    "a role of a theme stands before its look, in a column of 16 or behind one space",
    arguments: [
      ("", "                "), ("text", "text            "), ("fourteen-chars", "fourteen-chars  "),
      ("fifteen-letters", "fifteen-letters "), ("sixteen--letters", "sixteen--letters "),
      ("seventeen-letters", "seventeen-letters "),
    ])
  func roles(_ role: String, _ label: String) {
    let style = Style(foreground: .ansi(1)).bold
    #expect(
      ThemesShowCommand.line(role, style, isTerminal: true)
        == label + "\u{1B}[0;1;38;5;1m あア亜 The quick brown fox 0123 \u{1B}[0m")
    #expect(
      ThemesShowCommand.line(role, style, isTerminal: false) == label + "{ fg: red, bg: default, bold: true }")
  }

  @Test("the demo's harness has our environment without proxies, and the console's socket") func demo() {
    let own = [
      "PATH": "/bin", "http_proxy": "a", "HTTPS_PROXY": "b", "No_Proxy": "c", "PROXY": "d", "MY_PROXYS": "e",
      "PATCHBAY_SOCKET": "old",
    ]
    #expect(
      DemoProcess.environment(own, socket: "/new") == [
        "PATH": "/bin", "PROXY": "d", "MY_PROXYS": "e", "PATCHBAY_SOCKET": "/new",
      ])
    #expect(DemoProcess.environment([:], socket: "/s") == ["PATCHBAY_SOCKET": "/s"])
  }

  @Test("a line of a console's log is one of a console without a screen") func logged() throws {
    var exchange = Exchange(
      id: 7, process: HarnessProcess(name: "shop", pid: 42), startedAt: Timestamp(microseconds: 1_700_000_000_123_456),
      request: RecordedRequest(method: "PUT", url: "http://a.example/x?token=1"))
    (exchange.phase, exchange.outcome, exchange.by) = (.ended, .cancelled, .cache)
    let value = try JSONValue(parsing: JSONLines.line(exchange))
    let offset = LocalTime.offset(at: exchange.startedAt)
    for (withSecrets, url) in [(true, "http://a.example/x?token=1"), (false, "http://a.example/x?token=***")] {
      let line = try LogLine.text(value, withSecrets: withSecrets)
      #expect(line == OneLine.text(ExchangeSummary(exchange), withSecrets: withSecrets, utcOffset: offset))
      #expect(line.contains(url))
    }
    #expect(throws: (any Error).self) { try LogLine.text([], withSecrets: false) }
  }

  @Test(
    "what is chosen of a history: a filter, a moment, or both",
    arguments: [
      ([], ""), ([" "], ""), (["status:200 or host:a"], "status:200 or host:a"), (["--since", "10m"], "since:10m"),
      (["status:200", "--since", "10m"], "(status:200 ) since:10m"), (["--limit", "0", "-host:a"], "-host:a"),
      (["path:/a(b"], "path:/a(b"), (["path:/a(b", "--since", "10m"], "(path:/a(b ) since:10m"),
    ] as [([String], String)])
  func chosen(_ words: [String], _ text: String) throws {
    let arranged = Array(ArgumentOrder.arranged(["history"] + words).dropFirst())
    let selection = try HistorySelection.parse(arranged)
    #expect(try selection.parsedFilter().text == text)
    #expect(selection.limit == (words.contains("--limit") ? 0 : nil))
  }
}
