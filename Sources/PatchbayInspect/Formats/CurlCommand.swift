import Foundation
import PatchbayStubs
import PatchbayWire

/// A request as a curl command for any POSIX shell. Nothing of the traffic is ever run by the shell: every text stands in
/// single quotes, or is written by `printf` where it holds control characters.
package enum CurlCommand {
  /// Ready to be pasted; without a line end.
  package static func text(_ request: RecordedRequest) -> String {
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
  func entry(_ exchange: Exchange) -> String {
    let note = exchange.requestPart.sentence().map { "# \($0).\n" } ?? ""
    return note + CurlCommand.text(exchange.request) + "\n\n"
  }
}

extension ExportFormat {
  package static let curl = ExportFormat(
    "curl", key: "c", title: "cURL commands", label: "cURL", output: .file(ending: ".sh") { _ in CurlExporter() })
}

/// Texts for a POSIX shell, in which nothing of them is ever run.
enum ShellText {
  /// One word, whatever is in it but NUL, which no word can hold.
  static func word(_ text: String) -> String {
    guard needsEscapes(text) else { return "'" + text.replacing("'", with: #"'\''"#) + "'" }
    // Line ends at the end would be lost by the substitution.
    let ends = text.unicodeScalars.reversed().prefix { $0 == "\n" }.count
    let end = ends == 0 ? "" : "'" + String(repeating: "\n", count: ends) + "'"
    return "\"$(printf \(format(String(text.unicodeScalars.dropLast(ends)))))\"" + end
  }

  /// The text as the quoted format of `printf`, which writes exactly that.
  static func format(_ text: String) -> String {
    var result = "'"
    for (index, scalar) in text.unicodeScalars.enumerated() {
      switch scalar {
      case "\0": break
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "%": result += "%%"
      // An interactive shell would put its history in the place of `!`; a dash at the beginning is an option.
      case "'", "\\", "!": result += octal(scalar)
      case "-" where index == 0: result += octal(scalar)
      case _ where isSpecial(scalar): result += octal(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  /// Whether plain single quotes would not do: a terminal would take some of it as commands, or show it as what it is
  /// not.
  fileprivate static func needsEscapes(_ text: String) -> Bool { text.unicodeScalars.contains(where: isSpecial) }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n"
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func octal(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }.joined()
  }
}
