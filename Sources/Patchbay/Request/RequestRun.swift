import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What becomes of one request: decided, held, sent on or answered, once or along several redirects, to exactly one end.
///
/// The framework owns one through its `URLProtocol` and calls it on the task's work queue. This file is its life and
/// what decides it; `RequestRun+Answer.swift` gives the program an answer, `RequestRun+Network.swift` holds the request
/// and sends it on.
final class RequestRun: @unchecked Sendable {
  // Everything is used on the task's work queue only, except what says otherwise.
  let task: URLSessionTask
  let session: URLSession?
  let client: any URLProtocolClient
  /// The task's work queue, on which every call of the client must be made; nil where this Foundation keeps it elsewhere.
  let queue: DispatchQueue?
  let recorder: ExchangeRecorder
  let snapshot: HookSnapshot
  let cached: CachedURLResponse?
  let scope: SessionScope.Mark?
  /// While a start is under way. A weak reference makes every use of an object slower, so that there is none to one that
  /// is answered at once.
  private var starting: URLProtocol?
  private weak var started: URLProtocol?

  /// The request that is being worked on: the program's, an edited one, or where a redirect led.
  var current: RequestSnapshot
  /// It is not the task's own any more, so that only a session of the hook's can send it.
  var isForeign = false
  var holdsResponse = false
  /// The stub that only holds: it stands for the request while it is held, and answers nothing.
  var holdStub: String?
  /// How many redirects led here.
  private(set) var hops = 0
  /// The one of which the program's delegate is asked.
  var askedOfHop: Int?
  /// The program's delegate has heard of the body's way to the network.
  var hasToldWhatWasSent = false
  var stage = Stage.idle {
    didSet { if isEnded, pass != nil { pass = nil } }
  }
  /// Its place among those that a person has let go on.
  var pass: ReleaseQueue.Pass?
  /// Rises with each start, stop and step, so that what was put off is not done twice.
  private(set) var step = 0

  enum Stage {
    case idle
    case native(NativeLoader)
    case detached(DetachedLoader)
    case waiting(then: () -> Void)
    case held
    case answering
    case ended
  }

  /// - Parameter arrival: When the program made the request.
  init?(_ loading: URLProtocol, _ snapshot: HookSnapshot, arrival: Arrival = Arrival()) {
    guard let task = loading.task, let client = loading.client, let request = task.originalRequest else { return nil }
    self.task = task
    self.client = client
    cached = loading.cachedResponse
    session = TaskInternals.session(of: task)
    scope = (type(of: loading) as? PatchbayURLProtocol.Type)?.scope
    queue = TaskInternals.workQueue(of: task)
    let state = HookState.shared
    self.snapshot = snapshot
    current = RequestSnapshot(request: request)
    if snapshot.sink != nil || snapshot.stubs != nil {
      current.sessionHeaders = Self.headers(of: session)
      current.body = TaskBody.body(of: task, request: request)
      if snapshot.sink != nil {
        switch current.body {
        case .stream:
          current.body = .stream(StreamCapture(limit: Int(clamping: snapshot.settings.requestBodyLimit)))
          // What its request has is not what is sent: its delegate is asked.
          if task is URLSessionUploadTask, TaskBody.stream(of: task) == nil { current.request.httpBodyStream = nil }
        case .file(let file): file.keep()
        case .none, .data: break
        }
      }
    }
    recorder = ExchangeRecorder(
      key: state.nextKey(), snapshot: snapshot,
      start: ExchangeReport.Start(
        at: arrival.at, request: current, task: Self.kind(of: task), revision: snapshot.revision,
        replay: Replayer.token(of: task), scope: scope),
      began: arrival.began)
  }

  /// A moment on both clocks.
  struct Arrival {
    let at = Timestamp.now
    let began = MonotonicTime.now
  }

  /// What the framework's client knows the request by; nil once the framework has let go of it.
  var loading: URLProtocol? { starting ?? started }

  var isEnded: Bool { if case .ended = stage { true } else { false } }

  private static func kind(of task: URLSessionTask) -> Exchange.TaskKind {
    switch task {
    case is URLSessionUploadTask: .upload
    case is URLSessionDataTask: .data
    case is URLSessionDownloadTask: .download
    default: .unknown
    }
  }

