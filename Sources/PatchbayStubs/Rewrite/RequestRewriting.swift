import Foundation

/// A request as it is before and after a rule has changed it: what goes out, without how.
package struct RequestParts: Hashable, Sendable {
  package var method: String
  package var url: String
  package var headers: [HeaderField]
  package var body: Body

  package enum Body: Hashable, Sendable {
    /// The program's own, whatever it is.
    case kept
    /// None, though the program gave one.
    case dropped
    case bytes(Data)
  }

  package init(method: String, url: String, headers: [HeaderField] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    body = .kept
  }
}

extension PassChanges {
  /// Whether requests go out as others than the program asked.
  package var rewritesRequest: Bool { to != nil || request != nil }

  /// Whether the program's own body has to be known before the request goes out.
  package var readsRequestBody: Bool {
    guard let request, request.body == .none else { return false }
    return request.mergePatch != nil || !request.replace.isEmpty
  }

  /// The network's answer changed as before, and the request not.
  package var withoutRewriting: PassChanges {
    var copy = self
    copy.to = nil
    copy.request = nil
    return copy
  }

  /// The request as it goes out. First the parts of `request`, then `to`; its header fields come last, so that what they
  /// say holds.
  ///
  /// - Parameters:
  ///   - parts: The request as the program asked, with all header fields that are known.
  ///   - body: The program's body, where ``readsRequestBody``; nil is none.
  ///   - isRedirected: A redirect led here: what lies at `to` already is left where it is.
  ///   - notices: What could not be done, in sentences.
  package func apply(
    to parts: RequestParts, body: Data?, isRedirected: Bool = false, notices: inout [String]
  ) throws(StubError) -> RequestParts {
    var parts = parts
    let asked = parts.url
    parts.url = try rewritten(asked, isRedirected: isRedirected)
    guard let request else {
      if parts.url != asked { parts.headers.remove(named: "Host") }
      return parts
    }
    let isOtherMethod = request.method.map { HTTPMethod.normal($0) != parts.method } ?? false
    if let method = request.method { parts.method = HTTPMethod.normal(method) }
    if Self.authority(parts.url) != Self.authority(asked) { parts.headers.remove(named: "Host") }
    request.changeBody(of: &parts, body, isOtherMethod: isOtherMethod, &notices)
    parts.headers = PassChanges(headers: request.headers).apply(to: parts.headers)
    return parts
  }

  private func rewritten(_ url: String, isRedirected: Bool) throws(StubError) -> String {
    guard var components = URLComponents(string: url) else {
      throw StubError("the URL `\(url.shortened(to: 60))` cannot be taken apart")
    }
    if let request { try request.changeURL(&components) }
    if let to { try RequestTarget(to).apply(to: &components, isRedirected: isRedirected) }
    guard let text = components.string else { throw StubError("host and path make no URL together") }
    return text
  }

  private static func authority(_ url: String) -> String? {
    URLComponents(string: url).map { "\($0.host?.lowercased() ?? ""):\($0.port ?? 0)" }
  }
}

extension RequestChanges {
  fileprivate func changeURL(_ url: inout URLComponents) throws(StubError) {
    if let scheme { url.scheme = scheme.lowercased() }
    if let host {
      if let mistake = Self.mistake(inHost: host) { throw StubError(mistake) }
      let literal = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
      url.host = literal
      guard url.host?.isEmpty == false else { throw StubError("`\(host.shortened(to: 60))` is no host") }
    }
    if let port { url.port = port }
    if let path { url.percentEncodedPath = Self.escaped(path.hasPrefix("/") ? path : "/" + path, Self.pathSigns) }
    if !query.isEmpty { url.percentEncodedQuery = changed(url.percentEncodedQuery) }
  }

  /// A clause where the text is no host by itself.
  static func mistake(inHost host: String) -> String? {
    let isAddress = host.hasPrefix("[") || host.count { $0 == ":" } > 1
    let isMore = host.contains(where: { "/?#@ ".contains($0) }) || host.contains(":") && !isAddress
    guard host.isEmpty || isMore else { return nil }
    return "`\(host.shortened(to: 60))` is no host; scheme, port and path have keys of their own"
  }

  /// What is not changed stays as it is, byte for byte.
  private func changed(_ text: String?) -> String? {
    var items: [String] = []
    if let text, !text.isEmpty {
      items = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
    }
    for change in query {
      let wanted = Array(change.name.utf8)
      func isMeant(_ item: String) -> Bool {
        let name = Array(item.utf8.prefix { $0 != UInt8(ascii: "=") })
        return PercentEncoding.decode(name) == wanted || PercentEncoding.decode(name, plusIsSpace: true) == wanted
      }
      let place = items.firstIndex(where: isMeant)
      let before = place ?? items.count
      items.removeAll(where: isMeant)
      let name = Self.escaped(change.name, Self.itemSigns)
      let own = (change.values ?? []).map { "\(name)=\(Self.escaped($0, Self.itemSigns))" }
      items.insert(contentsOf: own, at: min(before, items.count))
    }
    return items.isEmpty ? nil : items.joined(separator: "&")
  }

