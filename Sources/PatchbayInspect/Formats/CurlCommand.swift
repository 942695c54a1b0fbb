import Foundation
import PatchbayStubs
import PatchbayWire

/// A request as a curl command for bash and zsh. Nothing of the traffic is ever run by the shell: every text stands in
/// single quotes, or in `$'…'` where it holds control characters.
public enum CurlCommand {
  /// Ready to be pasted; without a line end.
  public static func text(_ request: RecordedRequest) -> String {
    var parts = ["curl"]
    let hasBody = request.body.map { !$0.isEmpty } ?? false
    if request.method == "HEAD", !hasBody {
      parts.append("--head")
    } else if request.method != (hasBody ? "POST" : "GET") {
      parts.append("--request \(quoted(request.method))")
    }
    parts.append("--globoff --url \(quoted(request.url))")
    for field in request.headers where !isMadeByCurl(field.name) {
      // An empty value would take the header away; a semicolon sends it empty.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      parts.append("--header \(quoted(line))")
    }
    if hasBody, request.headers.first(named: "Content-Type") == nil { parts.append("--header 'Content-Type:'") }
    guard hasBody, let body = request.body else { return parts.joined(separator: " \\\n  ") }
    if let text = String(data: body, encoding: .utf8), !text.unicodeScalars.contains("\0") {
      parts.append("--data-raw \(quoted(text))")
      return parts.joined(separator: " \\\n  ")
    }
    parts.append("--data-binary @-")
    return "printf %s '\(body.base64EncodedString())' | base64 -d | " + parts.joined(separator: " \\\n  ")
  }

  /// Fields that curl writes by itself, or that belong to one connection (RFC 9110 §7.6.1).
  private static func isMadeByCurl(_ name: String) -> Bool {
    ["content-length", "connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection", "expect"]
      .contains(name.lowercased())
  }

  /// One word for the shell, whatever is in it.
  static func quoted(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isSpecial) else {
      return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
    var result = "$'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      // An interactive shell would put its history in the place of `!`.
      case "!": result += "\\041"
      case _ where isSpecial(scalar):
        for byte in String(scalar).utf8 { result += "\\" + octal(byte) }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  /// Control characters, and those that would change how the line is read on a terminal.
  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }
}
