import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the built-in class reports to: passes everything on to the loader, on the task's work queue.
final class NativeClient: NSObject, URLProtocolClient, @unchecked Sendable {  // The loader's guard is its guard.
  private let loader: NativeLoader
  private let isAdopted: Bool

  /// - Parameter adopted: It stands between the framework and an object of the framework's own.
  init(_ loader: NativeLoader, adopted: Bool = false) {
    self.loader = loader
    isAdopted = adopted
  }

  deinit {
    if isAdopted { loader.wasReleased(adopted: true) }
  }

  func urlProtocol(_ loading: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy)
  {
    loader.received(response, policy: cacheStoragePolicy, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, didLoad data: Data) {
    loader.loaded(data, from: loading)
  }

  func urlProtocolDidFinishLoading(_ loading: URLProtocol) {
    loader.finished(loading)
  }

  func urlProtocol(_ loading: URLProtocol, didFailWithError error: any Error) {
    loader.failed(error, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    loader.usesCache(cachedResponse, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    loader.forward { $0.urlProtocol(loading, didReceive: challenge) }
  }

  func urlProtocol(_ loading: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
    loader.forward { $0.urlProtocol(loading, didCancel: challenge) }
  }

  func urlProtocol(_ loading: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    #if !canImport(FoundationNetworking)
      loader.forward { $0.urlProtocol(loading, wasRedirectedTo: request, redirectResponse: redirectResponse) }
    #endif
  }
}
