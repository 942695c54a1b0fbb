import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// A copy with Patchbay's hook in front of its protocol classes, and the process attached to a console if one is
  /// there (see ``Patchbay/attach()``).
  ///
  /// ```swift
  /// let session = URLSession(configuration: .ephemeral.patched())
  /// ```
  public func patched() -> URLSessionConfiguration {
    Hook.current.link.begin(.configuration)
    return patched(by: PatchbayURLProtocol.self)
  }

  func patched(by protocolClass: PatchbayURLProtocol.Type) -> URLSessionConfiguration {
    let patched = (copy() as? URLSessionConfiguration) ?? self
    let others = (patched.protocolClasses ?? []).filter { !($0 is PatchbayURLProtocol.Type) }
    patched.protocolClasses = [protocolClass] + others
    return patched
  }
}
