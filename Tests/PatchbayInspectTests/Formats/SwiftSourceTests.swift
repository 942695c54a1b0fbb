import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct SwiftSourceTests {
  @Test func writesATest() {
    let source = SwiftSource.text([RecordedExchange.make(id: 1, "POST", "http://a/v1/books", body: Data("hi".utf8))])
    #expect(source.contains("@Test func postV1Books() async throws {"))
    #expect(source.contains(#"request.httpBody = Data("hi".utf8)"#))
    #expect(source.contains(#"#expect(String(decoding: data, as: UTF8.self) == "ok")"#))
  }

  @Test func expectsBinaryBodiesInAFormThatCompiles() {
    let source = SwiftSource.text([RecordedExchange.make(answer: Data([0xFE, 0]))])
    #expect(source.contains("let expected = try #require(Data(base64Encoded: \"/gA=\"))"))
    #expect(source.contains("#expect(data == expected)") && !source.contains("== try"))
  }

  @Test func doesNotFollowWhatTheProgramDidNotFollow() {
    let answer = [HeaderField("Location", "/b")]
    let source = SwiftSource.text(
      (1...2).map { RecordedExchange.make(id: $0, status: 302, answerHeaders: answer) } + [RecordedExchange.make()])
    #expect(source.components(separatedBy: "delegate: RedirectKeeper()").count == 3)
    #expect(source.components(separatedBy: "final class RedirectKeeper").count == 2)
  }

  @Test(arguments: [("GET", 204), ("GET", 304), ("HEAD", 200), ("GET", 103)])
  func expectsNoBodyWhereThereIsNone(_ method: String, _ status: Int) {
    let source = SwiftSource.text([RecordedExchange.make(id: 1, method, status: status, answer: Data("x".utf8))])
    #expect(source.contains(#"as: UTF8.self) == "")"#))
  }

  @Test(arguments: [
    "timedOut); print(\"PWNED\"); _ = (0", "\u{1B}]52;c;eA==\u{7}", "timedOut\u{2028}print()", "notInTheTable", "self",
    "",
  ])
  func writesNoNameThatTheTableLacks(_ name: String) {
    for code in [-1001, 0, 7] {
      var failed = RecordedExchange.failed("http://a/", name: name, code: code)
      let source = SwiftSource.text([failed])
      #expect(!source.contains("URLError.Code") && !source.contains("print("), "\(source)")
      #expect(source.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      #expect(source.contains(#"\"fail\":{\"domain\":\"NSURLErrorDomain\",\"code\":\#(code)}"#), "\(source)")
      failed.error?.domain = "\")\u{9B}2J\\(x)\u{202E}"
      let foreign = SwiftSource.text([failed])
      #expect(!foreign.contains("\u{9B}") && !foreign.contains("\u{202E}") && !foreign.contains("URLError.Code"))
    }
  }

  @Test func writesEachNameOfTheTable() {
    for (name, code) in URLErrorCode.all {
      let source = SwiftSource.text([RecordedExchange.failed("http://a/", name: name, code: code)])
      #expect(source.contains("fail: URLError.Code.\(name))"))
    }
  }

  @Test(arguments: [
    Data(String(repeating: "long text ", count: 100).utf8), Data("[\(String(repeating: "1,", count: 200))2]".utf8),
    Data(repeating: 0xFE, count: 1_000),
  ])
  func aLongBodyStandsThereOnce(body: Data) {
    for type in ["text/plain", "application/json"] {
      let source = SwiftSource.text([
        RecordedExchange.make(answer: body, answerHeaders: [HeaderField("Content-Type", type)])
      ])
      let text = body.utf8Text ?? body.base64EncodedString()
      #expect(source.components(separatedBy: text).count == 2)
      #expect(source.contains("(body)") && source.contains("== body)"), "\(source)")
    }
  }

  @Test(arguments: [(200, false), (201, true)]) func aBodyIsAConstantFromALengthOn(_ count: Int, _ isConstant: Bool) {
    let source = SwiftSource.text([RecordedExchange.make(answer: Data(repeating: 0x78, count: count))])
    #expect(source.contains("  let body = ") == isConstant)
  }

  @Test func eachTestHasANameOfItsOwn() {
    let source = SwiftSource.text((1...3).map { RecordedExchange.make(id: $0) })
    for name in ["getX", "getX2", "getX3"] { #expect(source.components(separatedBy: "func \(name)()").count == 2) }
  }

  /// A part of a body is not to be taken for the whole, and what stubs it is on: the test would fail without.
  @Test func whatWasRecordedOfABodyIsSaid() {
    var cut = RecordedExchange.make(
      id: 1, "POST", "http://a/b", headers: [HeaderField("Content-Length", "4000")], body: Data("hi".utf8),
      answerHeaders: [])
    #expect(!SwiftSource.text([cut]).contains("// "))
    cut.request.truncated = true
    #expect(
      SwiftSource.text([cut]).contains("\n// Only 2 B of 4 kB of the request's body were recorded.\n@Test func postB()")
    )
    cut.response?.truncated = true
    #expect(
      SwiftSource.text([cut]).contains(
        "recorded.\n// Only 2 B of the response's body were recorded.\n@Test func postB()"))
    cut.outcome = .failed
    cut.error = RecordedError(domain: "NSURLErrorDomain", code: -1005, name: "networkConnectionLost")
    let source = SwiftSource.text([cut])
    #expect(source.contains("try Stub(json:") && !source.contains("enabled"), "\(source)")
  }

  @Test func literalsInterpolateNothing() {
    #expect(SwiftSource.literal("a\\(b)\"\n\u{1B}\u{202E}あ") == #""a\\(b)\"\n\u{1b}\u{202e}あ""#)
  }

  /// The compiler itself must take it, whatever the traffic held.
  @Test func parses() throws {
    let text = RecordedExchange.hostile
    let exchanges = [
      RecordedExchange.make(
        id: 1, "GET", "http://a/\"b\\(c)", headers: [HeaderField("X", text)], body: Data(text.utf8),
        answer: Data(text.utf8), answerHeaders: [HeaderField("Y", text)]),
      RecordedExchange.make(id: 2, "GET", "http://a/*", body: Data([0xFF]), answer: Data([0xFE, 0])),
      RecordedExchange.make(id: 4, "GET", "http://a/long", answer: Data(repeating: 0xFE, count: 999)),
      RecordedExchange.make(id: 5, "GET", "http://a/long", answer: Data(String(repeating: text, count: 9).utf8)),
      RecordedExchange.failed(id: 3, "http://a/", name: "timedOut", code: -1001),
    ]
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(SwiftSource.text(exchanges).utf8).write(to: file)
    let compiler = try TestProgram.run(["/usr/bin/env", "swiftc", "-frontend", "-parse", file.path], errors: .read)
    #expect(compiler.status == 0, "\(String(decoding: compiler.output, as: UTF8.self))")
  }
}
