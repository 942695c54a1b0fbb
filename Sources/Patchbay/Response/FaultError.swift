import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Errors as the program expects them from Foundation.
enum FaultError {
  /// `NSURLErrorFailingURLStringErrorKey`, which is deprecated and still looked for.
  private static let urlStringKey = "NSErrorFailingURLStringKey"

  /// A `URLError` (a real one, since `as? URLError` fails on an `NSError`) that names the URL.
  static func urlError(_ code: URLError.Code, url: URL?, message: String? = nil) -> URLError {
    urlError(code.rawValue, url: url, message: message)
  }

  /// The error with another failing URL.
  static func renamed(_ error: URLError, url: URL) -> URLError {
    var info = error.userInfo
    info[NSURLErrorFailingURLErrorKey] = url
    info[urlStringKey] = url.absoluteString
    return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: error.code.rawValue, userInfo: info))
  }

  private static func urlError(_ code: Int, url: URL?, message: String?) -> URLError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message ?? sentence(code)]
    if let url {
      info[NSURLErrorFailingURLErrorKey] = url
      info[urlStringKey] = url.absoluteString
    }
    return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
  }

  /// The error that a stub's failure stands for.
  static func error(_ failure: Fault.Failure, url: URL?) -> any Error {
    let (domain, code, _, message) = failure.resolved
    if domain == NSURLErrorDomain { return urlError(code, url: url, message: message) }
    var info: [String: Any] = [:]
    if let message { info[NSLocalizedDescriptionKey] = message }
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    return NSError(domain: domain, code: code, userInfo: info)
  }

  private static func sentence(_ code: Int) -> String {
    "The request failed: \(URLErrorCode.name(of: code) ?? "error \(code)")."
  }
}

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
