import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the hook stands among a session's classes when nobody put it there by hand: behind the program's own, which
/// keep what they take, and before the first of Foundation's.
enum HookInsertion {
  /// The configuration with the hook in it; the same object if it is there already.
  static func inserted(into configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    let classes = configuration.protocolClasses ?? []
    guard !classes.contains(where: { $0 is PatchbayURLProtocol.Type }),
      let copy = configuration.copy() as? URLSessionConfiguration
    else { return configuration }
    let index = classes.firstIndex { BuiltInClass.isBuiltIn($0) } ?? classes.endIndex
    copy.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
    return copy
  }
}
