import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the program's delegates hear of an answer that is the hook's, where the framework's client does not tell them.
extension RequestRun {
  /// A piece of a body, for the delegate of this one call: the built-in classes tell it what the caller gets as a whole.
  func tellDelegate(_ piece: Data) {
    // Where a delegate stands in a row is looked at first: to have it is dear.
    guard let dataTask = task as? URLSessionDataTask, !piece.isEmpty, let session,
      let row = TaskCallbacks(of: task, in: session)?.row, TaskCallbacks.kind(of: row) == .dataWithDelegate,
      EnumCase.payloadWord(2, of: row) != 0,
      let delegate = TaskCallbacks.delegate(of: row) as? any URLSessionDataDelegate
    else { return }
    session.delegateQueue.addOperation { delegate.urlSession(session, dataTask: dataTask, didReceive: piece) }
  }

  /// A download's progress, in bytes.
  func tellDelegate(wrote count: Int, inAll total: Int, of expected: Int64) {
    guard let session, let download = task as? URLSessionDownloadTask,
      TaskCallbacks(of: task, in: session)?.kind == .delegate,
      let delegate = session.delegate as? any URLSessionDownloadDelegate
    else { return }
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, downloadTask: download, didWriteData: Int64(count), totalBytesWritten: Int64(total),
        totalBytesExpectedToWrite: expected)
    }
  }
}
