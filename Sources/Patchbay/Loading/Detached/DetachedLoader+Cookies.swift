import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Cookies of answers that are changed, or that a person looks at first: what the program does not get is not kept.
extension DetachedLoader {
  /// Keeps the cookies of the answer that the program gets.
  func keepCookies(of response: ResolvedResponse) {
    guard keepsCookies else { return }
    ResponseCookies.store(response.headers, for: response.url, by: run.session?.configuration)
  }

  /// Keeps the cookies of a redirect, or of an answer that asks for a credential. They are as they came, but where a stub
  /// takes cookies away: it takes them from the whole way.
  func onTheWay(_ response: HTTPURLResponse) -> HTTPURLResponse {
    guard keepsCookies, let url = response.url else { return response }
    let came = ResolvedResponse(response, url: url, body: Data())
    var headers = came.headers
    if changes.removesCookies { headers.remove(named: "Set-Cookie") }
    let told = came.edited(status: came.status, headers: headers, body: Data())
    keepCookies(of: told)
    return told.urlResponse() ?? response
  }
}

extension PassChanges {
  private var cookieChanges: [HeaderChange] { headers.filter { $0.name.lowercased() == "set-cookie" } }

  /// Whether other cookies are set than the network sets.
  var changesCookies: Bool { !cookieChanges.isEmpty }

  /// Whether no cookies are set.
  fileprivate var removesCookies: Bool { cookieChanges.last.map { $0.values?.isEmpty != false } ?? false }
}
