import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct CurlCommandTests {
  @Test func anEncodedAnswerIsDecoded() {
    let request = RecordedRequest(
      method: "GET", url: "http://a.example/", headers: [HeaderField("Accept-Encoding", "gzip")])
    #expect(CurlCommand.text(request).hasSuffix("--header 'Accept-Encoding: gzip' \\\n  --compressed"))
  }

  /// A file of commands says where one sends less than the program did.
  @Test func whatWasRecordedOfABodyIsSaid() {
    var exchange = RecordedExchange.make(
      id: 1, "PUT", "http://a/", headers: [HeaderField("Content-Length", "5242880")],
      body: Data(repeating: 0x61, count: 1 << 20))
    let whole = CurlExporter().entry(exchange)
    #expect(whole == CurlCommand.text(exchange.request) + "\n\n")
    exchange.request.truncated = true
    #expect(CurlExporter().entry(exchange) == "# Only 1 MB of 5.2 MB of the body were recorded.\n" + whole)
    exchange.request.headers = [HeaderField("Content-Length", "1\nrm -r x")]
    #expect(CurlExporter().entry(exchange).hasPrefix("# Only 1 MB of the body were recorded.\nprintf"))
  }

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

  @Test func keepsAByteOrderMark() {
    let request = RecordedRequest(method: "POST", url: "http://a/", body: Data("\u{FEFF}x".utf8))
    #expect(CurlCommand.text(request).hasPrefix(#"printf '\357\273\277x' | curl "#))
  }

  static let texts = [
    RecordedExchange.hostile, "", "-x", "@file", "'", "$'", "\u{7F}\u{85}\u{2028}", "日本語 \\n", "a\r\n\n",
    "\u{1}!! %s%%\\",
    "-\u{1B}[31m`id`$(id)", "\t\n",
  ]

  /// What a script writes that a shell reads from a file.
  static func run(_ shell: String, _ script: String) throws -> Data {
    let file = NSTemporaryDirectory() + "patchbay-curl-\(UUID().uuidString).sh"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data(script.utf8).write(to: URL(fileURLWithPath: file))
    return try TestProgram.run([shell, file]).output
  }

  /// What the shell makes of the quoted word is the text, byte for byte, and nothing was run.
  @Test(arguments: texts, ["/bin/bash", "/bin/sh"])
  func quotesForTheShell(text: String, shell: String) throws {
    #expect(try Self.run(shell, "printf %s \(ShellText.word(text))") == Data(text.utf8))
    #expect(try Self.run(shell, "printf \(ShellText.format(text))") == Data(text.utf8))
  }

  @Test func sendsWhatIsNoPlainTextThroughAPipe() throws {
    let texts = ["a\r\nb\t", String(repeating: "it's", count: 50_000), "\u{202E}"]
    for text in texts {
      let request = RecordedRequest(method: "POST", url: "http://a/", body: Data(text.utf8))
      let command = CurlCommand.text(request)
      #expect(command.hasSuffix("--data-binary @-"))
      let source = try #require(command.range(of: " | curl")).lowerBound
      #expect(try Self.run("/bin/sh", String(command[..<source])) == Data(text.utf8))
    }
  }

  @Test(arguments: [(60_000, false), (60_001, true)]) func aLongBodyIsNoArgument(_ count: Int, _ isPiped: Bool) {
    let body = String(repeating: "x", count: count)
    let command = CurlCommand.text(RecordedRequest(method: "POST", url: "http://a/", body: Data(body.utf8)))
    #expect(command.hasSuffix(isPiped ? "--data-binary @-" : "--data-raw '\(body)'"))
    #expect(command.hasPrefix("printf %s '\(body)' | curl ") == isPiped)
  }

  @Test func keepsThePathAsItIs() {
    #expect(CurlCommand.text(RecordedRequest(method: "GET", url: "http://a/../b")).contains("--path-as-is"))
    #expect(!CurlCommand.text(RecordedRequest(method: "GET", url: "http://a/..b/?/../")).contains("--path-as-is"))
  }

  @Test func sendsBinaryBodiesThroughAPipe() {
    let request = RecordedRequest(method: "POST", url: "http://a/", body: Data([0, 0xFF]))
    #expect(CurlCommand.text(request).hasPrefix("printf %s 'AP8=' | base64 -d | curl"))
    #expect(CurlCommand.text(request).hasSuffix("--data-binary @-"))
  }
}
