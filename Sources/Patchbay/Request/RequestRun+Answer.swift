import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer that the hook gives: made, followed where it is a redirect, and handed to the framework's client.
extension RequestRun {
  /// Answers with what a stub (or a person) says.
  ///
  /// - Parameter stub: the one that says it.
  func respond(_ canned: CannedResponse, by: Exchange.Answerer, of stub: String? = nil) {
    guard let url = current.request.url else { return fail(with: FaultError.urlError(.badURL, url: nil)) }
    if let folder = FolderAnswer(canned, current, url) { return respond(from: folder, by: by, of: stub) }
    let response = ResolvedResponse(canned, url: url, method: current.method)
    guard let delay = canned.delay?.drawn, delay > 0 else { return answer(response) }
    recorder.flush()
    wait(delay) { self.answer(response) }
  }

  /// Answers with a file, which is looked for away from the queue that all sessions share.
  private func respond(from folder: FolderAnswer, by: Exchange.Answerer, of stub: String?) {
    let finish: @Sendable (FolderAnswer.Outcome) -> Void = { [self] outcome in
      switch outcome {
      case .found(let canned): respond(canned, by: by, of: stub)
      case .missing(.notFound, let notice):
        if let notice { snapshot.sink?.notice(notice) }
        respond(folder.notFound, by: by, of: stub)
      case .missing(.pass, _):
        recorder.answered(by: .network, stub: stub)
        send(PassChanges())
      }
    }
    guard let queue else { return finish(folder.outcome()) }
    let due = nextStep()
    stage = .waiting {}
    HookQueue.apart {
      let outcome = folder.outcome()
      queue.async { [self] in
        guard !isEnded, step == due || task.state != .canceling else { return }
        if task.state == .suspended { stage = .waiting { finish(outcome) } } else { finish(outcome) }
      }
    }
  }

  /// Lets the harness's own code answer, away from the queue that all sessions share.
  func respond(by handler: @escaping StubHandler, of stub: String, answerer: Exchange.Answerer) {
    let request = current.request.asSeen(headers: current.headers, body: current.body.bytes(limit: .max)?.data)
    let finish: @Sendable (Result<CannedResponse, any Error>) -> Void = { [self] result in
      switch result {
      case .success(let canned):
        guard let mistake = canned.mistakeOfFile else { return respond(canned, by: answerer) }
        fail(with: PatchbayError.wrongStub(name: stub, reason: mistake))
      case .failure(let error): fail(with: error)
      }
    }
    // Where there is no way back to the framework's queue the code has to run on it.
    guard let queue else { return finish(HandlerExecutor.wait(for: handler, request)) }
    let due = nextStep()
    stage = .waiting {}
    HandlerExecutor.run(handler, request) { result in
      queue.async { [self] in
        guard !isEnded, step == due || task.state != .canceling else { return }
        if task.state == .suspended { stage = .waiting { finish(result) } } else { finish(result) }
      }
    }
  }

  /// Makes the request fail as a stub says.
  func fail(_ fault: Fault) {
    let error = FaultError.error(fault.error, url: current.request.url)
    let act: () -> Void = { [self] in
      guard let partial = fault.after, let url = current.request.url else { return fail(with: error) }
      var response = ResolvedResponse(partial.response, url: url, method: current.method)
      if let bytes = partial.bytes { response.body = response.body.prefix(max(0, bytes)) }
      deliver(response, failing: error)
    }
    let delay = (fault.delay?.drawn ?? 0) + (fault.after?.response.delay?.drawn ?? 0)
    guard delay > 0 else { return act() }
    recorder.flush()
    wait(delay, then: act)
  }

  /// Holds the response if that is wanted, follows it if it is a redirect, and delivers it.
  private func answer(_ response: ResolvedResponse) {
    if holdsResponse {
      holdsResponse = false
      return hold(response) { self.answer($0) }
    }
    Cookies.store(response.headers, for: response.url, by: session?.configuration)
    if let next = RedirectRequest.next(after: response, from: current.request) { return follow(response, to: next) }
    deliver(response)
  }

  // MARK: Redirects

