import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What of an exchange goes to the clipboard, as text.
enum CopyText {
  /// - Throws: a sentence where there is nothing of that kind.
  static func make(_ exchange: Exchange, _ kind: CopyKind) throws -> (text: String, label: String) {
    switch kind {
    case .curl:
      (
        CurlCommand.text(exchange.request),
        "the request as cURL" + (exchange.requestPart.only.map { " with \($0) its body" } ?? "")
      )
    case .url: (exchange.request.url, "the URL")
    case .requestBody:
      try body(exchange.request.body, exchange.request.headers, exchange.requestPart, of: "request")
    case .responseBody:
      try body(exchange.response?.body, exchange.response?.headers ?? [], exchange.responsePart, of: "response")
    case .requestHeaders: (lines(exchange.request.headers), "the request's headers")
    case .responseHeaders: (lines(exchange.response?.headers ?? []), "the response's headers")
    case .stub: (StubFile.yaml(StubsExport.stubs(from: [exchange])), "a stub that answers so")
    case .swift: (SwiftSource.text([exchange]), "a Swift test")
    case .har: (HARWriter.text([exchange], version: PatchbayVersion.text), "the exchange as HAR")
    }
  }

  private static func body(
    _ body: Data?, _ headers: [HeaderField], _ part: RecordedPart, of side: String
  ) throws -> (text: String, label: String) {
    guard let body else { throw RuntimeError("The \(side) has no body, so there is nothing to copy.") }
    let text = BodyText.utf8(body, contentType: headers.first(named: "Content-Type"))
    return (
      String(data: text, encoding: .utf8) ?? body.base64EncodedString(),
      (part.only.map { "\($0) " } ?? "") + "the \(side)'s body"
    )
  }

  private static func lines(_ headers: [HeaderField]) -> String {
    headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}
