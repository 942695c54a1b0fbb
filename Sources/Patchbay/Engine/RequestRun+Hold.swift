import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestRun {
  /// Stops the request until the person has decided; `release` is how it goes on if they let it.
  func hold(then release: @escaping () -> Void) {
    guard let sink = snapshot.sink, queue != nil else { return release() }
    recorder.held(.request)
    stage = .held
    ask(sink, line: .shared) { run, decision in
      switch decision {
      case nil, .continue(request: nil, response: _):
        if run.holdStub != nil { run.recorder.answered(by: .network, stub: nil) }
        run.holdStub = nil
        release()
      case .continue(request: let edited?, response: _):
        run.holdStub = nil
        run.edit(edited)
        release()
      case .respond(let canned):
        run.recorder.answered(by: .person, stub: nil)
        // What the person has just written needs no second look.
        run.holdsResponse = false
        run.respond(canned, by: .person)
      case .fail(let fault):
        run.recorder.answered(by: .person, stub: nil)
        run.fail(fault)
      case .drop: run.drop()
      }
    }
  }

  /// Stops the response before it is delivered.
  func hold(_ response: ResolvedResponse, then deliver: @escaping (ResolvedResponse) -> Void) {
    guard let sink = snapshot.sink, queue != nil else { return deliver(response) }
    recorder.head(response.status, .list(response.headers), soon: true)
    recorder.preview(response.body)
    recorder.held(.response)
    stage = .held
    pass = nil
    ask(sink, line: nil) { run, decision in
      switch decision {
      case nil, .continue(request: _, response: nil):
        if run.holdStub != nil { run.recorder.answered(by: .network, stub: nil) }
        deliver(response)
      case .continue(request: _, response: let edited?):
        run.recorder.answered(by: .person, stub: nil)
        deliver(
          response.edited(
            status: edited.status, headers: edited.headers,
            body: edited.truncated ? response.body : run.current.method == "HEAD" ? Data() : edited.body ?? Data()))
      case .respond(let canned):
        run.recorder.answered(by: .person, stub: nil)
        run.holdsResponse = false
        run.respond(canned, by: .person)
      case .fail(let fault):
        run.recorder.answered(by: .person, stub: nil)
        run.fail(fault)
      case .drop: run.drop()
      }
    }
  }

  private func ask(
    _ sink: any ExchangeSink, line: ReleaseLine?, _ act: @escaping (RequestRun, Verdict.Decision?) -> Void
  ) {
    step += 1
    let due = step
    let asked = HeldRun(self, line, act)
    if snapshot.settings.timeoutRunsWhileHeld {
      let timeout = RequestTimeout.seconds(current.request, session: session)
      queue?.asyncAfter(deadline: .now() + timeout) { [self] in
        guard case .held = stage, step == due else { return }
        sink.unhold(recorder.key)
        recorder.held(.released)
        fail(with: FaultError.urlError(.timedOut, url: current.request.url))
      }
    }
    sink.hold(recorder.key) { asked.resume($0) }
  }

  private func drop() {
    recorder.answered(by: .person, stub: nil)
    fail(with: FaultError.urlError(.networkConnectionLost, url: current.request.url))
  }

  private func edit(_ edited: RecordedRequest) {
    guard let url = URL(string: edited.url) else {
      snapshot.sink?.notice("The edited URL “\(edited.url)” is none, so the request went on as it was; edit it again.")
      return
    }
    var request = current.request
    request.url = url
    request.httpMethod = edited.method
    for name in (request.allHTTPHeaderFields ?? [:]).keys { request.setValue(nil, forHTTPHeaderField: name) }
    for header in edited.headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
    var body = current.body
    if !edited.truncated { body = edited.body.map { .data($0) } ?? .none }
    let next = RequestSnapshot(request: request, body: body)
    guard next.recorded(bodyLimit: .max) != current.recorded(bodyLimit: .max) else { return }
    current = next
    isForeign = true
    recorder.answered(by: .network, stub: nil, edited: edited)
  }
}
