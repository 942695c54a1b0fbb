import Dispatch
import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request that is not the task's own any more, or whose answer is to be changed, in a session of the hook's
/// that is configured like the program's. Used on the task's work queue only; the session itself calls back on the
/// hook's queue.
final class DetachedLoader: @unchecked Sendable {
  let run: RequestRun
  let changes: PassChanges
  let request: RequestSnapshot
  var transfer: DetachedTransfer?
  var body = Data()
  var head: HTTPURLResponse?
  /// The head as the program gets it, where that is before the body.
  var changedHead: HTTPURLResponse?
  /// The program has refused a redirect, which is the answer then.
  var isRefused = false
  /// The file of a download.
  var file: URL?
  let outlet = PieceOutlet()
  private var isSuspended = false
  var isCancelled = false
  /// What the program would hear while an answer comes.
  let hears: Hearing
  /// The same, or nothing where more than the head is to be changed.
  let hearing: Hearing
  /// How it is sent: a download's body is written as it comes where nothing but its head is to be changed.
  let kind: DetachedTransfer.Kind
  /// Cookies are kept from the answers as the program gets them, and not as they come.
  let keepsCookies: Bool

  /// What a program's delegates hear while an answer comes.
  enum Hearing {
    /// Nothing before the end.
    case nothing
    /// The head, and each piece, which is all that there is of the body.
    case pieces
    /// The same, by a delegate of this one call; its caller gets the body as a whole.
    case piecesBeside
  }

  init(_ run: RequestRun, changes: PassChanges) {
    self.run = run
    self.changes = changes
    var request = run.current
    if case .stream(let tee?) = request.body, let stream = request.request.httpBodyStream {
      request.request.httpBodyStream = NotingStream(stream, tee)
    }
    // A redirect may lead to `HTTP:`, with which no task can begin.
    if run.isForeign, let url = request.request.url, let scheme = url.scheme, scheme != scheme.lowercased() {
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
      parts?.scheme = scheme.lowercased()
      request.request.url = parts?.url ?? url
    }
    self.request = request
    keepsCookies = run.holdsResponse || changes.changesCookies
    let isAsSent = !changes.needsWholeBody && changes.pace == nil && !run.holdsResponse
    hears = run.takesPieces ? .pieces : run.hearsPiecesBeside ? .piecesBeside : .nothing
    hearing = isAsSent ? hears : .nothing
    switch run.task {
    case is URLSessionUploadTask: kind = .upload
    case is URLSessionDownloadTask where isAsSent && request.hasNoStream: kind = .download
    default: kind = .data
    }
  }

  func start() {
    guard let queue = run.queue else { return }
    run.hasToldWhatWasSent = true
    let configuration = run.session?.configuration ?? .ephemeral
    HookQueue.shared.async { [self] in
      let transfer = DetachedTransfer(
        request, as: kind, configuration: configuration, storesCookies: !keepsCookies,
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
    outlet.close()
    removeFile()
    transfer?.cancel()
  }

  /// On the transfer's own queue.
  private func goesShort(_ event: TransferEvent) -> Bool {
    switch event {
    case .data(let data): return outlet.take(data)
    case .redirect, .challenge, .head, .end: outlet.close()
    case .stream, .sent, .written, .file: break
    }
    return false
  }

  private func received(_ event: TransferEvent) {
    defer { if case .data = event { outlet.arrived() } }
    guard !isCancelled, !run.isEnded else { return event.discard() }
    if event.isCounted { count() }
    switch event {
    case .redirect(let response, let next, let answer): redirected(response, to: next, answer)
    case .challenge(let challenge, let answer): challenged(challenge, answer)
    case .stream(let answer): askForStream(answer)
    case .sent(let count, let total, let expected): sent(count, total, expected)
    case .head(let response): begin(response)
    case .data(let data): loaded(data)
    case .written(let count, let total, let expected):
      run.tellDelegate(wrote: Int(count), inAll: Int(total), of: expected)
    case .file(let location): file = location
    case .end(let response, let error): finish(response, error)
    }
  }

  /// What a program may look at in its task.
  private func count() {
    guard let transfer else { return }
    if transfer.expectedToReceive != 0 { TaskInternals.setExpectedBytes(transfer.expectedToReceive, of: run.task) }
    let sent = run.listener == nil ? 0 : transfer.sent
    guard transfer.expectedToSend != 0 || sent != 0 else { return }
    TaskInternals.setSentBytes(sent, of: transfer.expectedToSend, task: run.task)
  }

  func removeFile() {
    guard let file else { return }
    self.file = nil
    DownloadedFile.remove(file)
  }
}
