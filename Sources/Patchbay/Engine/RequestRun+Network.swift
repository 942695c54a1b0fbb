import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way to the network.
extension RequestRun {
  /// Lets the request go to the network.
  func send(_ changes: PassChanges) {
    recorder.willBeSent()
    guard let delay = changes.delay else { return sendNow(changes) }
    recorder.flush()
    wait(delay.drawn) { self.sendNow(changes) }
  }

  private func sendNow(_ changes: PassChanges) {
    var rest = changes
    rest.delay = nil
    guard isForeign || holdsResponse || !rest.isEmpty else { return sendNatively() }
    recorder.flush()
    let loader = DetachedLoader(self, changes: rest)
    stage = .detached(loader)
    loader.start()
  }

  private func sendNatively() {
    let loader = NativeLoader(
      task: task, session: session, client: client, cached: cached, recorder: recorder, host: self)
    stage = .native(loader)
    loader.tellBeginning()
    guard case .stream(let tee?) = current.body, let queue else { return loader.start() }
    step += 1
    let due = step
    StreamBody.listen(to: task, with: tee, on: queue) { [self] in
      if step == due { loader.start() }
    }
  }
}

extension RequestRun: NativeLoaderHost {
  /// Any thread.
  func match(redirect request: URLRequest) -> RuleMatch? {
    // Other schemes are left alone.
    guard snapshot.rules != nil, let url = request.url, Admission.isHTTP(url) else { return nil }
    let match = match(RequestSnapshot(request: request, sessionHeaders: current.sessionHeaders), from: 0)
    if case .action(.pass(let changes)) = match?.what, changes.isEmpty { return nil }
    return match
  }

  func takeOver(_ request: URLRequest, _ match: RuleMatch) {
    guard hops < RedirectRequest.limit else {
      return fail(with: FaultError.urlError(.httpTooManyRedirects, url: current.request.url))
    }
    hops += 1
    current = RequestSnapshot(request: request, sessionHeaders: current.sessionHeaders)
    isForeign = true
    TaskInternals.setCurrentRequest(request, of: task)
    perform(match)
  }

  func ended() {
    stage = .ended
  }
}
