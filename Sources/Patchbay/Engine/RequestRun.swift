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
  /// While a start is under way. A weak reference makes every use of an object slower, so that there is none to one that
  /// is answered at once.
  private var starting: URLProtocol?
  private weak var started: URLProtocol?
  let cached: CachedURLResponse?

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
      if snapshot.sink != nil {
        switch current.body {
        case .stream:
          current.body = .stream(StreamTee(limit: Int(clamping: snapshot.settings.requestBodyLimit)))
          // What its request has is not what is sent: its delegate is asked.
          if task is URLSessionUploadTask, StreamBody.stream(of: task) == nil { current.request.httpBodyStream = nil }
        case .file(let file): file.keep()
        case .none, .data: break
        }
      }
    }
    recorder = ExchangeRecorder(
      key: state.nextKey(), snapshot: snapshot,
      start: ExchangeReport.Start(
        at: .now, request: current, task: Self.kind(of: task), revision: snapshot.revision,
        replay: Replayer.token(of: task), scope: scope))
  }

  /// What the framework's client knows the request by; nil once the framework has let go of it.
  var loading: URLProtocol? { starting ?? started }

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
