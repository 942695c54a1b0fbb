import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Finds the class that would have taken a request if the hook had not.
enum BuiltInClass {
  /// The first class after the hook that takes the request, in the session's own list, then among Foundation's.
  static func loading(_ request: URLRequest, in session: URLSession?) -> URLProtocol.Type? {
    let listed = session?.configuration.protocolClasses ?? []
    let after = listed.drop { !($0 is PatchbayURLProtocol.Type) }.dropFirst()
    for candidate in Array(after) + builtIn {
      guard let type = candidate as? URLProtocol.Type, !(type is PatchbayURLProtocol.Type) else { continue }
      if type.canInit(with: request) { return type }
    }
    return nil
  }

  /// Foundation's own classes.
  private static let builtIn = URLSessionConfiguration.ephemeral.protocolClasses ?? []

  static func isBuiltIn(_ type: AnyClass) -> Bool {
    builtIn.contains { $0 == type }
  }
}