  private static func headers(of session: URLSession?) -> [HeaderField] {
    guard let session, let added = session.configuration.httpAdditionalHeaders, !added.isEmpty else { return [] }
    return added.compactMap { name, value in (name as? String).map { HeaderField($0, "\(value)") } }
  }

  // MARK: Life

  /// Begins, or goes on after a suspension.
  func start(_ loading: URLProtocol) {
    starting = loading
    defer {
      if !isEnded { started = loading }
      starting = nil
    }
    step += 1
    switch stage {
    case .idle: begin()
    case .native(let loader): loader.start()
    case .waiting(let next): next()
    case .detached(let loader): loader.resume()
    case .held, .answering, .ended: break
    }
  }

  /// Suspended, or cancelled by the program.
  func stop() {
    // Foundation says that it is suspended a moment later. Resumed by then, the start that follows finds everything in its
    // place; cancelled by then, it is stopped once more, with the error; and what has ended needs nothing. (The built-in
    // class ends the process in each of the three.)
    switch task.state {
    case .running, .completed: return
    case .canceling where task.error == nil: return
    default: break
    }
    step += 1
    let isSuspended = task.state == .suspended
    switch stage {
    case .native(let loader):
      loader.stop()
      if !isSuspended { stage = .ended }
      return
    case .detached(let loader): if isSuspended { loader.suspend() } else { loader.cancel() }
    case .held: if !isSuspended { snapshot.sink?.unhold(recorder.key) }
    case .idle, .waiting, .answering, .ended: break
    }
    guard !isSuspended, !isEnded else { return }
    stage = .ended
    recorder.end(.cancelled, error: task.error ?? URLError(.cancelled))
  }

  /// The framework has let go of the task without a word.
  func abandon() {
    if case .native(let loader) = stage, loader.wasReleased(adopted: false) { return }
    if !isEnded { recorder.end(.abandoned) }
  }

  /// Begins a step that ends later. What was put off before is not done any more; what is put off now is to compare
  /// ``step`` with the number that this gives.
  func nextStep() -> Int {
    step += 1
    return step
  }

  /// The request goes on as another one: where a redirect leads.
  func become(_ request: URLRequest) {
    hops += 1
    current = RequestSnapshot(request: request, sessionHeaders: current.sessionHeaders)
    isForeign = true
    TaskInternals.setCurrentRequest(request, of: task)
  }

  // MARK: Deciding

  /// Decides for the first time, unless everything is held; reads a stream before, if the answer depends on it.
  private func begin() {
    if mustReadStream { readStream { self.beginKnowing() } } else { beginKnowing() }
  }

  private func beginKnowing() {
    if let point = snapshot.holdAll {
      holdsResponse = point.holdsResponse
      if point.holdsRequest { return hold { self.decide() } }
    }
    decide()
  }

  /// Asks the stubs, from that place in the list on, and does what they say.
  func decide(from cursor: Decision.Cursor = .start) {
    guard let outcome = outcome(for: current, from: cursor) else { return unmatched() }
    carryOut(outcome)
  }

  /// What the stubs in force say of a request; nil where none takes it.
  func outcome(for request: RequestSnapshot, from cursor: Decision.Cursor = .start) -> StubDecider.Outcome? {
    guard let stubs = snapshot.stubs else { return nil }
    if cursor == .start, let step = stubs.decide(url: request.url, method: request.method) {
      if case .unmatched = step { return nil }
      return StubDecider.Outcome(decision: Decision(step))
    }
    let process = HookState.shared.process
    var withBody = stubs.looksAtBodies
    // A file is read only for who looks at it: it may be large.
    if withBody, case .file = request.body {
      withBody = stubs.needsBody(request.facts(of: process, withBody: false), scope: scope)
    }
    let facts = request.facts(of: process, withBody: withBody)
    let outcome = stubs.decide(facts, of: request.request, scope: scope, from: cursor)
    if case .unmatched = outcome.decision.step, outcome.decision.responseHold == nil { return nil }
    return outcome
  }