  /// RFC 3986 §3.3 and §3.4, without what parts items, and without `+`, which may mean a space.
  private static let pathSigns = Set("-._~!$&'()*+,;=:@/".utf8)
  private static let itemSigns = Set("-._~!$'()*,;:@/?".utf8)

  /// The text with what may not stand there escaped. In a path an escape that is there already stays.
  private static func escaped(_ text: String, _ signs: Set<UInt8>) -> String {
    let bytes = Array(text.utf8)
    var result = ""
    for (place, byte) in bytes.enumerated() {
      let isPlain = signs.contains(byte) || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
      let isEscape =
        byte == UInt8(ascii: "%") && signs == pathSigns && place + 2 < bytes.count
        && bytes[(place + 1)...(place + 2)].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
      if isPlain || isEscape {
        result.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }

  fileprivate func changeBody(
    of parts: inout RequestParts, _ asked: Data?, isOtherMethod: Bool, _ notices: inout [String]
  ) {
    let hasBody = body != .none || mergePatch != nil || !replace.isEmpty
    if parts.method == "GET" || parts.method == "HEAD" {
      if body != .none {
        notices.append("A \(parts.method) carries no body, so the stub's was left out; give the stub a `method`.")
      }
      // The loading system refuses to send what the program gave for another method.
      if isOtherMethod {
        parts.body = .dropped
        parts.headers.removeBodyFields(whole: true)
      }
      return
    }
    guard hasBody else { return }
    var bytes = asked ?? Data()
    if body != .none {
      bytes = CannedResponse(body: body).bytes
      parts.headers.removeBodyFields(whole: true)
      if let type = body.type { parts.headers.set("Content-Type", to: type) }
    } else if asked == nil {
      notices.append("The request has no body that `mergePatch` or `replace` could change.")
      return
    }
    if let mergePatch {
      if let json = try? JSONValue(parsing: bytes) {
        bytes = json.merged(with: mergePatch).bodyData
      } else {
        notices.append("The request's body is not JSON: `mergePatch` did not change it.")
      }
    }
    for replacement in replace where !replacement.find.isEmpty {
      bytes = PassChanges.replacing(replacement, in: bytes)
    }
    guard body != .none || bytes != asked else { return }
    if body == .none { parts.headers.removeBodyFields(whole: false) }
    parts.body = .bytes(bytes)
  }
}

extension CannedResponse.Body {
  /// What a body says of its own type.
  fileprivate var type: String? {
    CannedResponse(body: self).withGuessedType.headers.first(named: "Content-Type")
  }
}

extension [HeaderField] {
  /// Takes away what the loading system says of the body by itself, and what described the bytes before.
  ///
  /// - Parameter whole: It is another body, and how the program's was encoded does not hold.
  fileprivate mutating func removeBodyFields(whole: Bool) {
    for name in ["Content-Length", "Content-MD5", "Digest", "Content-Digest"] + (whole ? ["Content-Encoding"] : []) {
      remove(named: name)
    }
  }
}

extension RequestChanges {
  /// The texts that may hold templates.
  var templateTexts: [String] {
    [scheme, host, path].compactMap { $0 } + query.flatMap { $0.values ?? [] } + headers.flatMap { $0.values ?? [] }
      + CannedResponse(body: body).templateTexts
  }

  func filled(in context: TemplateContext) -> RequestChanges {
    var copy = self
    copy.scheme = scheme.map { context.render($0) }
    copy.host = host.map { context.render($0) }
    copy.path = path.map { context.render($0) }
    copy.query = query.map { .init($0.name, $0.values?.map { context.render($0) }) }
    copy.headers = headers.filled(in: context)
    switch body {
    case .text(let text): copy.body = .text(context.render(text))
    case .json(let json): copy.body = .json(context.render(json))
    default: break
    }
    return copy
  }
}

extension [PassChanges.HeaderChange] {
  /// Of header fields.
  fileprivate func filled(in context: TemplateContext) -> Self {
    map { .init($0.name, $0.values?.map { context.line($0) }) }
  }
}

extension PassChanges {
  /// The texts that may hold templates.
  var templateTexts: [String] {
    [to].compactMap { $0 } + headers.flatMap { $0.values ?? [] } + (request?.templateTexts ?? [])
  }

  /// The changes for one request: templates filled in.
  package func filled(in context: TemplateContext) -> PassChanges {
    var copy = self
    copy.to = to.map { context.render($0) }
    copy.headers = headers.filled(in: context)
    copy.request = request?.filled(in: context)
    return copy
  }

  /// A clause for each thing that cannot be used.
  var mistakes: [String] {
    var found = templateTexts.flatMap { Template.mistakes(in: $0).map(\.message) }
    if let clause = mistakeOfTarget { found.append(clause) }
    if let host = request?.host, !Template.isNeeded(for: host), let clause = RequestChanges.mistake(inHost: host) {
      found.append(clause)
    }
    if let body = request?.body, let clause = CannedResponse(body: body).mistakeOfFile { found.append(clause) }
    return found
  }

  /// A clause where `to` is no URL. One with templates is looked at when they are filled in.
  package var mistakeOfTarget: String? {
    guard let to, !Template.isNeeded(for: to) else { return nil }
    do throws(StubError) { _ = try RequestTarget(to) } catch { return error.message }
    return nil
  }
}
