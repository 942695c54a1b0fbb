import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What becomes of one request: decided, held, sent on or answered, once or along several redirects, to exactly one end.
///
/// The framework owns one through its `URLProtocol` and calls it on the task's work queue.
final class RequestRun: @unchecked Sendable {
  // Everything is used on the task's work queue only, except what says otherwise.
  let task: URLSessionTask
  let session: URLSession?
  let scope: SessionScope.Mark?
  let client: any URLProtocolClient
  let queue: DispatchQueue?
  let recorder: ExchangeRecorder
  let snapshot: HookSnapshot
  private(set) weak var loading: URLProtocol?
  private let cached: CachedURLResponse?

  /// The request that is being worked on: the program's, an edited one, or where a redirect led.
  var current: RequestSnapshot
  /// It is not the task's own any more, so that only a session of the hook's can send it.
  var isForeign = false
  var holdsResponse = false
  /// The stub that only holds: it stands for the request while it is held, and answers nothing.
  var holdStub: String?
  var hops = 0
  /// The program's delegate has heard of the body's way to the network.
  var hasToldWhatWasSent = false
  var stage = Stage.idle {
    didSet { if isEnded, pass != nil { pass = nil } }
  }
  /// Its place among those that a person has let go on.
  var pass: ReleaseLine.Pass?
  /// Rises with each start, stop and step, so that what was put off is not done twice.
  var step = 0

  enum Stage {
    case idle
    case native(NativeLoader)
    case detached(DetachedLoader)
    case waiting(then: () -> Void)
    case held
    case answering
    case ended
  }

  init?(_ loading: URLProtocol, _ snapshot: HookSnapshot) {
    guard let task = loading.task, let client = loading.client, let request = task.originalRequest else { return nil }
    self.task = task
    self.client = client
    self.loading = loading
    cached = loading.cachedResponse
    session = TaskInternals.session(of: task)
    scope = (type(of: loading) as? PatchbayURLProtocol.Type)?.scope
    queue = TaskInternals.workQueue(of: task)
    let state = HookState.shared
    self.snapshot = snapshot
    current = RequestSnapshot(request: request)
    if snapshot.sink != nil || snapshot.rules != nil {
      current.sessionHeaders = Self.headers(of: session)
      current.body = TaskBody.body(of: task, request: request)
      if case .stream = current.body, snapshot.sink != nil {
        current.body = .stream(StreamTee(limit: Int(clamping: snapshot.settings.requestBodyLimit)))
      }
    }
    recorder = ExchangeRecorder(
      key: state.nextKey(), snapshot: snapshot,
      start: ExchangeReport.Start(
        at: .now, request: current, task: Self.kind(of: task), revision: snapshot.revision,
        replay: Replayer.token(of: task), scope: scope))
  }

