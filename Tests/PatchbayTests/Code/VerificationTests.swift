import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Short forms of stubs, and what `verify` says.
@Suite(.bounded) struct VerificationTests {
  private func said(_ body: () throws(PatchbayError) -> Void) -> String? {
    do throws(PatchbayError) {
      try body()
      return nil
    } catch {
      if case .unverified(let sentence) = error { return sentence }
      return "another error"
    }
  }

  @Test func whatWasAskedIsCountedAndTheOthersAreNamed() async throws {
    let scope = Patchbay.scope()
    defer { scope.close() }
    scope.stub(.url("*"), respond: .status(200))
    let session = scope.session()
    #expect(
      said { () throws(PatchbayError) in try scope.verify(.get("*/a")) } == "0 requests fit GET */a, not at least 1.")
    for path in ["a", "b", "a", "c", "d", "e"] {
      _ = try await session.data(from: try #require(URL(string: "http://v.test/\(path)")))
    }
    let a = RequestPattern.get("*/a")
    #expect(said { () throws(PatchbayError) in try scope.verify(a) } == nil)
    for (count, isRight) in [(1, false), (2, true), (3, false), (0, false)] {
      #expect((said { () throws(PatchbayError) in try scope.verify(a, count: count) } == nil) == isRight, "\(count)")
    }
    #expect(said { () throws(PatchbayError) in try scope.verify(.get("*/b")) } == nil, "one is enough")
    let others = "there were also GET http://v.test/e (the URL is “http://v.test/e”), GET http://v.test/d"
    let sentence = said { () throws(PatchbayError) in try scope.verify(a, count: 3) } ?? ""
    #expect(
      sentence.hasPrefix("2 requests fit GET */a, not 3; there were also GET http://v.test/e ("),
      "\(sentence), \(others)")
    #expect(
      sentence.contains("/d (") && sentence.contains("/c (") && !sentence.contains("/b ("),
      "three are named, the last first")
    #expect(
      said { () throws(PatchbayError) in try scope.verify(.get("*/b"), count: 0) }?.hasPrefix(
        "1 request fits GET */b, not 0;") == true)
    func words(_ count: some RangeExpression<Int>) -> String? {
      said { () throws(PatchbayError) in try scope.verify(.url("*"), count: count) }
    }
    #expect(
      words(6...6) == nil && words(6...) == nil && words(...6) == nil && words(..<7) == nil && words(6..<7) == nil)
    #expect(words(1...5) == "6 requests fit *, not 1 to 5." && words(7...) == "6 requests fit *, not at least 7.")
    #expect(words(...5) == "6 requests fit *, not at most 5." && words(..<6) == "6 requests fit *, not less than 6.")
    #expect(words(1..<6) == "6 requests fit *, not 1 to 5.")
  }

  @Test func aPatternsSummaryIsItsMethodsAndItsFirstText() {
    let rows: [(RequestPattern, String)] = [
      (RequestPattern(), "*"), (.url("http://a/*"), "http://a/*"), (.get("*/x"), "GET */x"), (.head("a"), "HEAD a"),
      (.post("a"), "POST a"), (.put("a"), "PUT a"), (.patch("a"), "PATCH a"), (.delete("a"), "DELETE a"),
      (.method("LOCK", "a"), "LOCK a"), (RequestPattern(methods: ["GET", "POST"]), "GET POST *"),
      (RequestPattern(url: .glob("u"), host: .glob("h"), path: .glob("/p")), "u"),
      (RequestPattern(host: .glob("h"), path: .glob("/p")), "/p"), (RequestPattern(host: .glob("h")), "h"),
      (RequestPattern(path: .matches("^/a")), "~^/a"),
    ]
    for (pattern, summary) in rows { #expect(pattern.summary == summary) }
  }

  @Test func stubsAsValues() {
    let pattern = RequestPattern.get("*/a")
    #expect(
      Stub(pattern, respond: .status(204))
        == Stub(name: "GET */a", when: pattern, then: .respond(CannedResponse(status: 204))))
    #expect(
      Stub(pattern, respond: .text("x", status: 201), name: "n", times: 3)
        == Stub(name: "n", when: pattern, then: .respond(CannedResponse(status: 201, body: .text("x"))), times: 3))
    let fault = Fault.Failure.custom(domain: NSURLErrorDomain, code: -1_001, message: nil)
    #expect(Stub(pattern, fail: .timedOut) == Stub(name: "GET */a", when: pattern, then: .fail(Fault(fault))))
    #expect(
      Stub(pattern, fail: .timedOut, delay: .seconds(2), name: "n", times: 1)
        == Stub(name: "n", when: pattern, then: .fail(Fault(fault, delay: .fixed(.seconds(2)))), times: 1))
    let changes = PassChanges(status: 500)
    #expect(Stub(pattern, pass: changes) == Stub(name: "GET */a", when: pattern, then: .pass(changes)))
    #expect(
      Stub(pattern, pass: changes, name: "n", times: 2)
        == Stub(name: "n", when: pattern, then: .pass(changes), times: 2))
  }

  @Test func answersAsValues() throws {
    let fields = [HeaderField("A", "1")]
    #expect(
      CannedResponse.json(["a": 1], status: 201, headers: fields)
        == CannedResponse(status: 201, headers: fields, body: .json(["a": 1])))
    #expect(
      CannedResponse.data(Data([1]), status: 202, headers: fields)
        == CannedResponse(status: 202, headers: fields, body: .data(Data([1]))))
    #expect(CannedResponse.text("x", headers: fields) == CannedResponse(status: 200, headers: fields, body: .text("x")))
    #expect(CannedResponse.status(204, headers: fields) == CannedResponse(status: 204, headers: fields))
    #expect(
      CannedResponse.status(204).delayed(by: .seconds(1)) == CannedResponse(status: 204, delay: .fixed(.seconds(1))))
    #expect(
      CannedResponse.status(204).paced(.throttle(bytesPerSecond: 9))
        == CannedResponse(status: 204, pace: .throttle(bytesPerSecond: 9)))
    let encoded = try CannedResponse.json(encoding: ["a": 1], status: 201)
    #expect(
      encoded
        == CannedResponse(
          status: 201, headers: [HeaderField("Content-Type", "application/json")], body: .data(Data("{\"a\":1}".utf8))))
    let own = [HeaderField("content-type", "a/b")]
    #expect(try CannedResponse.json(encoding: [1], headers: own).headers == own)
    let (number, none): (JSONValue, JSONValue) = (1.5, JSONValue(floatLiteral: .infinity))
    #expect(number == .number("1.5") && none == .null)
    let url = try #require(URL(string: "http://a/"))
    let head = try #require(
      HTTPURLResponse(
        url: url, statusCode: 206, httpVersion: nil,
        headerFields: ["Content-Length": "9", "Content-Encoding": "gzip", "A": "1"]))
    #expect(CannedResponse((head, Data([1]))) == CannedResponse(status: 206, headers: fields, body: .data(Data([1]))))
  }

  @Test func howTheLinkStandsIsASentence() {
    let rows: [(AttachState.Link, String)] = [
      (.notAttached, "Patchbay is not attached: call Patchbay.attach()."),
      (.waiting, "Patchbay waits for a console at /s: start one with `patchbay listen`."),
      (.connecting, "Patchbay is connected to /s and waits for its stubs."),
      (.linked, "Patchbay is linked to the console at /s."),
      (.refused("No."), "No."),
    ]
    for (link, sentence) in rows { #expect(AttachState(link: link, socket: "/s").description == sentence) }
  }

  /// A request of the program's, as its code sees it.
  @Test func codeSeesTheSessionsFieldsAndTheBody() throws {
    var request = URLRequest(url: try #require(URL(string: "http://a/")))
    request.setValue("own", forHTTPHeaderField: "A")
    let seen = request.asSeen(headers: [HeaderField("a", "session"), HeaderField("B", "2")], body: Data("body".utf8))
    #expect(
      seen.value(forHTTPHeaderField: "A") == "own" && seen.value(forHTTPHeaderField: "B") == "2"
        && seen.httpBody == Data("body".utf8))
    request.httpBody = Data("first".utf8)
    #expect(request.asSeen(headers: [], body: Data("body".utf8)).httpBody == Data("first".utf8))
    #expect(URLRequest(url: try #require(request.url)).asSeen(headers: [], body: nil).httpBody == nil)
  }
}
