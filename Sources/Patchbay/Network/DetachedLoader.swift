import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Whoever runs a detached loader, and delivers what it brings.
protocol DetachedLoaderHost: LoaderHost {
  var current: RequestSnapshot { get set }
  var recorder: ExchangeRecorder { get }
  /// Where sentences for the person go; nil while nobody listens.
  var sink: (any ExchangeSink)? { get }
  /// The request is another one than the task began with.
  var isForeign: Bool { get }
  var isEnded: Bool { get }
  /// The response is to be held before it is delivered.
  var holdsResponse: Bool { get set }

  // What the program's delegates hear; see `RequestRun+Answer.swift`.
  var takesPieces: Bool { get }
  var hearsPiecesBeside: Bool { get }
  var listener: (any URLSessionTaskDelegate)? { get }
  func tellDelegate(_ piece: Data)
  func tellDelegate(wrote count: Int, inAll total: Int, of expected: Int64)

  func hold(_ response: ResolvedResponse, then deliver: @escaping (ResolvedResponse) -> Void)
  func deliver(_ response: ResolvedResponse, failing error: (any Error)?)
  func finish(_ head: HTTPURLResponse, file: URL?)
  func fail(with error: any Error)
}

/// Sends a request that is not the task's own any more, or whose answer is to be changed, in a session of the hook's
/// that is configured like the program's. Used on the task's work queue only; the session itself calls back on the
/// hook's queue.
final class DetachedLoader: @unchecked Sendable {
  private let task: URLSessionTask
  private let session: URLSession?
  private let client: any URLProtocolClient
  private let queue: DispatchQueue
  /// The run keeps its loader, and the loader its run, until the request has ended.
  private let host: any DetachedLoaderHost
  private let recorder: ExchangeRecorder
  private let changes: PassChanges
  private let request: RequestSnapshot
  private var transfer: DetachedTransfer?
  private var body = Data()
  private var head: HTTPURLResponse?
  /// The head as the program gets it, where that is before the body.
  private var changedHead: HTTPURLResponse?
  /// The program has refused a redirect, which is the answer then.
  private var isRefused = false
  /// The file of a download.
  private var file: URL?
  private let directPieces = DirectPieces()
  private var isSuspended = false
  private var isCancelled = false
  /// What the program's delegates hear while an answer comes, if nothing is changed.
  private let hears: Hearing
  /// What they are told while this answer comes: `hears`, or nothing where its body has to be whole before it is changed.
  private let hearsAtOnce: Hearing
  /// How it is sent: a download's body is written as it comes where nothing but its head is to be changed.
  private let kind: DetachedTransfer.Kind
  /// Cookies are kept from the answers as the program gets them, and not as they come.
  private let keepsCookies: Bool

  /// What a program's delegates hear while an answer comes.
  private enum Hearing {
    /// Nothing before the end.
    case nothing
    /// The head, and each piece, which is all that there is of the body.
    case pieces
    /// The head and each piece, by a delegate of this one call; its caller gets the body as a whole.
    case piecesBeside
  }

  init(
    task: URLSessionTask, session: URLSession?, client: any URLProtocolClient, queue: DispatchQueue,
    changes: PassChanges, host: any DetachedLoaderHost
  ) {
    self.task = task
    self.session = session
    self.client = client
    self.queue = queue
    self.changes = changes
    self.host = host
    recorder = host.recorder
    var request = host.current
    if case .stream(let capture?) = request.body, let stream = request.request.httpBodyStream {
      request.request.httpBodyStream = CapturingStream(stream, capture)
    }
    // A redirect may lead to `HTTP:`, with which no task can begin.
    if host.isForeign, let url = request.request.url, let scheme = url.scheme, scheme != scheme.lowercased() {
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
      parts?.scheme = scheme.lowercased()
      request.request.url = parts?.url ?? url
    }
    self.request = request
    keepsCookies = host.holdsResponse || changes.changesCookies
    let isAsSent = !changes.needsWholeBody && changes.pace == nil && !host.holdsResponse
    hears = host.takesPieces ? .pieces : host.hearsPiecesBeside ? .piecesBeside : .nothing
    hearsAtOnce = isAsSent ? hears : .nothing
    switch task {
    case is URLSessionUploadTask: kind = .upload
    case is URLSessionDownloadTask where isAsSent && request.hasNoStream: kind = .download
    default: kind = .data
    }
  }