  /// Begins, or goes on after a suspension.
  func start() {
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
    // Suspended and resumed at once: the start that follows finds everything in its place. (The built-in class would
    // trap here.)
    if task.state == .running { return }
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

  /// Whether the task's callbacks take a body piece by piece; the others keep only the last piece.
  var takesPieces: Bool {
    guard task is URLSessionDataTask, let session, let callbacks = TaskCallbacks(of: task, in: session) else {
      return false
    }
    return callbacks.kind == .delegate
  }

  var isEnded: Bool { if case .ended = stage { true } else { false } }

  // MARK: Deciding

  private func begin() {
    if let point = snapshot.holdAll {
      holdsResponse = point.holdsResponse
      if point.holdsRequest { return hold { self.decide(from: 0) } }
    }
    decide(from: 0)
  }

  /// Asks the rules from that place in the list on, and does what they say.
  func decide(from position: Int) {
    if let match = match(current, from: position) { perform(match) } else { unmatched() }
  }

  func match(_ request: RequestSnapshot, from position: Int) -> RuleMatch? {
    guard let rules = snapshot.rules else { return nil }
    if position == 0 {
      switch rules.decideByURL(request.url, method: request.method) {
      case .unknown: break
      case .unmatched: return nil
      case .matched(let match): return match
      }
    }
    let facts = request.facts(of: HookState.shared.process, withBody: rules.looksAtBodies)
    return rules.decide(
      RuleQuery(facts: facts, request: request.request, session: session, scope: scope), from: position)
  }

  func perform(_ match: RuleMatch) {
    holdsResponse = holdsResponse || match.holdsResponse
    let stub = match.name.isEmpty ? nil : match.name
    holdStub = nil
    switch match.what {
    case .closure(let answer): respond(by: answer, match)
    case .action(.respond(let canned)):
      recorder.answered(by: match.by, stub: stub)
      respond(canned, by: match.by)
    case .action(.fail(let fault)):
      recorder.answered(by: match.by, stub: stub)
      fail(fault)
    case .action(.pass(let changes)):
      if match.holdsResponse, changes.isEmpty { holdStub = stub }
      recorder.answered(by: .network, stub: stub)
      send(changes)
    case .action(.hold(let point)):
      holdStub = stub
      holdsResponse = holdsResponse || point.holdsResponse
      guard point.holdsRequest else { return decide(from: match.next) }
      recorder.answered(by: .network, stub: stub)
      hold { self.decide(from: match.next) }
    case .action(.code): unmatched()
    case .action(.sequence(let steps, _)):
      // The rules resolve sequences; the first step is a sane reading of one that they did not.
      guard let first = steps.first else { return unmatched() }
      perform(RuleMatch(name: match.name, by: match.by, what: .action(first), next: match.next))
    }
  }

  private func unmatched() {
    switch snapshot.unmatched {
    case .pass:
      answeredByNetworkAfterAll()
      send(PassChanges())
    case .hold:
      answeredByNetworkAfterAll()
      hold { self.send(PassChanges()) }
    case .fail:
      recorder.answered(by: .console, stub: nil)
      let url = current.request.url
      let what = "\(current.method) \(url?.absoluteString ?? "")"
      let sentence = "No stub matches \(what), and unmatched requests are made to fail; add a stub or let them pass."
      fail(with: FaultError.urlError(.resourceUnavailable, url: url, message: sentence))
    }
  }

  /// A stub has sent the request elsewhere, and there no stub takes it.
  private func answeredByNetworkAfterAll() {
    if hops > 0 { recorder.answered(by: .network, stub: nil) }
  }

  // MARK: The network

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

  // MARK: Time

  /// Goes on after that time, unless stopped; fails the request where its timeout is shorter.
  func wait(_ seconds: Double, then next: @escaping () -> Void) {
    let timeout = RequestTimeout.seconds(current.request, session: session)
    let isTooLong = timeout > 0 && seconds >= timeout
    guard let queue else { return next() }
    step += 1
    let due = step
    let deadline = DispatchTime.now() + min(seconds, timeout > 0 ? timeout : seconds)
    let waiting = Waiting(next)
    stage = .waiting { [unowned self] in
      // After a suspension the wait goes on from the start, as a transfer's timeout does.
      step += 1
      wait(seconds, then: next)
    }
    queue.asyncAfter(deadline: deadline) { [self] in
      guard step == due, !isEnded else { return }
      if isTooLong { fail(with: FaultError.urlError(.timedOut, url: current.request.url)) } else { waiting.next() }
    }
  }

  /// What comes after a wait, on the same queue.
  private struct Waiting: @unchecked Sendable {  // Used on the task's work queue only.
    let next: () -> Void

    init(_ next: @escaping () -> Void) { self.next = next }
  }

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
}

extension RequestRun: NativeLoaderHost {
  /// Any thread.
  func match(redirect request: URLRequest) -> RuleMatch? {
    guard snapshot.rules != nil else { return nil }
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

extension Delay {
  /// Seconds for one request.
  var drawn: Double {
    switch self {
    case .fixed(let duration): duration.seconds
    case .random(let from, let to):
      from.seconds < to.seconds ? Double.random(in: from.seconds...to.seconds) : from.seconds
    }
  }
}

extension Duration {
  var seconds: Double {
    let (seconds, attoseconds) = components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
