import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keeps the cookies that an answer sets, as the built-in classes do for answers from the network.
enum ResponseCookies {
  static func store(_ headers: [HeaderField], for url: URL, by configuration: URLSessionConfiguration?) {
    guard let configuration, configuration.httpCookieAcceptPolicy != .never,
      let storage = configuration.httpCookieStorage
    else { return }
    for value in headers.all(named: "Set-Cookie") {
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }
  }
}