  func start() {
    let configuration = session?.configuration ?? .ephemeral
    let addsHeaders = !request.sessionHeaders.isEmpty
    let queue = queue
    HookQueue.shared.async { [self] in
      let transfer = DetachedTransfer(
        request, as: kind, configuration: configuration, storesCookies: !keepsCookies, addsHeaders: addsHeaders,
        // Weak, so that a session that does not come to its end holds nothing of the program's.
        report: { [weak self] event in
          let loader = self
          if loader?.goesShort(event) == true { return }
          queue.async { if let loader { loader.received(event) } else { event.discard() } }
        })
      queue.async { [self] in
        guard !isCancelled else { return transfer.cancel() }
        self.transfer = transfer
        if !isSuspended { transfer.resume() }
      }
    }
  }

  func resume() {
    isSuspended = false
    transfer?.resume()
  }

  func suspend() {
    isSuspended = true
    transfer?.suspend()
  }

  func cancel() {
    isCancelled = true
    directPieces.close()
    removeFile()
    transfer?.cancel()
  }

  /// On the transfer's own queue.
  private func goesShort(_ event: TransferEvent) -> Bool {
    switch event {
    case .data(let data): return directPieces.deliver(data)
    case .redirect, .challenge, .head, .end: directPieces.close()
    case .stream, .sent, .written, .file: break
    }
    return false
  }

  private func received(_ event: TransferEvent) {
    defer { if case .data = event { directPieces.arrived() } }
    guard !isCancelled, !host.isEnded else { return event.discard() }
    if event.isCounted { count() }
    switch event {
    case .redirect(let response, let next, let answer): redirected(response, to: next, answer)
    case .challenge(let challenge, let answer): challenged(challenge, answer)
    case .stream(let answer): askForStream(answer)
    case .sent(let count, let total, let expected): sent(count, total, expected)
    case .head(let response): begin(response)
    case .data(let data): loaded(data)
    case .written(let count, let total, let expected):
      host.tellDelegate(wrote: Int(count), inAll: Int(total), of: expected)
    case .file(let location): file = location
    case .end(let response, let error): finish(response, error)
    }
  }

  /// What a program may look at in its task.
  private func count() {
    guard let transfer else { return }
    if transfer.expectedToReceive != 0 { TaskInternals.setExpectedBytes(transfer.expectedToReceive, of: task) }
    let sent = host.listener == nil ? 0 : transfer.sent
    guard transfer.expectedToSend != 0 || sent != 0 else { return }
    TaskInternals.setSentBytes(sent, of: transfer.expectedToSend, task: task)
  }

  private func removeFile() {
    guard let file else { return }
    self.file = nil
    DownloadedFile.remove(file)
  }

  // MARK: The answer

  private func begin(_ response: HTTPURLResponse) {
    guard !response.isInterim else { return tell(response) }
    // Another answer may have come before, to which a credential was the reply.
    if let head {
      _ = onTheWay(head)
      body = Data()
      recorder.restart()
    }
    noteCredential()
    head = response
    guard hearsAtOnce != .nothing || kind == .download else { return recorder.head(response) }
    tell(note(response))
  }

  private func note(_ response: HTTPURLResponse) -> HTTPURLResponse {
    head = response
    let told = changed(response)?.urlResponse() ?? response
    changedHead = told
    recorder.head(told)
    return told
  }

  /// The head, for those who hear of it before the end.
  private func tell(_ head: HTTPURLResponse) {
    guard hears != .nothing, let loading = host.loading else { return }
    client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    // Foundation gives the pieces to the session's delegate, also where the task has its own.
    guard hearsAtOnce == .pieces, !head.isInterim, let session, let task = task as? URLSessionDataTask,
      let delegate = session.delegate as? any URLSessionDataDelegate
    else { return }
    directPieces.open(to: DirectPieces.Target(session: session, task: task, delegate: delegate, recorder: recorder))
  }

