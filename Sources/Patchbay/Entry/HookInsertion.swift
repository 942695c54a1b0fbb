import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the hook stands among a session's classes when nobody put it there by hand: behind the program's own, which
/// keep what they take, and before the first of Foundation's.
enum HookInsertion {
  /// The configuration with the hook in it; the same object if it is asked there already.
  static func inserted(into configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    var classes = configuration.protocolClasses ?? []
    guard !isAsked(in: classes), let copy = configuration.copy() as? URLSessionConfiguration else {
      return configuration
    }
    classes.removeAll { $0 is PatchbayURLProtocol.Type }
    if classes.isEmpty { classes = registered }
    let index = classes.firstIndex { BuiltInClass.isBuiltIn($0) } ?? classes.endIndex
    copy.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
    return copy
  }

  /// Whether the hook is among these classes and comes to be asked: behind Foundation's own, where it stands when it was
  /// registered after the process's first session, it never is.
  static func isAsked(in classes: [AnyClass]) -> Bool {
    guard let hook = classes.firstIndex(where: { $0 is PatchbayURLProtocol.Type }) else { return false }
    return !classes[..<hook].contains { BuiltInClass.isBuiltIn($0) }
  }

  /// The program's own classes that a session without classes asks: those that were registered before the process's
  /// first session, which registers Foundation's behind them. `shared` has a copy of that list.
  private static var registered: [AnyClass] {
    let all = URLSession.shared.configuration.protocolClasses ?? []
    return all.prefix { !BuiltInClass.isBuiltIn($0) }.filter { !($0 is PatchbayURLProtocol.Type) }
  }
}