  private func follow(_ response: ResolvedResponse, to next: URLRequest) {
    recorder.redirected(
      RedirectHop(status: response.status, url: response.url.absoluteString, headers: response.headers))
    guard hops < RedirectRequest.limit else {
      return fail(with: FaultError.urlError(.httpTooManyRedirects, url: current.request.url))
    }
    guard let session, let queue, let delegate = task.delegate, let head = response.urlResponse() else {
      return goOn(to: session.map { Cookies.added(to: next, by: $0.configuration) } ?? next)
    }
    let (due, hop) = (nextStep(), hops)
    stage = .waiting {}
    askedOfHop = hop
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, willPerformHTTPRedirection: head, newRequest: next) { agreed in
        queue.async { [self] in
          // The program may have suspended its task and resumed it meanwhile. It is asked once, and may answer twice.
          guard !isEnded, step == due || task.state != .canceling, askedOfHop == hop else { return }
          askedOfHop = nil
          recorder.turned(next, into: agreed)
          let proceed = { [self] in if let agreed { goOn(to: agreed) } else { deliver(response) } }
          if task.state == .suspended { stage = .waiting(then: proceed) } else { proceed() }
        }
      }
    }
  }

  private func goOn(to request: URLRequest) {
    become(request)
    decide()
  }

  // MARK: Delivery

  /// An answer that is handed over in several steps: piece by piece, or as a file.
  private struct Delivery {
    let head: HTTPURLResponse
    let response: ResolvedResponse
    let error: (any Error)?
    /// What is still to come piece by piece; nil is all at once.
    var pieces: ArraySlice<PacedBody.Piece>?
    /// Bytes of a download that have come.
    var written = 0
  }

  /// Hands an answer to the framework's client: head, body whole or in pieces, and the end, good or bad.
  func deliver(_ resolved: ResolvedResponse, failing given: (any Error)? = nil) {
    stage = .answering
    guard let loading else { return }
    var response = resolved
    let isWhole = current.method == "HEAD" || response.endAsItsLengthSays()
    let error =
      given ?? (isWhole ? nil : FaultError.error(.named(URLSessionReports.brokenBody), url: current.request.url))
    guard let head = response.head() else {
      return fail(with: FaultError.urlError(.badServerResponse, url: response.url))
    }
    let pacing = response.stream ?? PacedBody(response.body, pace: response.pace)
    let isDownload = task is URLSessionDownloadTask
    if pacing == nil, !isDownload {
      let hasBody = !response.body.isEmpty || error == nil
      recorder.whole(response.status, response.headers, body: hasBody ? response.body : nil)
    } else {
      recorder.restart()
      recorder.head(response.status, .list(response.headers), soon: pacing == nil)
    }
    tellWhatWasSent()
    TaskInternals.setExpectedBytes(response.expected ?? head.expected, of: task)
    client.urlProtocol(loading, didReceive: head.response, cacheStoragePolicy: .notAllowed)
    if isDownload || pacing != nil {
      let delivery = Delivery(head: head.response, response: response, error: error, pieces: pacing?.pieces[...])
      return isDownload ? deliverFile(delivery) : deliverPieces(delivery, whole: !callsDelegate)
    }
    if !response.body.isEmpty {
      tellDelegate(response.body)
      client.urlProtocol(loading, didLoad: response.body)
    }
    end(head.response, error)
  }

  /// Hands over what the program's cache keeps.
  func deliver(_ kept: KeptAnswer) {
    guard let loading else { return }
    stage = .ended
    let (answer, data) = (kept.response.response, kept.response.data)
    recorder.answeredFromCache()
    recorder.head(answer, soon: true)
    recorder.piece(data, soon: true)
    recorder.end(.responded)
    client.urlProtocol(loading, cachedResponseIsValid: kept.response)
    client.urlProtocol(loading, didReceive: answer, cacheStoragePolicy: .notAllowed)
    if !data.isEmpty { client.urlProtocol(loading, didLoad: data) }
    client.urlProtocolDidFinishLoading(loading)
  }

  /// - Parameter whole: The task's callbacks get the body whole, at the end: each piece would overwrite the one before.
  private func deliverPieces(_ delivery: Delivery, whole: Bool) {
    var rest = delivery
    guard let piece = rest.pieces?.popFirst() else {
      let body = delivery.response.body
      if whole, !body.isEmpty, let loading { client.urlProtocol(loading, didLoad: body) }
      return end(delivery.head, delivery.error)
    }
    wait(piece.pause) { [self, rest] in
      guard let loading else { return }
      recorder.piece(piece.data)
      if whole { tellDelegate(piece.data) } else { client.urlProtocol(loading, didLoad: piece.data) }
      deliverPieces(rest, whole: whole)
    }
  }

  /// The file comes last, so that none is left where the program cancels before.
  private func deliverFile(_ delivery: Delivery) {
    var rest = delivery
    if let piece = rest.pieces?.popFirst() {
      rest.written += piece.data.count
      return wait(piece.pause) { [self, rest] in
        recorder.piece(piece.data)
        tellProgress(piece.data.count, of: rest.written, rest.response)
        deliverFile(rest)
      }
    }
    let body = delivery.response.body
    guard delivery.error == nil else { return handOver(delivery, nil) }
    guard let queue, body.count > 65_536 else { return handOver(delivery, DownloadedFile.make(body)) }
    HookQueue.shared.async {
      let file = DownloadedFile.make(body)
      queue.async { [self] in
        guard !isEnded, task.state != .canceling else {
          file.map(DownloadedFile.remove)
          return
        }
        guard task.state == .suspended else { return handOver(delivery, file) }
        stage = .waiting { self.handOver(delivery, file) }
      }
    }
  }

  private func handOver(_ delivery: Delivery, _ file: URL?) {
    let response = delivery.response
    if delivery.error == nil {
      guard let file, let loading, ProtocolProperties.set("temporaryFileURL", to: file, of: loading) else {
        file.map(DownloadedFile.remove)
        snapshot.sink?.notice(
          "A stub for the download \(response.url) could not be delivered: no temporary file; stub it as a data task.")
        return fail(with: FaultError.urlError(.cannotCreateFile, url: response.url))
      }
    }
    if delivery.pieces == nil {
      recorder.piece(response.body, soon: true)
      if !response.body.isEmpty { tellProgress(response.body.count, of: response.body.count, response) }
    }
    end(delivery.head, delivery.error)
  }

  private func tellProgress(_ count: Int, of total: Int, _ response: ResolvedResponse) {
    tellDelegate(wrote: count, inAll: total, of: response.expected ?? Int64(response.body.count))
  }

  // MARK: The end

  private func end(_ head: HTTPURLResponse, _ error: (any Error)?) {
    if let error { fail(with: error) } else { finish(head) }
  }

  /// The good end, after everything has been handed over.
  ///
  /// - Parameter file: A download of which nothing has been told yet.
  func finish(_ head: HTTPURLResponse, file: URL? = nil) {
    guard let loading, !isEnded else { return }
    stage = .ended
    if let file, recorder.listens {
      DownloadedFile.report(file, to: recorder) { [recorder] in recorder.end(.responded) }
    } else {
      recorder.end(.responded)
    }
    if ChallengeSuppression.isNeeded(for: head) {
      ChallengeSuppression.finish(task, in: session, response: head) { client.urlProtocolDidFinishLoading(loading) }
    } else {
      client.urlProtocolDidFinishLoading(loading)
    }
  }

  func fail(with error: any Error) {
    guard !isEnded, let loading else { return }
    stage = .ended
    recorder.end(.failed, error: error)
    TaskInternals.setError(error, of: task)
    client.urlProtocol(loading, didFailWithError: error)
  }

  // MARK: The program's delegates

  /// Whether the session's delegate (or nobody) is called as things happen. Other callbacks get the body whole, and of
  /// several pieces they keep only the last.
  private var callsDelegate: Bool {
    guard let session, let callbacks = TaskCallbacks(of: task, in: session) else { return false }
    return callbacks.kind == .delegate
  }

  /// Whether a body is taken piece by piece.
  var takesPieces: Bool { task is URLSessionDataTask && callsDelegate }

  /// Whether a delegate of this one call hears of a body piece by piece, while its caller gets the whole.
  var hearsPiecesBeside: Bool {
    guard task is URLSessionDataTask, let session, TaskCallbacks(of: task, in: session)?.kind == .dataWithDelegate
    else { return false }
    return listener != nil
  }

  /// Whom Foundation tells of a task's progress: without a completion handler the delegate of the task or the session,
  /// else that of this one call. To read the latter takes a `Mirror`, about 60 µs.
  var listener: (any URLSessionTaskDelegate)? { listener(orOwn: { task.delegate }) }

  private func listener(orOwn own: () -> (any URLSessionDelegate)?) -> (any URLSessionTaskDelegate)? {
    guard let session, let row = TaskCallbacks(of: task, in: session)?.row else { return nil }
    switch TaskCallbacks.kind(of: row) {
    case .delegate: return own() as? any URLSessionTaskDelegate
    case .dataWithDelegate, .downloadWithDelegate: return TaskCallbacks.delegate(of: row)
    case .data, .download, nil: return nil
    }
  }

  /// The upload's progress, for a delegate that would have been told by the network.
  private func tellWhatWasSent() {
    if case .none = current.body { return }
    guard !isForeign, !hasToldWhatWasSent, let count = current.body.length, count > 0 else { return }
    let callsDelegate = callsDelegate
    TaskInternals.setSentBytes(callsDelegate ? count : 0, of: count, task: task)
    guard callsDelegate, let session, let delegate = session.delegate as? URLSessionTaskDelegate else { return }
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, task: task, didSendBodyData: count, totalBytesSent: count, totalBytesExpectedToSend: count)
    }
  }

  /// A piece of a body, for the delegate of this one call: the built-in classes tell it what the caller gets as a whole.
  func tellDelegate(_ piece: Data) {
    // Where a delegate stands in a row is looked at first: to read it takes a `Mirror`.
    guard let dataTask = task as? URLSessionDataTask, !piece.isEmpty, let session,
      let callbacks = TaskCallbacks(of: task, in: session), callbacks.mayHaveDataDelegate,
      let row = callbacks.row,
      let delegate = TaskCallbacks.delegate(of: row) as? any URLSessionDataDelegate
    else { return }
    session.delegateQueue.addOperation { delegate.urlSession(session, dataTask: dataTask, didReceive: piece) }
  }

  /// A download's progress, in bytes. Without a completion handler Foundation tells the session's delegate, also where
  /// the task has its own.
  func tellDelegate(wrote count: Int, inAll total: Int, of expected: Int64) {
    guard let session, let download = task as? URLSessionDownloadTask,
      let delegate = listener(orOwn: { session.delegate }) as? any URLSessionDownloadDelegate
    else { return }
    TaskInternals.setReceivedBytes(Int64(total), of: task)
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, downloadTask: download, didWriteData: Int64(count), totalBytesWritten: Int64(total),
        totalBytesExpectedToWrite: expected)
    }
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
  /// Never negative.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
