import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// A body in parts (RFC 2046 §5.1, RFC 7578), as senders write it and a little beside that.
@Suite(.bounded) struct MultipartTests {
  private func parts(_ body: String, _ boundary: String = "b") -> [(part: Multipart.Part, content: String)] {
    let bytes = Array(body.utf8)
    return bytes.withUnsafeBufferPointer { Multipart($0, boundary: boundary).parts }.filter(\.isClosed)
      .map { ($0, String(decoding: bytes[$0.content], as: UTF8.self)) }
  }

  @Test(arguments: ["\r\n", "\n"]) func headersAndContentsAreToldApart(_ end: String) throws {
    let lines = [
      "--b", "Content-Disposition: form-data; name=\"when\"; filename=\"a:b.txt\"", "X-At:  12:30:00 ", "",
      "one\ntwo:", "--b", "", "no head", "--b", "Content-Disposition: form-data; name=last", "", "", "--b--", "",
    ]
    let parts = parts(lines.joined(separator: end))
    #expect(parts.map(\.content) == ["one\ntwo:", "no head", ""])
    let first = try #require(parts.first?.part)
    #expect(first.name == "when" && first.fileName == "a:b.txt")
    #expect(first.headers.map(\.name) == ["Content-Disposition", "X-At"])
    #expect(first.headers.last?.value == "12:30:00", "a colon in a value is the value's")
    #expect(parts.map(\.part.name) == ["when", nil, "last"])
  }

  /// An empty line ends the head, also where no field stands before it; without one all is content.
  @Test(arguments: ["\r\n", "\n"]) func aHeadIsWhatAnEmptyLineEnds(_ end: String) {
    let lines = ["--b", "A: 1", "", "one", "--b", "", "two", "--b", "three", "--b", "", "--b--"]
    let parts = parts(lines.joined(separator: end))
    #expect(parts.map(\.part.hasHead) == [true, true, false, true])
    #expect(parts.map(\.content) == ["one", "two", "three", ""])
    #expect(parts.map { $0.part.headers.map(\.name) } == [["A"], [], [], []])
  }

  @Test func whatStandsBeforeTheFirstAndAfterTheLastIsNone() {
    #expect(parts("preamble\r\n--b\r\n\r\nx\r\n--b--\r\nepilogue").map(\.content) == ["x"])
    #expect(parts("nothing").isEmpty && parts("--b\r\n\r\nx").isEmpty && parts("--\r\n\r\nx\r\n--", "").isEmpty)
  }

  @Test(
    arguments: [
      ("--b\r", [""], [false]), ("--b-", ["-"], [false]), ("--b\nx\nc\n--b--", ["x\nc", "--"], [false, false]),
    ] as [(String, [String], [Bool])])
  func partsOfAByteOrTwo(_ body: String, _ contents: [String], _ heads: [Bool]) {
    let bytes = Array(body.utf8)
    let parts = bytes.withUnsafeBufferPointer { Multipart($0, boundary: "b").parts }
    #expect(parts.map { String(decoding: bytes[$0.content], as: UTF8.self) } == contents)
    #expect(parts.map(\.hasHead) == heads)
  }

  @Test func aFieldMayBeEmpty() {
    let part = parts("--b\nX:\nY: 1\n\nc\n--b--").first?.part
    #expect(part?.headers == [HeaderField("X", ""), HeaderField("Y", "1")])
  }

  /// Whatever the parts hold, and whichever line ends the sender writes.
  @Test(arguments: 1...40 as ClosedRange<UInt64>) func eachPartIsFound(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let end = seed % 2 == 0 ? "\r\n" : "\n"
    let pieces = ["", "x", "\n", "\r\n", "\r", "-", "--", "a: b", "日本", "--c", "\r\n\r\nx"]
    let count = Int(random.next() % 5)
    var (body, expected): (String, [String]) = ("", [])
    for number in 0..<count {
      // A line end that stands first would be the end of the head.
      let content =
        "." + (0..<Int(random.next() % 6)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      expected.append("n\(number) \(content)")
      body += "--b\(end)Content-Disposition: form-data; name=\"n\(number)\"\(end)X: 1\(end)\(end)\(content)\(end)"
    }
    let seen = parts(body + "--b--\(end)")
    #expect(seen.map { "\($0.part.name ?? "-") \($0.content)" } == expected)
    #expect(seen.allSatisfy { $0.part.hasHead && $0.part.headers.count == 2 })
    let bytes = Array((body + "--b--").utf8)
    for limit in 0...count {
      #expect(bytes.withUnsafeBufferPointer { Multipart($0, boundary: "b", limit: limit).parts.count } == limit)
    }
  }

  @Test func theBoundaryIsSaidOrStandsFirst() {
    func boundary(_ body: String, _ type: String?) -> String? {
      Multipart.boundary(of: Array(body.utf8), contentType: type)
    }
    #expect(
      boundary("", "multipart/form-data; boundary=\"a b\"") == "a b"
        && boundary("--x\r\n", "Multipart/Mixed; Boundary=y") == "y")
    #expect(
      boundary("--x\r\n", "multipart/form-data") == "x" && boundary("--x\ny", nil) == "x"
        && boundary("--x", "text/plain; boundary=y") == "x")
    #expect(
      boundary("--x\r\n", "multipart/mixed; boundary=") == "x" && boundary("-x\r\n", nil) == nil
        && boundary("--\r\n", nil) == nil)
    let longest = String(repeating: "b", count: 70)
    #expect(boundary("--\(longest)\r\n", nil) == longest && boundary("--\(longest)b\r\n", nil) == nil)
  }

  @Test(arguments: [
    ("text/html", "text/html", []), (" Text/HTML ; Charset=UTF-8", "text/html", ["charset=UTF-8"]),
    ("a/b;x=\"1;2\";y=3", "a/b", ["x=1;2", "y=3"]),
    ("a/b; x=\"a\\\"b\"", "a/b", ["x=a\"b"]), ("a/b; x=\"a\\\\\"; y=1", "a/b", ["x=a\\", "y=1"]), ("a/b; x", "a/b", []),
    ("", "", []), ("a/b;;x=", "a/b", ["x="]),
    ("a/b;x=\"12\";y=3", "a/b", ["x=12", "y=3"]), ("a/b; x=\"\\\"a\\\"\"; y=1", "a/b", ["x=\"a\"", "y=1"]),
    ("a/b; x=\"", "a/b", ["x=\""]), ("a/b; x=\"\"", "a/b", ["x="]), ("a/b; x=1; x=2", "a/b", ["x=1", "x=2"]),
  ])
  func typesHaveParameters(_ text: String, _ essence: String, _ parameters: [String]) {
    let type = MediaType(text)
    #expect(type.essence == essence && type.parameters.map { "\($0.name)=\($0.value)" } == parameters)
    #expect(type["x"] == parameters.first { $0.hasPrefix("x=") }.map { String($0.dropFirst(2)) })
  }

  @Test(arguments: [
    ("a.json", "application/json"), ("a/b.JSON", "application/json"), ("a.b/c", "application/octet-stream"),
    (".json", "application/json"), ("json", "application/octet-stream"),
    ("a.tar.gz", "application/gzip"), ("a.", "application/octet-stream"), ("", "application/octet-stream"),
    ("x.html/", "text/html; charset=utf-8"),
  ])
  func aFilesNameTellsItsType(_ path: String, _ type: String) { #expect(MediaType.guess(ofFile: path) == type) }
}