  private func noteCredential() {
    guard let sent = transfer?.requestWithCredential else { return }
    host.current.request = sent
    recorder.sentAgain(host.current)
  }

  private func loaded(_ data: Data) {
    recorder.piece(data)
    // Foundation gives the body of a redirect to who takes pieces, and to nobody else.
    guard !isRefused || host.takesPieces else { return }
    switch hearsAtOnce {
    case .nothing: body.append(data)
    case .piecesBeside:
      body.append(data)
      host.tellDelegate(data)
    case .pieces:
      if let loading = host.loading { client.urlProtocol(loading, didLoad: data) }
    }
  }

  private func changed(_ head: HTTPURLResponse) -> ResolvedResponse? {
    guard let url = head.url else { return nil }
    var notices: [String] = []
    let response = ResolvedResponse(head, url: url, body: body).changed(by: changes, notices: &notices)
    if !host.holdsResponse { keepCookies(of: response) }
    for notice in notices { host.sink?.notice("\(url): \(notice)") }
    return response
  }

  private func finish(_ last: HTTPURLResponse?, _ error: (any Error)?) {
    if (error as? URLError)?.code == .cancelled { return cancelled(last) }
    // The head of a redirect that leads nowhere comes only with the end, and nobody is told of it.
    let leadsNowhere = head == nil && error == nil
    if leadsNowhere, let last { TaskInternals.setResponse(note(last), of: task) }
    guard let head, let loading = host.loading else {
      return host.fail(with: outward(error) ?? FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    let error = outward(error)
    if hearsAtOnce != .nothing || leadsNowhere && task is URLSessionDataTask && !host.holdsResponse {
      if let error { return host.fail(with: error) }
      if hearsAtOnce == .piecesBeside, !body.isEmpty { client.urlProtocol(loading, didLoad: body) }
      return host.finish(changedHead ?? head, file: nil)
    }
    if kind == .download, error == nil { return handOver(changedHead ?? head, loading) }
    guard var response = changed(head) else {
      return host.fail(with: FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    if response.body.count == body.count { response.expected = task.countOfBytesExpectedToReceive }
    if let error {
      if host.holdsResponse { keepCookies(of: response) }
      // Who takes pieces has them when the body breaks off.
      if hears != .nothing { return host.deliver(response, failing: error) }
      tellWritten()
      return host.fail(with: error)
    }
    guard host.holdsResponse else { return host.deliver(response, failing: nil) }
    host.holdsResponse = false
    host.hold(response) {
      self.keepCookies(of: $0)
      self.host.deliver($0, failing: nil)
    }
  }

  /// What has come of a download of which there will be no file.
  private func tellWritten() {
    guard !body.isEmpty else { return }
    host.tellDelegate(wrote: body.count, inAll: body.count, of: task.countOfBytesExpectedToReceive)
  }

  /// The program has cancelled a challenge, which for Foundation is to cancel the task.
  private func cancelled(_ last: HTTPURLResponse?) {
    if let last { TaskInternals.setResponse(note(last), of: task) }
    let task = task
    HookQueue.shared.async { task.cancel() }
  }

  private func handOver(_ head: HTTPURLResponse, _ loading: URLProtocol) {
    guard let file, ProtocolProperties.set("temporaryFileURL", to: file, of: loading) else {
      removeFile()
      return host.fail(with: FaultError.urlError(.cannotCreateFile, url: head.url))
    }
    client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    host.finish(head, file: file)
  }

  /// Foundation names the URL that the task began with, wherever redirects have led, unless the URL itself is wrong.
  private func outward(_ error: (any Error)?) -> (any Error)? {
    guard let error = error as? URLError, error.code != .badURL, error.code != .unsupportedURL,
      let first = task.originalRequest?.url,
      let own = request.request.url, own != first, error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == own
    else { return error }
    return FaultError.renamed(error, url: first)
  }

  // MARK: Cookies

  // Of answers that are changed, or that a person looks at first: what the program does not get is not kept.

  /// Keeps the cookies of the answer that the program gets.
  private func keepCookies(of response: ResolvedResponse) {
    guard keepsCookies else { return }
    Cookies.store(response.headers, for: response.url, by: session?.configuration)
  }

  /// Keeps the cookies of a redirect, or of an answer that asks for a credential. They are as they came, but where a stub
  /// takes cookies away: it takes them from the whole way.
  private func onTheWay(_ response: HTTPURLResponse) -> HTTPURLResponse {
    guard keepsCookies, let url = response.url else { return response }
    let came = ResolvedResponse(response, url: url, body: Data())
    var headers = came.headers
    if changes.removesCookies { headers.remove(named: "Set-Cookie") }
    let told = came.edited(status: came.status, headers: headers, body: Data())
    keepCookies(of: told)
    return told.urlResponse() ?? response
  }

  // MARK: What delegates are told and asked before there is an answer

  private func askForStream(_ answer: @escaping @Sendable (InputStream?) -> Void) {
    guard let session, let delegate = task.delegate else { return answer(nil) }
    let task = task
    let recorder = recorder
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        answer(stream.map { stream in recorder.newStream().map { CapturingStream(stream, $0) } ?? stream })
      }
    }
  }

  private func sent(_ count: Int64, _ total: Int64, _ expected: Int64) {
    guard let session, let delegate = host.listener else { return }
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
    }
  }

  private func redirected(
    _ response: HTTPURLResponse, to next: URLRequest, _ answer: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let response = onTheWay(response)
    recorder.redirected(
      RedirectHop(
        status: response.statusCode, url: response.url?.absoluteString ?? "", headers: response.headerFields))
    guard let session, let delegate = task.delegate else {
      return redirect(to: session.map { Cookies.added(to: next, by: $0.configuration) } ?? next, answer)
    }
    let (task, queue) = (task, queue)
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: next) { agreed in
        queue.async {
          // To answer a task that was cancelled meanwhile ends the process.
          guard !self.isCancelled else { return }
          self.recorder.turned(next, into: agreed)
          guard let agreed else {
            self.isRefused = true
            return answer(nil)
          }
          self.redirect(to: agreed, answer)
        }
      }
    }
  }

  private func redirect(to next: URLRequest, _ answer: @escaping @Sendable (URLRequest?) -> Void) {
    guard !isCancelled else { return }
    guard !host.isEnded else { return answer(nil) }
    if let outcome = host.stubs(forRedirect: next) {
      // Not by a cancel, which might overtake the answer; nothing more is heard of it.
      isCancelled = true
      answer(nil)
      return host.takeOver(next, outcome)
    }
    TaskInternals.setCurrentRequest(next, of: task)
    answer(next)
  }

  /// The answer that asks for a credential, which delegates hear before they are asked.
  private func tellUnauthorized() {
    guard hearsAtOnce == .nothing, let head, let loading = host.loading else { return }
    guard task is URLSessionDataTask else { return tellWritten() }
    guard hears != .nothing, let response = changed(head), let told = response.urlResponse() else { return }
    client.urlProtocol(loading, didReceive: told, cacheStoragePolicy: .notAllowed)
    if hears == .piecesBeside {
      host.tellDelegate(response.body)
    } else if !response.body.isEmpty {
      client.urlProtocol(loading, didLoad: response.body)
    }
  }

  private func challenged(_ challenge: URLAuthenticationChallenge, _ answer: @escaping TransferEvent.ChallengeAnswer) {
    guard let session, let delegate = session.delegate as? URLSessionTaskDelegate
    else { return answer(.performDefaultHandling, nil) }
    tellUnauthorized()
    let (task, queue) = (task, queue)
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, didReceive: challenge) { disposition, credential in
        // To answer a task that was cancelled meanwhile ends the process; so does to answer on its queue.
        if queue.sync(execute: { !self.isCancelled }) { answer(disposition, credential) }
      }
    }
  }
}

extension PassChanges {
  private var cookieChanges: [HeaderChange] { headers.filter { $0.name.lowercased() == "set-cookie" } }

  /// Whether other cookies are set than the network sets.
  var changesCookies: Bool { !cookieChanges.isEmpty }

  /// Whether no cookies are set.
  fileprivate var removesCookies: Bool { cookieChanges.last.map { $0.values?.isEmpty != false } ?? false }
}
