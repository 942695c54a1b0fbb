import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RecordedError {
  /// An error as the program sees it: domain and code, and the Swift name of a `URLError` code.
  init(_ error: any Error) {
    let bridged = error as NSError
    var name: String?
    if bridged.domain == NSURLErrorDomain { name = URLErrorCode.name(of: bridged.code) }
    self.init(
      domain: bridged.domain, code: bridged.code, name: name,
      message: bridged.userInfo[NSLocalizedDescriptionKey] as? String)
  }
}
