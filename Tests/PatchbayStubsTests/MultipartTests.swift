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

  @Test func whatStandsBeforeTheFirstAndAfterTheLastIsNone() {
    #expect(parts("preamble\r\n--b\r\n\r\nx\r\n--b--\r\nepilogue").map(\.content) == ["x"])
    #expect(parts("nothing").isEmpty && parts("--b\r\n\r\nx").isEmpty && parts("--\r\n\r\nx\r\n--", "").isEmpty)
  }
}