  /// Does what the stubs have decided.
  func carryOut(_ outcome: StubDecider.Outcome) {
    let responseHold = outcome.decision.responseHold
    holdsResponse = holdsResponse || responseHold != nil
    holdStub = nil
    switch outcome.decision.step {
    case .answer(let match): answer(by: match, outcome)
    case .hold(let stub, let next):
      holdStub = stub
      recorder.answered(by: .network, stub: stub)
      hold { self.decide(from: next) }
    case .unmatched:
      // Only its response is held, which is no answer.
      holdStub = responseHold
      guard snapshot.unmatched == .pass else { return unmatched() }
      recorder.answered(by: .network, stub: responseHold)
      send(PassChanges())
    }
  }

  private func answer(by match: Decision.Match, _ outcome: StubDecider.Outcome) {
    switch match.action {
    case .respond(let canned):
      recorder.answered(by: outcome.by, stub: match.stub)
      respond(canned, by: outcome.by, of: match.stub)
    case .fail(let fault):
      recorder.answered(by: outcome.by, stub: match.stub)
      fail(fault)
    case .pass(let changes):
      if outcome.decision.responseHold != nil, changes.isEmpty { holdStub = match.stub }
      recorder.answered(by: .network, stub: match.stub)
      send(changes)
    case .code:
      guard let handler = outcome.handler else { return unmatched() }
      recorder.answered(by: outcome.by, stub: match.stub)
      respond(by: handler, of: match.stub, answerer: outcome.by)
    // A decision resolves sequences, and a hold is no answer.
    case .hold, .sequence: unmatched()
    }
  }

  private func unmatched() {
    switch snapshot.unmatched {
    case .pass:
      answeredByNetworkAfterAll()
      send(PassChanges())
    case .hold:
      answeredByNetworkAfterAll()
      let room = snapshot.room
      hold(orElse: room.map { room in { self.wait(in: room) } }) { self.send(PassChanges()) }
    case .fail:
      // What needs no network is allowed, unless a stub that is still to come may be for it.
      let isItself = hops == 0 && !isForeign && snapshot.withoutStubs == nil
      if isItself, let kept = KeptAnswer(cached, for: task.currentRequest) { return deliver(kept) }
      failUnmatched()
    }
  }

  private func failUnmatched() {
    recorder.answered(by: .console, stub: nil)
    let url = current.request.url
    let what = "\(current.method) \(url?.absoluteString ?? "")"
    var sentence = "No stub matches \(what), and unmatched requests are made to fail; add a stub or let them pass."
    if let reason = snapshot.withoutStubs {
      sentence = "\(what) was not sent, because \(reason), and requests that no stub takes are made to fail."
    }
    fail(with: FaultError.urlError(.resourceUnavailable, url: url, message: sentence))
  }

  /// There is nobody to decide: it waits for the next console as if it had just been made.
  private func wait(in room: WaitingRoom) {
    guard let loading = loading as? PatchbayURLProtocol, queue != nil else { return failUnmatched() }
    stage = .ended
    recorder.end(.abandoned)
    loading.wait(in: room)
  }

  /// A stub has sent the request elsewhere, and there no stub takes it.
  private func answeredByNetworkAfterAll() {
    if hops > 0 { recorder.answered(by: .network, stub: nil) }
  }

  // MARK: Waiting

  /// Goes on after that time, unless stopped; fails the request where its timeout is shorter.
  func wait(_ seconds: Double, then next: @escaping () -> Void) {
    let timeout = TaskInternals.timeout(of: current.request, session: session)
    let isTooLong = timeout > 0 && seconds >= timeout
    guard let queue else { return next() }
    let due = nextStep()
    let deadline = DispatchTime.now() + min(seconds, timeout > 0 ? timeout : seconds)
    let next = WorkQueueClosure(next)
    stage = .waiting { [unowned self] in
      // After a suspension the wait goes on from the start, as a transfer's timeout does.
      step += 1
      wait(seconds, then: next.call)
    }
    queue.asyncAfter(deadline: deadline) { [self] in
      guard step == due, !isEnded else { return }
      if isTooLong { fail(with: FaultError.urlError(.timedOut, url: current.request.url)) } else { next.call() }
    }
  }
}

/// What comes after a wait.
struct WorkQueueClosure: @unchecked Sendable {  // Called on the task's work queue only.
  let call: () -> Void

  init(_ call: @escaping () -> Void) { self.call = call }
}
