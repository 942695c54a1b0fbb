import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hands one answer to the framework's client: head, body whole or in pieces, and the end, good or bad. Used on the
/// task's work queue only.
final class Delivery: @unchecked Sendable {
  private let run: RequestRun
  private let response: ResolvedResponse
  private let error: (any Error)?
  private var pieces: ArraySlice<Data>
  private let pause: Double

  init(_ run: RequestRun, _ response: ResolvedResponse, failing error: (any Error)?) {
    self.run = run
    self.response = response
    self.error = error
    if response.pace == nil {
      pieces = []
      pause = 0
    } else {
      let pacing = PacedBody(response.body, pace: response.pace)
      pieces = pacing.pieces[...]
      pause = pacing.pause
    }
  }

  func start() {
    guard let loading = run.loading else { return }
    guard let (head, expected) = response.head().map({ ($0.response, $0.expected) }) else {
      return run.fail(with: FaultError.urlError(.badServerResponse, url: response.url))
    }
    let isDownload = run.task is URLSessionDownloadTask
    if pause == 0, !isDownload {
      let hasBody = !response.body.isEmpty || error == nil
      run.recorder.whole(response.status, response.headers, body: hasBody ? response.body : nil)
    } else {
      run.recorder.restart()
      run.recorder.head(response.status, .list(response.headers), soon: pause == 0)
    }
    sayWhatWasSent()
    TaskInternals.setExpectedBytes(response.expected ?? expected, of: run.task)
    run.client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    if isDownload { return download(head) }
    guard pause == 0 else { return paced(head, whole: !wantsPieces) }
    if !response.body.isEmpty {
      run.tellDelegate(response.body)
      run.client.urlProtocol(loading, didLoad: response.body)
    }
    finish(head)
  }

  /// Whether the task's callbacks take the body piece by piece; the others keep only the last piece.
  private var wantsPieces: Bool {
    guard let session = run.session, let callbacks = TaskCallbacks(of: run.task, in: session) else { return false }
    return callbacks.kind == .delegate
  }

  private func paced(_ head: HTTPURLResponse, whole: Bool) {
    guard let piece = pieces.popFirst() else {
      if whole, !response.body.isEmpty, let loading = run.loading {
        run.client.urlProtocol(loading, didLoad: response.body)
      }
      return finish(head)
    }
    run.wait(pause) { [self] in
      guard let loading = run.loading else { return }
      run.recorder.piece(piece)
      if whole { run.tellDelegate(piece) } else { run.client.urlProtocol(loading, didLoad: piece) }
      paced(head, whole: whole)
    }
  }

  private func finish(_ head: HTTPURLResponse) {
    if let error { return run.fail(with: error) }
    run.finish(head)
  }

  // MARK: Uploads

  /// The upload's progress, for a delegate that would have been told by the network.
  private func sayWhatWasSent() {
    guard case .none = run.current.body else {
      guard !run.isForeign, !run.hasToldWhatWasSent, let count = run.current.body.length, count > 0 else { return }
      TaskInternals.setSentBytes(wantsPieces ? count : 0, of: count, task: run.task)
      guard wantsPieces,
        let session = run.session,
        let delegate = session.delegate as? URLSessionTaskDelegate
      else { return }
      let task = run.task
      return session.delegateQueue.addOperation {
        delegate.urlSession(
          session, task: task, didSendBodyData: count, totalBytesSent: count, totalBytesExpectedToSend: count)
      }
    }
  }

  // MARK: Downloads

  /// The file comes last, so that none is left where the program cancels before.
  private func download(_ head: HTTPURLResponse, written: Int = 0) {
    if pause > 0, let piece = pieces.popFirst() {
      return run.wait(pause) { [self] in
        run.recorder.piece(piece)
        progress(piece.count, of: written + piece.count)
        download(head, written: written + piece.count)
      }
    }
    guard error == nil else { return handOver(head, nil) }
    guard let queue = run.queue, response.body.count > 65_536 else {
      return handOver(head, DownloadedFile.make(response.body))
    }
    let body = response.body
    HookQueue.shared.async {
      let file = DownloadedFile.make(body)
      queue.async { [self] in
        guard !run.isEnded, run.task.state != .canceling else {
          file.map(DownloadedFile.remove)
          return
        }
        guard run.task.state == .suspended else { return handOver(head, file) }
        run.stage = .waiting { self.handOver(head, file) }
      }
    }
  }

  private func handOver(_ head: HTTPURLResponse, _ file: URL?) {
    if error == nil {
      guard let file, let loading = run.loading, ProtocolProperties.set("temporaryFileURL", to: file, of: loading)
      else {
        file.map(DownloadedFile.remove)
        run.snapshot.sink?.notice(
          "A stub for the download \(response.url) could not be delivered: no temporary file; stub it as a data task.")
        return run.fail(with: FaultError.urlError(.cannotCreateFile, url: response.url))
      }
    }
    if pause == 0 {
      run.recorder.piece(response.body, soon: true)
      if !response.body.isEmpty { progress(response.body.count, of: response.body.count) }
    }
    finish(head)
  }

  private func progress(_ count: Int, of total: Int) {
    run.tellDelegate(wrote: count, inAll: total, of: response.expected ?? Int64(response.body.count))
  }
}
