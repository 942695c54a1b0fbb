import Foundation

/// Where `to` sends requests: scheme, host and port, and what comes before their paths.
package struct RequestTarget: Hashable, Sendable {
  private let components: URLComponents
  /// Without a `/` at its end, escaped.
  private let prefix: String

  package init(_ text: String) throws(StubError) {
    func wrong(_ reason: String) -> StubError {
      StubError("`to` must be a URL such as http://127.0.0.1:8080, and `\(text.shortened(to: 60))` \(reason)")
    }
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), text.contains("://") else {
      throw wrong("is none")
    }
    guard scheme == "http" || scheme == "https" else { throw wrong("is neither http nor https") }
    guard let host = parts.host, !host.isEmpty else { throw wrong("has no host") }
    if let port = parts.port, !(1...65_535).contains(port) { throw wrong("has no port from 1 to 65535") }
    if parts.query != nil || parts.fragment != nil {
      throw wrong("has a query or a fragment; the request's query is kept, and `request: { query: … }` changes it")
    }
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    components = parts
    prefix = path
  }

  /// Puts the target in the place of scheme, host and port, and before the path.
  ///
  /// - Parameter isRedirected: A redirect led here: what lies at the target already is left where it is.
  func apply(to url: inout URLComponents, isRedirected: Bool) {
    let isThere = isRedirected && Self.origin(url) == Self.origin(components) && lies(url.percentEncodedPath)
    url.scheme = components.scheme?.lowercased()
    url.percentEncodedUser = components.percentEncodedUser
    url.percentEncodedPassword = components.percentEncodedPassword
    url.percentEncodedHost = components.percentEncodedHost
    url.port = components.port
    if !isThere { url.percentEncodedPath = prefix + url.percentEncodedPath }
  }

  private func lies(_ path: String) -> Bool { path == prefix || path.hasPrefix(prefix + "/") }

  private static func origin(_ url: URLComponents) -> String {
    let scheme = url.scheme?.lowercased() ?? ""
    return "\(scheme)://\(url.host?.lowercased() ?? ""):\(url.port ?? (scheme == "https" ? 443 : 80))"
  }
}
