/// How matching reads a URL.
package enum URLSpelling {
  /// The one spelling of a URL (RFC 3986 §6.2.2 and §6.2.3), without user, password and fragment.
  package static func normal(_ url: String) -> String { String(decoding: NormalURL(url).text, as: UTF8.self) }
}
