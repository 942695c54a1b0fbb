import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Listens in on one task's callbacks, by way of its row in the session's task registry. While it is installed the
/// built-in class calls the hook's listeners; before the framework's client is called it must be removed.
///
/// Used on the task's work queue only.
final class CallbackInterceptor {
  /// The pieces of the body come through ``BodyInterceptor``.
  let seesBody: Bool
  /// Whether the framework itself would have been told of the head.
  let expectsHead: Bool
  private let callbacks: TaskCallbacks
  private let own: Any
  private let row: Any?
  private var isInstalled = false

  init?(task: URLSessionTask, session: URLSession, recorder: ExchangeRecorder) {
    guard let callbacks = TaskCallbacks(of: task, in: session), let own = callbacks.row,
      let kind = TaskCallbacks.kind(of: own)
    else { return nil }
    let isData = task is URLSessionDataTask
    let rows = InterceptorRows.current
    let hasDelegate =
      kind == .dataWithDelegate && TaskCallbacks.hasDelegate(own, isThird: rows?.delegatesAreThird == true)
    self.callbacks = callbacks
    self.own = own
    switch kind {
    case .delegate where session.delegate is URLSessionTaskDelegate:
      row = isData ? rows?.body.value : nil
      seesBody = row != nil
      expectsHead = isData
    case .data where isData && TaskBody.isEmpty(of: task),
      .dataWithDelegate where isData && TaskBody.isEmpty(of: task) && !hasDelegate:
      row = rows?.head.value
      seesBody = false
      expectsHead = false
    default:
      row = nil
      seesBody = false
      expectsHead = hasDelegate
    }
    if seesBody { BodyInterceptor.shared.listen(to: task, for: recorder) }
  }

  /// Whether a delegate hears of a body piece by piece. To be asked on the task's work queue.
  static func hearsPieces(of task: URLSessionTask, in session: URLSession?) -> Bool {
    guard let session, session.delegate is URLSessionTaskDelegate else { return false }
    return TaskCallbacks(of: task, in: session)?.kind == .delegate
  }

  func install() {
    guard let row, !isInstalled else { return }
    isInstalled = callbacks.replace(with: row)
  }

  func remove() {
    guard isInstalled else { return }
    isInstalled = false
    callbacks.replace(with: own)
  }
}

/// Stands between the built-in class and a session's delegate while a task runs: notes each piece and hands it on.
/// One object for all tasks; called on each session's delegate queue.
final class BodyInterceptor: NSObject, URLSessionDataDelegate, Sendable {
  static let shared = BodyInterceptor()

  private let recorders = Mutex<[ObjectIdentifier: ExchangeRecorder]>([:])

  func listen(to task: URLSessionTask, for recorder: ExchangeRecorder) {
    recorders.withLock { $0[ObjectIdentifier(task)] = recorder }
  }

  func forget(_ task: URLSessionTask) {
    _ = recorders.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    recorders.withLock { $0[ObjectIdentifier(dataTask)] }?.piece(data)
    (session.delegate as? URLSessionDataDelegate)?.urlSession(session, dataTask: dataTask, didReceive: data)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let delegate = session.delegate as? URLSessionDataDelegate else { return completionHandler(.allow) }
    delegate.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    (session.delegate as? URLSessionTaskDelegate)?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }
}

/// Asks only for the response's head, which then comes through the client. Its callbacks are nobody's.
final class HeadInterceptor: NSObject, URLSessionTaskDelegate, Sendable {
  static let shared = HeadInterceptor()
}
