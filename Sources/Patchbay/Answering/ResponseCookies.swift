import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keeps the cookies that an answer sets, as the built-in classes do for answers from the network.
enum ResponseCookies {
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
