import Foundation
import PatchbayStubs
import PatchbayWire

/// A request as a curl command for any POSIX shell. Nothing of the traffic is ever run by the shell: every text stands in
/// single quotes, or is written by `printf` where it holds control characters.
public enum CurlCommand {
  /// Ready to be pasted; without a line end.
  public static func text(_ request: RecordedRequest) -> String {
    var parts = ["curl"]
    let body = request.body.flatMap { $0.isEmpty ? nil : $0 }
    if request.method == "HEAD", body == nil {
      parts.append("--head")
    } else if request.method != (body == nil ? "GET" : "POST") {
      parts.append("--request \(ShellText.word(request.method))")
    }
    if hasDots(request.url) { parts.append("--path-as-is") }
    parts.append("--globoff --url \(ShellText.word(request.url))")
    for field in request.headers where !isMadeByCurl(field.name) {
      // An empty value would take the header away; a semicolon sends it empty.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      parts.append("--header \(ShellText.word(line))")
    }
    if request.headers.first(named: "Accept-Encoding") != nil { parts.append("--compressed") }
    if body != nil, request.headers.first(named: "Content-Type") == nil { parts.append("--header 'Content-Type:'") }
    var source = ""
    if let body {
      let (option, pipe) = data(body)
      parts.append(option)
      source = pipe
    }
    return source + parts.joined(separator: " \\\n  ")
  }

  /// The option for a body, and what is to be piped into curl for it.
  private static func data(_ body: Data) -> (option: String, pipe: String) {
    guard let text = body.utf8Text, !text.unicodeScalars.contains("\0") else {
      return ("--data-binary @-", "printf %s '\(body.base64EncodedString())' | base64 -d | ")
    }
    if ShellText.needsEscapes(text) { return ("--data-binary @-", "printf \(ShellText.format(text)) | ") }
    guard body.count > argumentLimit else { return ("--data-raw \(ShellText.word(text))", "") }
    return ("--data-binary @-", "printf %s \(ShellText.word(text)) | ")
  }

  /// No system takes a longer argument for granted; Linux takes 128 KiB.
  private static let argumentLimit = 60_000

  /// Whether curl would take steps out of the path.
  private static func hasDots(_ url: String) -> Bool {
    let path = url.utf8Slice(URLParts(url).path)
    return path.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  /// Fields that curl writes by itself, or that belong to one connection (RFC 9110 §7.6.1).
  private static func isMadeByCurl(_ name: String) -> Bool {
    ["content-length", "connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection", "expect"]
      .contains(name.lowercased())
  }
}

/// Commands with an empty line after each.
struct CurlExporter: ExchangeExporter {
  func entry(_ exchange: Exchange) -> String { CurlCommand.text(exchange.request) + "\n\n" }
}

extension ExportFormat {
  package static let curl = ExportFormat(
    "curl", key: "c", title: "cURL commands", label: "cURL", output: .file(ending: ".sh") { _ in CurlExporter() })
}
