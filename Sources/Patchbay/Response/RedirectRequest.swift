import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request that a redirect asks for; by which method, ``RedirectRule`` says.
enum RedirectRequest {
  /// How many redirects are followed before `httpTooManyRedirects`.
  static let limit = 20

  /// nil where the response is no redirect: no Location, or a status that is not followed.
  static func next(after response: ResolvedResponse, from request: URLRequest) -> URLRequest? {
    next(response.status, to: response.headers.first(named: "Location"), from: request)
  }

  static func next(_ status: Int, to location: String?, from request: URLRequest) -> URLRequest? {
    guard RedirectRule.follows(status), let location, let base = request.url,
      let target = URL(string: location, relativeTo: base)?.absoluteURL
    else { return nil }
    var next = request
    if RedirectRule.becomesGet(status, after: request.httpMethod ?? "GET") {
      next.httpMethod = "GET"
      next.httpBody = nil
    }
    next.url = target
    return next
  }
}
