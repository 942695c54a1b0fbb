import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Stands between the built-in class and a session's delegate while a task runs: notes each piece and hands it on.
/// One object for all tasks; called on each session's delegate queue.
final class BodyTap: NSObject, URLSessionDataDelegate, Sendable {
  static let shared = BodyTap()

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
final class HeadTap: NSObject, URLSessionTaskDelegate, Sendable {
  static let shared = HeadTap()
}
