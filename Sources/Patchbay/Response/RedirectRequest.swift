import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request that a redirect asks for, by the rules of Foundation on Linux.
enum RedirectRequest {
  /// How many redirects are followed before `httpTooManyRedirects`.
  static let limit = 20

  /// nil where the response is no redirect: no Location, or a status that is not followed (300 and 304).
  static func next(after response: ResolvedResponse, from request: URLRequest) -> URLRequest? {
    guard (300..<400).contains(response.status), let location = response.headers.first(named: "Location"),
      let base = request.url,
      let target = URL(string: location, relativeTo: base)?.absoluteURL
    else { return nil }
    var next = request
    switch response.status {
    case 303: Self.becomeGet(&next)
    case 301, 302:
      if request.httpMethod == "POST" { Self.becomeGet(&next) }
    case 305...308: break
    default: return nil
    }
    next.url = target
    return next
  }

  private static func becomeGet(_ request: inout URLRequest) {
    request.httpMethod = "GET"
    request.httpBody = nil
  }
}
