/// A fault's name and what a program gets from it: a row of `patchbay faults` and of the manual.
package struct FaultSight: Sendable {
  package var name: String
  package var title: String
  /// A heading over several.
  package var group: String
  /// In a sentence without an end.
  package var sees: String
  /// The error, where it is one.
  package var error: (domain: String, code: Int)?

  /// The faults of the menu in its order, then all other codes of `URLError`.
  package static let all: [FaultSight] = {
    let presets = FaultPreset.all.map { FaultSight($0) }
    let names = Set(presets.map(\.name))
    return presets + URLErrorCode.all.filter { !names.contains($0.name) }.map { FaultSight(code: $0.name, $0.code) }
  }()

  init(_ preset: FaultPreset) {
    name = preset.name
    title = preset.title
    group = preset.group.rawValue
    sees = Self.sees(preset.action)
    if case .fail(let fault) = preset.action {
      let resolved = fault.error.resolved
      error = (resolved.domain, resolved.code)
    }
  }

  private init(code name: String, _ number: Int) {
    self.name = name
    title = Self.cause(name) ?? "a code of URLError"
    group = "URLError"
    sees = Self.text(URLErrorCode.domain, number, name)
    error = (URLErrorCode.domain, number)
  }

  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(name)), .init("title", .string(title)), .init("group", .string(group)),
      .init("sees", .string(sees)),
    ]
    if let error {
      members += [.init("domain", .string(error.domain)), .init("code", .number(String(error.code)))]
    }
    return .object(members)
  }

  private static func sees(_ action: Action) -> String {
    switch action {
    case .fail(let fault):
      let resolved = fault.error.resolved
      let error = text(resolved.domain, resolved.code, resolved.name)
      let cause = resolved.name.flatMap(cause).map { ": \($0)" } ?? ""
      // Of the faults in the menu one waits: for the time that each request has.
      if fault.delay != nil { return "\(error), when the request's timeoutInterval is over" }
      guard let after = fault.after else { return error + cause }
      let bytes = after.bytes.map { "\($0) bytes of the body" } ?? "the head"
      return "\(after.response.status) and \(bytes), then \(error)"
    case .respond(let response):
      let headers = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
      return "\(response.status) \(HTTPStatus.phrase(response.status))" + (headers.isEmpty ? "" : " with \(headers)")
    case .pass(let changes):
      let headers = changes.headers.map { "\($0.name): \($0.values?.joined(separator: ", ") ?? "removed")" }
      if !headers.isEmpty { return "the network's answer with \(headers.joined(separator: ", "))" }
      var slow = ""
      if case .fixed(let delay)? = changes.delay { slow += " after \(DurationText.print(delay))" }
      switch changes.pace {
      case .dribble(let pieces, let over)?: slow += " in \(pieces) pieces over \(DurationText.print(over))"
      case .throttle(let bytes)?: slow += " at \(bytes / 1000) kB/s"
      case nil: break
      }
      return "the network's answer" + slow
    case .hold, .sequence, .code: return "what the person decides"
    }
  }

  private static func text(_ domain: String, _ code: Int, _ name: String?) -> String {
    name.map { "URLError.\($0) (\(domain) \(code))" } ?? "\(domain) \(code)"
  }

  /// What leads to the error where nobody makes it up, of the codes that the loading system gives by itself.
  private static func cause(_ name: String) -> String? {
    switch name {
    case "timedOut": "no byte came within the request's timeoutInterval"
    case "notConnectedToInternet": "the machine has no way into the network"
    case "cannotFindHost": "the host's name is not known"
    case "dnsLookupFailed": "the name servers could not be asked"
    case "cannotConnectToHost": "nobody listens at that port, or a firewall refuses"
    case "secureConnectionFailed": "the TLS handshake failed"
    case "serverCertificateUntrusted": "the certificate's issuer is not trusted"
    case "serverCertificateHasBadDate": "the certificate is past its date"
    case "serverCertificateHasUnknownRoot": "the certificate's root is not known"
    case "serverCertificateNotYetValid": "the certificate is not valid yet"
    case "networkConnectionLost": "the connection was closed or reset"
    case "cancelled": "the task was cancelled"
    case "badServerResponse": "the server closed without an answer, or with none that is HTTP"
    case "httpTooManyRedirects": "the redirects do not end"
    case "unsupportedURL": "the scheme is not known"
    case "badURL": "the URL cannot be read"
    case "dataLengthExceedsMaximum": "the answer is longer than is taken"
    case "userAuthenticationRequired": "credentials are asked for and there are none"
    case "userCancelledAuthentication": "the challenge was cancelled"
    case "zeroByteResource": "the answer has no bytes where some were promised"
    case "cannotDecodeContentData": "the body's Content-Encoding cannot be undone"
    case "cannotParseResponse": "the answer is not HTTP"
    case "appTransportSecurityRequiresSecureConnection": "http where only https is allowed (Apple's systems)"
    default: nil
    }
  }
}
