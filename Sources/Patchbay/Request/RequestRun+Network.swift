import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way to the network, and what may stop a request on it: a person, and a body that must be read first.
extension RequestRun {
  /// Lets the request go to the network, as the rule makes it.
  func send(_ changes: PassChanges) {
    guard changes.rewritesRequest else { return sendAsIs(changes) }
    rewrite(changes) { self.sendAsIs(changes.withoutRewriting) }
  }

  private func sendAsIs(_ changes: PassChanges) {
    recorder.willBeSent()
    guard let delay = changes.delay else { return sendNow(changes) }
    recorder.flush()
    wait(delay.drawn) { self.sendNow(changes) }
  }

  private func sendNow(_ changes: PassChanges) {
    var rest = changes
    rest.delay = nil
    guard isForeign || holdsResponse || !rest.isEmpty else { return sendNatively() }
    guard let queue else {
      let sentence = "Patchbay cannot change a request on this version of Foundation: let it pass as it is."
      return fail(with: FaultError.urlError(.unsupportedURL, url: current.request.url, message: sentence))
    }
    recorder.flush()
    hasToldWhatWasSent = true
    let loader = DetachedLoader(task: task, session: session, client: client, queue: queue, changes: rest, host: self)
    stage = .detached(loader)
    loader.start()
  }

  private func sendNatively() {
    let loader = NativeLoader(
      task: task, session: session, client: client, cached: cached, recorder: recorder, host: self)
    stage = .native(loader)
    loader.tellBeginning()
    guard case .stream(let capture?) = current.body, let queue else { return loader.start() }
    let due = nextStep()
    TaskBody.listen(to: task, with: capture, on: queue) { [self] in
      if step == due { loader.start() }
    }
  }

  // MARK: Holds

