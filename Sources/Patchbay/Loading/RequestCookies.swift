import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cookies as a session's configuration wants them handled.
enum RequestCookies {
  /// The request with the cookies that the configuration's storage has for its URL.
  static func added(to request: URLRequest, by configuration: URLSessionConfiguration) -> URLRequest {
    guard configuration.httpShouldSetCookies, let url = request.url,
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty,
      let value = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], !value.isEmpty
    else { return request }
    var request = request
    request.setValue(value, forHTTPHeaderField: "Cookie")
    return request
  }
}
