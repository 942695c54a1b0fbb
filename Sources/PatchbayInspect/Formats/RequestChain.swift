import Foundation
import PatchbayStubs
import PatchbayWire

/// The requests that followed one another where an exchange was redirected.
struct RequestChain {
  /// One for each redirect that was followed, and the last one, which got the answer.
  private(set) var requests: [RecordedRequest] = []

  init(_ exchange: Exchange) {
    var request = exchange.request
    for hop in exchange.redirects {
      request.url = hop.url
      requests.append(request)
      Self.follow(hop, with: &request)
    }
    // An archive may have been recorded by the URL that was reached, and not by the one that was asked for.
    if exchange.redirects.first?.url != exchange.request.url { request.url = exchange.request.url }
    requests.append(request)
  }

  /// Goes where the answer points to, as a GET where clients do not send the body again (RFC 9110 §15.4).
  private static func follow(_ hop: RedirectHop, with request: inout RecordedRequest) {
    if let location = hop.headers.first(named: "Location") {
      request.url = URL(string: location, relativeTo: URL(string: hop.url))?.absoluteString ?? location
    }
    let isGet: Bool =
      switch hop.status {
      case 303: request.method != "HEAD"
      case 301, 302: request.method == "POST"
      default: false
      }
    guard isGet else { return }
    request.method = "GET"
    request.body = nil
    request.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
  }
}
