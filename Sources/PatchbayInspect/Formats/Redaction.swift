import Foundation
import PatchbayStubs
import PatchbayWire

/// Takes secrets out of exchanges: for exports, and before they are recorded with `--redact`.
///
/// Masked are the values of header fields, query items and body members (JSON, forms, parts) whose names say that they
/// are secret, and passwords in URLs. Names, schemes and attributes stay, so that one sees what was there.
package struct Redaction: Hashable, Sendable {
  /// What stands in the place of a secret.
  package static let mask = "***"
  package static let standard = Redaction()

  package init() {}

  package func redacted(_ exchange: Exchange) -> Exchange {
    var exchange = exchange
    exchange.request = redacted(exchange.request)
    exchange.sent = exchange.sent.map { redacted($0) }
    if let response = exchange.response {
      exchange.response?.headers = headers(response.headers)
      exchange.response?.body = body(response.body, type: response.headers.first(named: "Content-Type"))
    }
    if let message = exchange.error?.message { exchange.error?.message = text(message) }
    for index in exchange.redirects.indices {
      exchange.redirects[index].url = url(exchange.redirects[index].url)
      exchange.redirects[index].target = exchange.redirects[index].target.map { url($0) }
      exchange.redirects[index].headers = headers(exchange.redirects[index].headers)
    }
    return exchange
  }

  package func redacted(_ request: RecordedRequest) -> RecordedRequest {
    var request = request
    request.url = url(request.url)
    request.headers = headers(request.headers)
    request.body = body(request.body, type: request.headers.first(named: "Content-Type"))
    return request
  }

  /// Header fields with their secrets masked.
  package func headers(_ headers: [HeaderField]) -> [HeaderField] {
    headers.map { HeaderField($0.name, value($0)) }
  }

  /// Whether the value of this field of an answer was masked, so that it says nothing any more. Addresses stay: what was
  /// masked in them fits anything where they are asked for.
  func isLeftOut(_ field: HeaderField) -> Bool {
    guard field.value.contains(Self.mask), !Self.addresses.contains(field.name.lowercased()) else { return false }
    let probe = HeaderField(field.name, field.value.replacingOccurrences(of: Self.mask, with: "x"))
    return value(probe) != probe.value
  }

  /// Header fields that hold a URL.
  private static let addresses: Set<String> = ["location", "content-location", "referer", "link", "refresh"]

  /// A sentence with the URLs in it masked, such as that of an error.
  package func text(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.contains("://") else { return String(word) }
      let rest = word.reversed().prefix { ",.;:!?)]}”’\"'".contains($0) }.count
      return url(String(word.dropLast(rest))) + word.suffix(rest)
    }
    .joined(separator: " ")
  }

  /// The URL with its password and its secret items masked: of the path, of the query, of the fragment. A user without a
  /// password before the colon is a key.
  package func url(_ url: String) -> String {
    // Most URLs have no place for a secret, and there may be thousands of lines a second.
    guard url.utf8.contains(where: { $0 == 0x3F || $0 == 0x23 || $0 == 0x40 || $0 == 0x3B }) else { return url }
    var text = Substring(url)
    var result = ""
    let parts = URLParts(url)
    let before = url.utf8Slice(0..<parts.authority.lowerBound)
    if before.hasSuffix("@"), let slashes = before.range(of: "//") {
      let rest = before[slashes.upperBound...]
      let user = rest.prefix { $0 != ":" && $0 != "@" }
      result = String(before[..<slashes.upperBound])
      switch rest.dropFirst(user.count) {
      case "@": result += user + "@"
      case ":@": result += "\(Self.mask):@"
      default: result += "\(user):\(Self.mask)@"
      }
      text = url.dropFirst(before.count)
    }
    let start = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    let path = items(text[..<start], separators: [";", "/"])
    guard start < text.endIndex else { return result + path }
    return result + path + String(text[start])
      + items(text[text.index(after: start)...], separators: ["&", ";", "#", "?"])
  }

  /// The body with the secret members of JSON, forms and parts masked; other bodies as they are.
  package func body(_ body: Data?, type: String?) -> Data? { self.body(body, type: type, depth: 0) }

  /// - Parameter depth: in how many parts it lies.
  func body(_ body: Data?, type: String?, depth: Int) -> Data? {
    guard let body, !body.isEmpty else { return body }
    if let boundary = MultipartMasking.boundary(of: body, type: type) {
      // Nobody puts so many into each other but to have a program's stack overflow.
      guard depth < Multipart.deepest else { return Data(Self.mask.utf8) }
      return MultipartMasking.masked(body, boundary: boundary, by: self, depth: depth)
    }
    switch ContentKind(contentType: type) {
    case .form: return form(body)
    case .none, .text: return FormFields.looksLikeOne(body) ? form(body) : json(body, isAnywhere: false)
    case .json, .jsonLines, .script: return json(body, isAnywhere: false)
    // What is not text has lengths in it, which would be wrong.
    case .binary: return JSONMasking.isText(body) ? json(body, isAnywhere: false) : body
    case .events: return json(body, isAnywhere: true)
    default: return body
    }
  }

  private func form(_ body: Data) -> Data {
    Data(items(Substring(String(decoding: body, as: UTF8.self)), separators: ["&"]).utf8)
  }

  private func json(_ body: Data, isAnywhere: Bool) -> Data {
    JSONMasking.masked(body, isAnywhere: isAnywhere, isSecret: SecretNames.isSecret)
  }

  private func value(_ field: HeaderField) -> String {
    let name = field.name.lowercased()
    switch name {
    case "authorization", "proxy-authorization":
      let scheme = field.value.prefix { $0 != " " }
      return scheme.count < field.value.count ? "\(scheme) \(Self.mask)" : Self.mask
    case "cookie": return items(Substring(field.value), separators: [";"], all: true)
    case "set-cookie":
      return CookieFields.set(field.value).map { cookie in
        let end = cookie.firstIndex(of: ";") ?? cookie.endIndex
        let name = cookie[..<end].prefix { $0 != "=" }
        return "\(name)=\(Self.mask)\(cookie[end...])"
      }
      .joined(separator: ",")
    default:
      if Self.addresses.contains(name) { return url(field.value) }
      return SecretNames.isSecretHeader(name) ? Self.mask : field.value
    }
  }

  /// Masks the values of `name=value` between separators.
  ///
  /// - Parameter all: whatever their names are, and what has no name, too.
  private func items(_ text: Substring, separators: Set<Character>, all: Bool = false) -> String {
    var result = ""
    var rest = text
    while !rest.isEmpty {
      let item = rest.prefix { !separators.contains($0) }
      let blanks = item.prefix { $0 == " " }
      if all, !item.contains("="), blanks.count < item.count {
        result += blanks + Self.mask
      } else if let equals = item.firstIndex(of: "="), all || SecretNames.isSecret(String(item[..<equals])) {
        result += item[...equals] + (item.index(after: equals) == item.endIndex ? "" : Self.mask)
      } else {
        result += item
      }
      rest = rest[item.endIndex...]
      if let separator = rest.first {
        result.append(separator)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}

/// Which names say that their value is a secret.
enum SecretNames {
  /// Of query items, form fields, parts and JSON members; case and what is no letter or digit do not count, so that
  /// `user[password]` is one too.
  static func isSecret(_ name: String) -> Bool {
    let text = name.contains("%") ? name.removingPercentEncoding ?? name : name
    let plain = text.lowercased().filter { $0.isLetter || $0.isNumber }
    return names.contains(plain) || endings.contains { plain.hasSuffix($0) }
  }

  /// - Parameter name: of a header field, in small letters.
  fileprivate static func isSecretHeader(_ name: String) -> Bool {
    if headers.contains(name) { return true }
    let plain = name.filter { $0 != "-" && $0 != "_" }
    return endings.contains { plain.hasSuffix($0) }
  }

  private static let names: Set<String> = [
    "password", "passwd", "pwd", "pass", "passphrase", "secret", "token", "auth", "authorization", "apikey",
    "sig", "signature", "session", "sessionid", "sid", "jwt", "otp", "assertion", "credential",
    "credentials", "privatekey", "cvv", "cvc", "cardnumber", "xamzsignature", "xamzcredential", "xgoogsignature",
    "codeverifier",
  ]

  private static let endings = [
    "token", "secret", "password", "apikey", "accesskey", "secretkey", "privatekey", "sessionid", "passphrase",
  ]

  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication", "x-auth", "x-session",
    "x-jwt-assertion", "x-amz-credential", "x-goog-iam-authorization-token", "www-authenticate-token",
    "x-functions-key", "x-auth-key", "ocp-apim-subscription-key", "x-csrf", "x-access-key", "private-token",
    "x-goog-api-key",
  ]
}
