import Foundation
import PatchbayStubs
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite struct CurlCommandTests {
  @Test func writesAPlainRequest() {
    let request = RecordedRequest(
      method: "GET", url: "http://a/b?c=[1]",
      headers: [HeaderField("Accept", "*/*"), HeaderField("Connection", "close")])
    #expect(
      CurlCommand.text(request) == "curl \\\n  --globoff --url 'http://a/b?c=[1]' \\\n  --header 'Accept: */*'")
  }

  @Test func writesMethodAndBody() {
    let request = RecordedRequest(method: "PUT", url: "http://a/", body: Data("it's".utf8))
    #expect(
      CurlCommand.text(request)
        == #"curl \ --request 'PUT' \ --globoff --url 'http://a/' \ --header 'Content-Type:' \ --data-raw 'it'\''s'"#
        .replacing(#" \ "#, with: " \\\n  "))
  }

  /// What the shell makes of the quoted word is the text, byte for byte, and nothing was run.
  @Test(arguments: [RecordedExchange.hostile, "", "-x", "@file", "'", "$'", "\u{7F}\u{85}\u{2028}", "日本語 \\n"])
  func quotesForTheShell(text: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "printf %s \(CurlCommand.quoted(text))"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(output == Data(text.utf8))
  }

  @Test func sendsBinaryBodiesThroughAPipe() {
    let request = RecordedRequest(method: "POST", url: "http://a/", body: Data([0, 0xFF]))
    #expect(CurlCommand.text(request).hasPrefix("printf %s 'AP8=' | base64 -d | curl"))
    #expect(CurlCommand.text(request).hasSuffix("--data-binary @-"))
  }
}
