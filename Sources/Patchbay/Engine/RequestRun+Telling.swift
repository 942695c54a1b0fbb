import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the program's delegates hear of an answer that is the hook's, where the framework's client does not tell them.
extension RequestRun {
  /// Whom Foundation tells of a task's progress: without a completion handler the delegate of the task or the session,
  /// else that of this one call. To have the latter is dear.
  var listener: (any URLSessionTaskDelegate)? { listener(orOwn: { task.delegate }) }

  private func listener(orOwn own: () -> (any URLSessionDelegate)?) -> (any URLSessionTaskDelegate)? {
    guard let session, let row = TaskCallbacks(of: task, in: session)?.row else { return nil }
    switch TaskCallbacks.kind(of: row) {
    case .delegate: return own() as? any URLSessionTaskDelegate
    case .dataWithDelegate, .downloadWithDelegate: return TaskCallbacks.delegate(of: row)
    case .data, .download, nil: return nil
    }
  }

  /// Whether a delegate of this one call hears of a body piece by piece, while its caller gets the whole.
  var hearsPiecesBeside: Bool {
    guard task is URLSessionDataTask, let session, TaskCallbacks(of: task, in: session)?.kind == .dataWithDelegate
    else { return false }
    return listener != nil
  }

  /// A piece of a body, for the delegate of this one call: the built-in classes tell it what the caller gets as a whole.
  func tellDelegate(_ piece: Data) {
    // Where a delegate stands in a row is looked at first: to have it is dear.
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
