import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct HARTests {
  private func read(_ text: String, piece: Int = 1 << 20) throws -> (exchanges: [Exchange], bad: [BadEntry]) {
    var reader = HARReader()
    var found: [Exchange] = []
    let data = Data(text.utf8)
    for start in stride(from: 0, to: data.count, by: piece) {
      found += try reader.read(data[start..<min(data.count, start + piece)])
    }
    found += try reader.finish()
    return (found, reader.bad)
  }

  /// What HAR 1.2 requires of an entry, as names that must be there.
  @Test func writesAllRequiredMembers() throws {
    var exchange = RecordedExchange.make(
      id: 1, "POST", "http://a/b?x=1&y=%20",
      headers: [HeaderField("Cookie", "a=1; b=2"), HeaderField("Content-Type", "text/plain")],
      body: Data("hi".utf8), answer: Data([0xFF]), answerHeaders: [HeaderField("Set-Cookie", "s=1; Path=/")])
    exchange.redirects = [RedirectHop(status: 302, url: "http://a/old", headers: [HeaderField("Location", "/b")])]
    let har = try JSONValue(
      parsing: HARWriter.text([exchange, RecordedExchange.failed("http://c/", name: "timedOut", code: -1001)]))
    let log = try #require(har["log"])
    #expect(log["version"] == "1.2")
    #expect(log["creator"]?["name"] == "Patchbay" && log["creator"]?["version"]?.text != nil)
    guard case .array(let entries)? = log["entries"] else { throw StubError("no entries") }
    #expect(entries.count == 3)
    for entry in entries {
      for name in ["startedDateTime", "time", "request", "response", "cache", "timings"] { #expect(entry[name] != nil) }
      for name in ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"] {
        #expect(entry["request"]?[name] != nil, "request.\(name)")
      }
      for name in [
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
        "bodySize",
      ] { #expect(entry["response"]?[name] != nil, "response.\(name)") }
      for name in ["size", "mimeType"] { #expect(entry["response"]?["content"]?[name] != nil) }
      for name in ["send", "wait", "receive"] { #expect(entry["timings"]?[name] != nil) }
    }
    #expect(entries[0]["response"]?["redirectURL"] == "/b")
    #expect(entries[1]["response"]?["content"]?["encoding"] == "base64")
    #expect(entries[1]["request"]?["queryString"] == [["name": "x", "value": "1"], ["name": "y", "value": " "]])
    #expect(entries[1]["request"]?["cookies"] == [["name": "a", "value": "1"], ["name": "b", "value": "2"]])
    #expect(entries[2]["response"]?["status"] == 0 && entries[2]["_error"] == "timedOut")
  }

  @Test func cookiesArePartedAtTheFirstSign() throws {
    let exchange = RecordedExchange.make(
      headers: [HeaderField("Cookie", "a=b=c=d; e; f=; =g"), HeaderField("cookie", " h = i ")],
      answerHeaders: [HeaderField("Set-Cookie", "s=1=2; Path=/; HttpOnly"), HeaderField("Set-Cookie", "t")])
    let har = try JSONValue(parsing: HARWriter.text([exchange]))
    guard case .array(let entries)? = har["log"]?["entries"] else { throw StubError("no entries") }
    func cookies(_ side: String) -> [[String?]] {
      guard case .array(let list)? = entries[0][side]?["cookies"] else { return [] }
      return list.map { [$0["name"]?.text, $0["value"]?.text] }
    }
    #expect(cookies("request") == [["a", "b=c=d"], ["e", ""], ["f", ""], ["", "g"], ["h", "i"]])
    #expect(cookies("response") == [["s", "1=2"], ["t", ""]])
  }

  /// What we wrote ourselves comes back as it was: one exchange with its redirects, of its process.
  @Test func ourOwnComesBackWhole() throws {
    var moved = RecordedExchange.make(
      id: 1, "POST", "http://a/old", headers: [HeaderField("A", "b")], body: Data("hi".utf8), answer: Data("ok".utf8))
    moved.process = HarnessProcess(name: "my app", pid: 7)
    moved.by = .stub
    moved.stub = "there"
    moved.redirects = [
      RedirectHop(status: 307, url: "http://a/old", headers: [HeaderField("Location", "next/1")]),
      RedirectHop(
        status: 303, url: "http://a/next/1", headers: [HeaderField("Location", "/done")], target: "http://b/else"),
    ]
    var cancelled = RecordedExchange.failed("http://c/", name: "cancelled", code: -999)
    cancelled.outcome = .cancelled
    for piece in [1, 1 << 20] {
      let (found, bad) = try read(HARWriter.text([moved, cancelled, moved]), piece: piece)
      #expect(bad.isEmpty && found.map(\.outcome) == [.responded, .cancelled, .responded])
      for exchange in [found[0], found[2]] {
        #expect(exchange.request == moved.request && exchange.redirects == moved.redirects)
        #expect(exchange.process == moved.process && exchange.by == .stub && exchange.stub == "there")
        #expect(exchange.response?.body == moved.response?.body && exchange.bytesSent == 2)
      }
    }
    // One whose own entry is missing.
    let text = HARWriter.text([moved])
    let cut = try #require(text.range(of: ",\n{", options: .backwards))
    #expect(try read(text[..<cut.lowerBound] + "]}}").exchanges.map(\.response?.status) == [307, 303])
  }

  /// Half a body is not to come back as a whole one, nor a failure as an answer.
  @Test func whatIsNotWholeComesBackSo() throws {
    var cut = Exchange.sample(id: 1, body: "abc")
    cut.response?.truncated = true
    cut.request.truncated = true
    var failed = Exchange.sample(id: 2, body: "part")
    failed.outcome = .failed
    failed.error = RecordedError(
      domain: URLErrorCode.domain, code: -1005, name: "networkConnectionLost", message: "it is gone")
    var own = Exchange.sample(id: 3, status: nil)
    own.outcome = .failed
    own.error = RecordedError(domain: "MyApp.Err", code: 42, message: nil)
    var reader = HARReader()
    let read = try reader.read(Data(HARWriter.text([cut, failed, own]).utf8))
    #expect(
      read.map(\.response?.truncated) == [true, false, nil] && read.map(\.request.truncated) == [true, false, false])
    #expect(read.map(\.outcome) == [.responded, .failed, .failed])
    #expect(read.map(\.error) == [nil, failed.error, own.error])
    #expect(StubsExport.stubs(from: read).count { !$0.enabled } == 1)
  }

  /// The type of a body may stand with it alone; its secrets are found all the same.
  @Test func secretsInBodiesWithoutAType() throws {
    let text = """
      {"log":{"entries":[{"request":{"method":"POST","url":"http://a/","headers":[],"postData":
      {"mimeType":"application/x-www-form-urlencoded","params":[{"name":"password","value":"s"}]}},
      "response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"{\\"token\\":1}"}}}]}}
      """
    var reader = HARReader()
    let redacted = Redaction.standard.redacted(try #require(try reader.read(Data(text.utf8)).first))
    #expect(
      redacted.request.body == Data("password=***".utf8) && redacted.response?.body == Data(#"{"token":"***"}"#.utf8))
  }

  @Test func redirectsAreEntriesOfTheirOwnWithTheRequestsThatWereSent() throws {
    var exchange = RecordedExchange.make(
      id: 1, "POST", "http://a/old?x=1", headers: [HeaderField("Content-Type", "text/plain"), HeaderField("A", "b")],
      body: Data("hi".utf8), answer: Data("ok".utf8))
    exchange.redirects = [
      RedirectHop(status: 307, url: "http://a/old?x=1", headers: [HeaderField("location", "next/1")]),
      RedirectHop(status: 303, url: "http://a/next/1", headers: [HeaderField("Location", "https://b/done?y=2")]),
    ]
    let har = try JSONValue(parsing: HARWriter.text([exchange]))
    guard case .array(let entries)? = har["log"]?["entries"] else { throw StubError("no entries") }
    let requests = entries.compactMap { $0["request"] }
    #expect(requests.map { $0["url"]?.text } == ["http://a/old?x=1", "http://a/next/1", "https://b/done?y=2"])
    #expect(requests.map { $0["method"]?.text } == ["POST", "POST", "GET"])
    #expect(requests.map { $0["postData"] != nil } == [true, true, false])
    #expect(requests[2]["headers"] == [["name": "A", "value": "b"]])
    #expect(requests[2]["queryString"] == [["name": "y", "value": "2"]])
    #expect(entries.map { $0["response"]?["status"] } == [307, 303, 200])
    #expect(entries.map { $0["response"]?["redirectURL"]?.text } == ["next/1", "https://b/done?y=2", ""])
  }

  /// Clocks that disagree make no negative time.
  @Test func theAnswerTakesNoTimeWhereItsHeadCameAfterItsEnd() throws {
    var exchange = RecordedExchange.make()
    exchange.timing = Timing(head: 3_000, end: 2_000)
    guard case .array(let entries)? = try JSONValue(parsing: HARWriter.text([exchange]))["log"]?["entries"] else {
      throw StubError("no entries")
    }
    #expect(entries[0]["timings"]?["wait"] == .number("3.0") && entries[0]["timings"]?["receive"] == .number("0.0"))
  }

  @Test func theNamesOfErrorsComeBack() throws {
    let written = RecordedExchange.failed("http://c/", name: "timedOut", code: -1001)
    let error = try read(HARWriter.text([written])).exchanges.first?.error
    #expect(error?.name == "timedOut" && error?.code == -1001 && error?.domain == written.error?.domain)
  }

  @Test func whatWasOnlyObservedSaysSoAndComesBack() throws {
    var observed = RecordedExchange.make()
    (observed.outcome, observed.response, observed.error) = (nil, nil, nil)
    (observed.timing.end, observed.timing.head, observed.phase) = (nil, nil, .ended)
    let text = HARWriter.text([observed])
    guard case .array(let entries)? = try JSONValue(parsing: text)["log"]?["entries"], let entry = entries.first else {
      throw StubError("no entries")
    }
    #expect(entry["comment"]?.text?.hasPrefix("Only observed") == true && entry["_error"] == .null)
    #expect(entry["response"]?["status"] == 0 && entry["time"] == .number("0.0"))
    let back = try #require(try read(text).exchanges.first)
    #expect(back.isObserved && back.error == nil && back.timing.end == nil && back.response == nil)
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100_000]) func readsWhatItWroteHoweverItIsCut(piece: Int) throws {
    let written = [
      RecordedExchange.make(
        id: 1, "POST", "http://a/?q=\"[{", body: Data(RecordedExchange.hostile.utf8), answer: Data([0xFE, 0])),
      RecordedExchange.make(id: 2, "GET", "http://b/", answer: Data("}]\"\\".utf8)),
    ]
    let (found, bad) = try read(HARWriter.text(written), piece: piece)
    #expect(bad.isEmpty)
    #expect(found.map(\.request) == written.map(\.request))
    #expect(found.map { $0.response?.body } == written.map { $0.response?.body })
    #expect(found.map(\.startedAt) == written.map(\.startedAt))
    #expect(found.map(\.timing) == written.map(\.timing))
  }

  @Test func takesWhatBrowsersAndProxiesWrite() throws {
    let text = """
      \u{FEFF}{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"comment":"entries [","pages":[{"id":"p"}],
      "entries":[
      {"startedDateTime":"2026-01-02T03:04:05.678+09:00","time":12.5,"request":{"method":"GET","url":"https://a/",
       "headers":[{"name":":authority","value":"a"},{"name":"Accept","value":"*/*","comment":"c"}]},
       "response":{"status":200,"content":{"text":"eyJhIjoxfQ==","encoding":"base64"}},"timings":{"send":1,"wait":"2","dns":-1}},
      {"request":{"method":"POST","url":"https://b/","postData":{"mimeType":"application/x-www-form-urlencoded",
       "params":[{"name":"a b","value":"ü"}]}},"response":{"status":0,"_error":"net::ERR_FAILED"}},
      {"request":{"url":"https://c/"}}, 12, null, {"request":{"method":"GET"}}, {"broken":tru}
      ]},"trailing":true}
      """
    let (found, bad) = try read(text, piece: 11)
    #expect(found.count == 2)
    #expect(found[0].request.headers == [HeaderField("Accept", "*/*")])
    #expect(found[0].response?.body == Data(#"{"a":1}"#.utf8))
    #expect(Moment.rfc3339(found[0].startedAt) == "2026-01-01T18:04:05.678Z")
    #expect(found[0].timing == Timing(head: 3_000, end: 12_500))
    #expect(found[1].request.body == Data("a%20b=%C3%BC".utf8))
    #expect(found[1].error?.message == "net::ERR_FAILED")
    #expect(bad.map(\.index) == [2, 3, 4, 5, 6])
  }

  @Test(arguments: ["", "[]", "hello", "{}", #"{"log":{}}"#, #"{"log":{"entries":[{"request":"#])
  func saysWhatIsNoArchive(text: String) {
    #expect(throws: StubError.self) { try read(text) }
  }

  @Test func neverTrapsOnGarbage() throws {
    let whole = Data(HARWriter.text((1...3).map { RecordedExchange.make(id: $0) }).utf8)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var bytes = [UInt8](whole)
      for _ in 0..<Int.random(in: 1...20) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255)
      }
      var reader = HARReader()
      _ = try? reader.read(Data(bytes))
      _ = try? reader.finish()
    }
  }
}
