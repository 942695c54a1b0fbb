import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How long a request may be silent.
enum RequestTimeout {
  #if canImport(FoundationNetworking)
    private static let isSet: StoredField? = {
      let field = StoredField("isTimeoutIntervalSet", in: NSURLRequest.self)
      return field?.type == Bool.self ? field : nil
    }()
  #endif

  /// Seconds: the request's own timeout where it was set, else the session's.
  static func seconds(_ request: URLRequest, session: URLSession?) -> Double {
    let fallback = session?.configuration.timeoutIntervalForRequest ?? 60
    #if canImport(FoundationNetworking)
      let object = (request as NSURLRequest)
      let wasSet = isSet.map { $0.address(in: object).assumingMemoryBound(to: Bool.self).pointee }
      return wasSet ?? (request.timeoutInterval != 60) ? request.timeoutInterval : fallback
    #else
      return min(request.timeoutInterval, fallback)
    #endif
  }
}