  /// Stops the request until the person has decided; `release` is how it goes on if they let it.
  ///
  /// - Parameter orElse: What is done where nobody can decide; nil lets it go on then.
  func hold(orElse undecided: (() -> Void)? = nil, then release: @escaping () -> Void) {
    guard let sink = snapshot.sink, queue != nil else { return (undecided ?? release)() }
    ask(.request, sink, releases: .shared) { run, decision in
      if decision == nil, let undecided { return undecided() }
      switch decision {
      case nil, .continue(request: nil, response: _):
        if run.holdStub != nil { run.recorder.answered(by: .network, stub: nil) }
        run.holdStub = nil
        release()
      case .continue(request: let edited?, response: _):
        run.holdStub = nil
        run.edit(edited)
        release()
      case .respond(let canned): run.respondByPerson(canned)
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
    pass = nil
    ask(.response, sink, releases: nil) { run, decision in
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
      case .respond(let canned): run.respondByPerson(canned)
      case .fail(let fault):
        run.recorder.answered(by: .person, stub: nil)
        run.fail(fault)
      case .drop: run.drop()
      }
    }
  }

  private func respondByPerson(_ canned: CannedResponse) {
    recorder.answered(by: .person, stub: nil)
    // What the person has just written needs no second look.
    holdsResponse = false
    respond(canned, by: .person)
  }

  private func ask(
    _ point: ExchangeUpdate.Held, _ sink: any ExchangeSink, releases: ReleaseQueue?,
    _ act: @escaping (RequestRun, Verdict.Decision?) -> Void
  ) {
    stage = .held
    let due = nextStep()
    let held = HeldRun(self, releases, act)
    if snapshot.settings.timeoutRunsWhileHeld {
      let timeout = TaskInternals.timeout(of: current.request, session: session)
      queue?.asyncAfter(deadline: .now() + timeout) { [self] in
        guard case .held = stage, step == due else { return }
        sink.unhold(recorder.key)
        recorder.held(.released)
        fail(with: FaultError.urlError(.timedOut, url: current.request.url))
      }
    }
    sink.hold(recorder.key) { held.resume($0) }
    // Told only now: a verdict that comes at once must find who waits for it.
    recorder.held(point)
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
    request.become(edited.method, url, edited.headers)
    var body = current.body
    if !edited.truncated { body = edited.body.map { .data($0) } ?? .none }
    let next = RequestSnapshot(request: request, body: body)
    guard next.recorded(bodyLimit: .max) != current.recorded(bodyLimit: .max) else { return }
    current = next
    isForeign = true
    recorder.answered(by: .network, stub: nil)
    recorder.rewritten(next, isHop: false)
  }

  // MARK: Bodies that are streams

  /// Whether some stub cannot tell before the stream has been read.
  var mustReadStream: Bool {
    guard case .stream = current.body, let stubs = snapshot.stubs, stubs.looksAtBodies else { return false }
    return stubs.needsBody(current.facts(of: HookState.shared.process, withBody: false), scope: scope)
  }

  /// Reads the stream, off every queue, puts another that gives the same in its place, and goes on.
  func readStream(then next: @escaping () -> Void) {
    guard let queue else { return next() }
    let limit = Int(clamping: snapshot.settings.requestBodyLimit)
    let capture: StreamCapture
    if case .stream(let own?) = current.body { capture = own } else { capture = StreamCapture(limit: limit) }
    let due = nextStep()
    let next = WorkQueueClosure(next)
    stage = .waiting {}
    timeOutReading(due, on: queue)
    findStream { stream in
      nonisolated(unsafe) let stream = stream  // Handed over.
      HookQueue.apart {
        nonisolated(unsafe) let replayed = stream.map { ReplayedStream($0, upTo: limit, capture) }  // Handed over.
        queue.async { [self] in
          guard !isEnded, step == due || task.state != .canceling else { return }
          _ = nextStep()
          guard let replayed else { return next.call() }
          current.body = .stream(capture)
          current.request.httpBodyStream = replayed
          TaskBody.put(replayed, into: task, on: queue) { [self] in
            guard !isEnded, task.state != .canceling else { return }
            if task.state == .suspended { stage = .waiting(then: next.call) } else { next.call() }
          }
        }
      }
    }
  }

  /// The task's own stream, or the one that the program's delegate gives when it is asked.
  func findStream(_ found: @escaping @Sendable (sending InputStream?) -> Void) {
    if let stream = TaskBody.stream(of: task) {
      nonisolated(unsafe) let stream = stream  // Handed over.
      return found(stream)
    }
    guard let session, let delegate = task.delegate else { return found(nil) }
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        nonisolated(unsafe) let stream = stream  // Handed over.
        found(stream)
      }
    }
  }

  func timeOutReading(_ due: Int, on queue: DispatchQueue) {
    let timeout = TaskInternals.timeout(of: current.request, session: session)
    guard timeout > 0 else { return }
    queue.asyncAfter(deadline: .now() + timeout) { [weak self] in
      guard let self, step == due, !isEnded else { return }
      fail(with: FaultError.urlError(.timedOut, url: current.request.url))
    }
  }
}

// MARK: - What the loaders ask

extension RequestRun: NativeLoaderHost, DetachedLoaderHost {
  var sink: (any ExchangeSink)? { snapshot.sink }

  /// Any thread.
  func stubs(forRedirect request: URLRequest) -> StubDecider.Outcome? {
    // Other schemes are left alone.
    guard snapshot.stubs != nil || snapshot.unmatched != .pass, let url = request.url, Admission.isHTTP(url) else {
      return nil
    }
    let outcome = outcome(for: RequestSnapshot(request: request, sessionHeaders: current.sessionHeaders))
    switch outcome?.decision.step {
    case .answer(let match):
      if case .pass(let changes) = match.action, changes.isEmpty { return nil }
      return outcome
    case .hold: return outcome
    // What let the request itself pass does not let pass where it leads.
    case .unmatched, nil:
      return snapshot.unmatched == .pass ? nil : outcome ?? StubDecider.Outcome(decision: Decision(.unmatched))
    }
  }

  func takeOver(_ request: URLRequest, _ outcome: StubDecider.Outcome) {
    guard hops < RedirectRequest.limit else {
      return fail(with: FaultError.urlError(.httpTooManyRedirects, url: current.request.url))
    }
    become(request)
    carryOut(outcome)
  }

  func ended() {
    stage = .ended
  }
}
