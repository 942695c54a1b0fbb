import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cookies as a session's configuration wants them handled.
enum Cookies {
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

  /// The `Cookie` field of a request that goes to another URL than it was made for. As Foundation does it, what the storage
  /// has for the URL takes the place of what the program wrote.
  static func moved(_ field: String?, from: URL, to: URL, by configuration: URLSessionConfiguration) -> String? {
    guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage else { return field }
    func stored(_ url: URL) -> String? {
      guard let cookies = storage.cookies(for: url), !cookies.isEmpty else { return nil }
      return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"].flatMap { $0.isEmpty ? nil : $0 }
    }
    return stored(to) ?? (field == stored(from) ? nil : field)
  }

  /// Keeps the cookies that an answer sets, as the built-in classes do for answers from the network.
  static func store(_ headers: [HeaderField], for url: URL, by configuration: URLSessionConfiguration?) {
    let values = headers.all(named: "Set-Cookie")
    guard !values.isEmpty, let configuration, configuration.httpCookieAcceptPolicy != .never,
      let storage = configuration.httpCookieStorage
    else { return }
    for value in values {
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }
  }
}
