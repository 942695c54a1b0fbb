import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the built-in class says, handed on to the framework.
extension NativeLoader {
  func received(_ response: URLResponse, policy: URLCache.StoragePolicy, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    recorder.head(response)
    let isInterim = (response as? HTTPURLResponse)?.isInterim == true
    // A redirect may follow an interim head while its callback is still on its way.
    if !isInterim { restoreDelegate() }
    if let tap, !tap.expectsHead, !isFromCache { return }
    if isInterim, !DelegateStandIn.isHidden { session?.delegateQueue.addOperation { self.lendBack() } }
    forward { $0.urlProtocol(loading, didReceive: response, cacheStoragePolicy: policy) }
    if isInterim { watchRedirectsAgain() }
    guard tap == nil, !isEnded else { return }
    // On a connection that is there already the answer may come before anyone listens; its body follows at once.
    let comesInPieces = !isFromCache && recorder.listens && CallbackTap.hearsPieces(of: task, in: session)
    if isAdopted || comesInPieces { listen() }
  }

  func loaded(_ data: Data, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    // The delegate has had the pieces one by one. Where the next transfer of a redirect began while our row stood in the
    // registry, the built-in class has gathered them as well.
    // A redirect that the program refuses is the one answer that comes this way alone.
    let status = (TaskInternals.response(of: task) as? HTTPURLResponse)?.statusCode ?? 0
    if tap?.seesBody == true, !isFromCache, !(300..<400).contains(status) { return }
    tellHead(before: loading)
    recorder.piece(data, soon: true)
    forward(andListen: tap?.seesBody == true) { $0.urlProtocol(loading, didLoad: data) }
  }

  func usesCache(_ response: CachedURLResponse, from loading: URLProtocol) {
    isFromCache = true
    forward { $0.urlProtocol(loading, cachedResponseIsValid: response) }
  }

  func finished(_ loading: URLProtocol) {
    guard !isEnded else { return }
    if let takeover {
      release()
      isEnded = true
      inner = nil
      host?.takeOver(takeover.request, takeover.match)
      return
    }
    tellHead(before: loading)
    if ChallengeBypass.leadsToOne(TaskInternals.response(of: task)) { return challenged(loading) }
    end(.responded, nil, file: DownloadedFile.location(of: loading, task: task))
    outer.urlProtocolDidFinishLoading(loading)
    inner = nil
  }

  func failed(_ error: any Error, from loading: URLProtocol?) {
    guard !isEnded else { return }
    if let loading {
      tellHead(of: loading, cutBy: error)
      countBody(of: loading)
    } else {
      TaskInternals.setError(error, of: task)
    }
    end(task.state == .canceling ? .cancelled : .failed, error)
    if let loading = loading ?? host?.loading { outer.urlProtocol(loading, didFailWithError: error) }
    inner = nil
  }

  /// Calls the framework's client with the task's callbacks as the program made them.
  func forward(andListen listens: Bool = true, _ call: (any URLProtocolClient) -> Void) {
    tap?.remove()
    call(outer)
    if listens, !isEnded { tap?.install() }
  }
}
