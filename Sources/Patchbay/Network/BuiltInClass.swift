import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Finds the class that would have taken a request if the hook had not.
enum BuiltInClass {
  /// The first class after the hook that takes the request, in the session's own list, then among Foundation's.
  static func loading(_ request: URLRequest, in session: URLSession?) -> URLProtocol.Type? {
    var isAfter = false
    for candidate in session?.configuration.protocolClasses ?? [] {
      if candidate is PatchbayURLProtocol.Type {
        isAfter = true
      } else if isAfter, let type = candidate as? URLProtocol.Type, type.canInit(with: request) {
        return type
      }
    }
    return builtIn.first { $0.canInit(with: request) }
  }

  /// The class that loads HTTP, by way of libcurl.
  static let http: AnyClass? = builtIn.first

  /// Foundation's own classes.
  private static let builtIn = (URLSessionConfiguration.ephemeral.protocolClasses ?? [])
    .compactMap { $0 as? URLProtocol.Type }
    .filter { !($0 is PatchbayURLProtocol.Type) }

  static func isBuiltIn(_ type: AnyClass) -> Bool {
    builtIn.contains { $0 == type }
  }
}
