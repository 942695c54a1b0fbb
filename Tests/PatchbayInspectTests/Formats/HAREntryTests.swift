import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// Each field of an archive's entry, and what becomes of it.
@Suite(.bounded) struct HAREntryTests {
  private static let request = #""request":{"method":"GET","url":"http://h/x"}"#

  private static let entries: [String] =
    [
      // The request.
      "{}", "1", #"{"request":{}}"#, #"{"request":{"method":"","url":"u"}}"#, #"{"request":{"method":1,"url":"u"}}"#,
      #"{"request":{"method":"GET"}}"#, #"{"request":{"method":"GET","url":""}}"#, "{\(request)}",
      #"{"request":{"method":"post","url":"http://h/","headers":[{"name":"A","value":"1"},{"name":":path","value":"/"},{"name":"","value":"x"},{"name":"B"},{"value":"y"},{"name":"A","value":""},{"name":"C:","value":"2"}]}}"#,
      #"{"request":{"method":"GET","url":"u","headers":{"A":"1"}}}"#,
    ]
    // Bodies.
    + [
      #"{"text":"päck"}"#, #"{"text":""}"#, #"{"text":"cMOkY2s=","encoding":"base64"}"#,
      #"{"text":"cMOk\nY2s=","encoding":"BASE64"}"#, #"{"text":"no*base64","encoding":"base64"}"#,
      #"{"text":"AP8=","encoding":"base64"}"#, #"{"text":"x","encoding":"gzip"}"#,
      #"{"text":"t","params":[{"name":"a","value":"b"}]}"#, #"{"params":[]}"#, #"{"params":{"a":1}}"#,
      #"{"params":[{"name":"a b","value":"c&d=e"},{"name":"ü-._~","value":""},{"name":"n"},{"value":"v"}]}"#, "{}",
      "null",
      #"{"mimeType":"text/plain"}"#,
    ].map { #"{"request":{"method":"PUT","url":"u","postData":\#($0)}}"# }
    // Times.
    + [
      #""startedDateTime":"2026-01-02T03:04:05.678Z""#, #""startedDateTime":"2026-01-02T03:04:05Z""#,
      #""startedDateTime":"2026-01-02T03:04:05.678+02:00""#, #""startedDateTime":"yesterday""#, #""startedDateTime":7"#,
      #""time":12.5"#, #""time":"12.5""#, #""time":0"#, #""time":-1"#, #""time":999999999999"#,
      #""time":1000000000000"#,
      #""time":"x""#, #""time":null"#, #""time":50,"timings":{"wait":7}"#,
      #""time":50,"timings":{"blocked":1,"dns":2,"connect":4,"send":8,"wait":16,"receive":32,"ssl":64}"#,
      #""time":50,"timings":{"blocked":-1,"dns":-1,"connect":0,"send":"3","wait":4}"#, #""time":50,"timings":{}"#,
      #""timings":{"wait":3}"#, #""time":50,"timings":{"wait":1000000000000}"#,
    ].map { "{\(request),\($0)}" }
    // Responses.
    + [
      #""response":{"status":200}"#, #""response":{"status":99}"#, #""response":{"status":100}"#,
      #""response":{"status":999}"#, #""response":{"status":1000}"#, #""response":{"status":"200"}"#,
      #""response":{"status":0,"statusText":"gone"}"#, #""response":{"status":0,"statusText":""}"#,
      #""response":{"status":0,"_error":"net::ERR_FAILED","statusText":"x"}"#,
      #""response":{"status":0},"_error":"timedOut""#,
      #""response":{"status":0,"_error":"timedOut"},"_error":"offline""#,
      #""response":{"status":200},"_error":"timedOut""#, #""_error":"notConnectedToInternet""#, #""response":null"#,
      #""response":{"status":200,"headers":[{"name":":status","value":"200"},{"name":"A","value":"1"}],"content":{"text":"body"}}"#,
      #""response":{"status":200,"content":{"text":"cMOkY2s=","encoding":"base64","size":5}}"#,
      #""response":{"status":204,"content":{"size":0}}"#,
    ].map { "{\(request),\($0)}" }
    // What only our own archives say, and remarks.
    + [
      #""_patchbay":{"process":"my app 12","by":"stub","stub":"down","outcome":"responded"}"#,
      #""_patchbay":{"process":"app","by":"nobody"}"#, #""_patchbay":{"process":"app x"}"#,
      #""_patchbay":{"process":"12"}"#,
      #""_patchbay":{"outcome":"cancelled"}"#, #""_patchbay":{"outcome":"abandoned"},"response":{"status":200}"#,
      #""_patchbay":{"outcome":"failed"},"response":{"status":200}"#, #""_patchbay":{"outcome":"nothing"}"#,
      #""_patchbay":{"outcome":null},"time":5"#, #""_patchbay":{"outcome":null},"response":{"status":200},"time":5"#,
      #""_patchbay":{"tags":["a","b","a",1," "]}"#, #""_patchbay":{"tags":"a"}"#, #""comment":"a note""#,
      #""comment":"  ""#,
    ].map { "{\(request),\($0)}" }

  /// All that an entry can say, as lines; times in microseconds.
  private func facts(_ exchange: Exchange) -> [String] {
    func body(_ data: Data?) -> String { data.map { String(data: $0, encoding: .utf8) ?? "\(Array($0))" } ?? "none" }
    func fields(_ headers: [HeaderField]) -> String {
      headers.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    }
    return [
      "process: \(exchange.process.name) \(exchange.process.pid)", "started: \(exchange.startedAt.microseconds)",
      "request: \(exchange.request.method) \(exchange.request.url)",
      "asked headers: \(fields(exchange.request.headers))",
      "asked body: \(body(exchange.request.body)), \(exchange.bytesSent) bytes",
      "phase: \(exchange.phase), by \(exchange.by), stub \(exchange.stub ?? "none")",
      "outcome: \(exchange.outcome.map { "\($0)" } ?? "none")",
      "response: \(exchange.response.map { "\($0.status) \(fields($0.headers)) \(body($0.body))" } ?? "none"), "
        + "\(exchange.bytesReceived) bytes",
      "error: \(exchange.error.map { "\($0.domain) \($0.code) \($0.name ?? "-"): \($0.message ?? "-")" } ?? "none")",
      "head: \(exchange.timing.head.map { "\($0)" } ?? "none"), end: \(exchange.timing.end.map { "\($0)" } ?? "none")",
      "tags: \(exchange.tags), note: \(exchange.note ?? "none")",
    ]
  }

  /// The first that can be read is told whole, the others as far as they differ from it.
  @Test func eachFieldAsAWhole() throws {
    let plain = facts(try HAREntry.exchange(try JSONValue(parsing: Data("{\(Self.request)}".utf8)), id: 1))
    let lines = Self.entries.map { entry in
      do {
        let exchange = try HAREntry.exchange(try JSONValue(parsing: Data(entry.utf8)), id: 1)
        let all = facts(exchange)
        let told = entry == "{\(Self.request)}" ? all : all.filter { !plain.contains($0) }
        return "== \(entry)\n" + told.map { $0 + "\n" }.joined()
      } catch { return "== \(entry)\n\(error)\n" }
    }
    try expectRecorded(lines.joined(), "../Whole/harEntries.txt")
  }

  /// Where the list of entries stands, and where it does not.
  @Test(arguments: [
    (#"{"log":{"entries":[ ]}}"#, 0), (#"{"log":{"entries":[E]}}"#, 1),
    (#"{"log":{"pages":[{"entries":[1]}],"entries":[E,E]}}"#, 2),
    (#"{"log":{"creator":{"entries":[]},"entries":[E]}}"#, 1), (#" {"log" : {"a":"]\"[{","entries" : [ E ,E] } }"#, 2),
    (#"{"other":{"entries":[E]},"log":{"entries":[E]}}"#, 1), (#"{"log":{"entries":[E]},"log":{"entries":[E]}}"#, 1),
    (#"{"log":[{"entries":[E]}]}"#, nil), (#"{"entries":[E]}"#, nil), (#"{"log":{"x":{"entries":[E]}}}"#, nil),
    (#"{"log":{"entriesandmore":[E]}}"#, nil), (#"{"log":{"entries":{}}}"#, nil), (#"[{"log":{"entries":[E]}}]"#, nil),
  ])
  func whereTheListStands(_ text: String, _ count: Int?) throws {
    let archive = text.replacingOccurrences(of: "E", with: "{\(Self.request)}")
    for piece in [1, 5, archive.utf8.count] {
      var reader = HARReader()
      var found: [Exchange] = []
      var failed = false
      do {
        let bytes = Array(archive.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
          found += try reader.read(Data(bytes[start..<min(bytes.count, start + piece)]))
        }
        found += try reader.finish()
      } catch { failed = true }
      #expect(failed == (count == nil))
      if let count { #expect(found.count == count && reader.count == count && reader.bad.isEmpty) }
    }
  }

  @Test func whatIsCutOffSaysHowManyWereRead() throws {
    var reader = HARReader()
    let found = try reader.read(Data("{\"log\":{\"entries\":[{\(Self.request)},{},{\(Self.request)}".utf8))
    #expect(found.map(\.id) == [1, 3])
    #expect(reader.bad.map(\.index) == [1] && reader.bad.map(\.reason) == ["it has no request with a method"])
    #expect(throws: StubError("The archive is cut off: its list of entries does not end; 3 entries were read.")) {
      try reader.finish()
    }
    var one = HARReader()
    _ = try one.read(Data("{\"log\":{\"entries\":[{\(Self.request)},".utf8))
    #expect(throws: StubError("The archive is cut off: its list of entries does not end; 1 entry was read.")) {
      try one.finish()
    }
  }

  /// Entries of ours that belong together: an id, a URL, whether it is a redirect.
  private func chain(_ entries: [(id: Int, url: String, hop: Bool)]) throws -> [String] {
    let texts = entries.map {
      #"{"request":{"method":"GET","url":"\#($0.url)"},"response":{"status":\#($0.hop ? 302 : 200),"headers":[{"name":"Location","value":"/next"}]},"_patchbay":{"id":\#($0.id),"hop":\#($0.hop)}}"#
    }
    var reader = HARReader()
    let found = try reader.read(Data("{\"log\":{\"entries\":[\(texts.joined(separator: ","))]}}".utf8))
    return (found + (try reader.finish())).map { exchange in
      let hops = exchange.redirects.map { "\($0.status) \($0.url) → \($0.led ?? "?")" }
      return ([exchange.request.url, "\(exchange.response?.status ?? 0)"] + hops).joined(separator: ", ")
    }
  }

  /// An exchange has so many at most; where an archive says more, the first of them stay by themselves.
  @Test func soManyRedirectsArePutTogether() throws {
    let hops = (0..<Wire.hopLimit).map { (id: 1, url: "http://h/\($0)", hop: true) }
    let end = (id: 1, url: "http://h/end", hop: false)
    #expect(try chain(hops + [end]).count == 1)
    #expect(try chain(hops + [(id: 1, url: "http://h/more", hop: true), end]).count == Wire.hopLimit + 1)
  }

  @Test func redirectsOfOneExchangeArePutTogether() throws {
    #expect(try chain([(1, "http://h/a", false), (2, "http://h/b", false)]) == ["http://h/a, 200", "http://h/b, 200"])
    #expect(
      try chain([
        (1, "http://h/a", true), (1, "http://h/next", true), (1, "http://h/c", false), (2, "http://h/d", false),
      ])
        == ["http://h/a, 200, 302 http://h/a → http://h/next, 302 http://h/next → http://h/c", "http://h/d, 200"])
    #expect(
      try chain([(1, "http://h/a", true), (2, "http://h/b", false)]) == ["http://h/a, 302", "http://h/b, 200"],
      "of another exchange")
    #expect(
      try chain([(1, "http://h/a", true), (2, "http://h/b", true), (2, "http://h/next", false)])
        == ["http://h/a, 302", "http://h/b, 200, 302 http://h/b → http://h/next"])
    #expect(try chain([(1, "http://h/a", true)]) == ["http://h/a, 302"], "nothing comes after it")
  }
}
