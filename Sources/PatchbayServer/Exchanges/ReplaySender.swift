import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends one request from the console itself and tells how it goes in the updates that a hook would send.
final class ReplaySender: NSObject, URLSessionDataDelegate, Sendable {
  private let key: UInt64
  private let startedAt = ContinuousClock.now
  private let bodyLimit: Int
  private let report: @Sendable (ExchangeUpdate) -> Void
  private let received = Mutex<Int64>(0)

  /// Headers that the loader sets by itself; sending them on would contradict what it does.
  private static let hopByHop = ["Host", "Content-Length", "Connection", "Transfer-Encoding", "Accept-Encoding"]

  private init(key: UInt64, bodyLimit: Int, report: @escaping @Sendable (ExchangeUpdate) -> Void) {
    self.key = key
    self.bodyLimit = bodyLimit
    self.report = report
  }

  /// Starts it. Throws where the URL cannot be sent to.
  static func send(
    _ recorded: RecordedRequest, key: UInt64, token: UInt64, revision: UInt64, bodyLimit: Int,
    report: @escaping @Sendable (ExchangeUpdate) -> Void
  ) throws(ServerError) {
    guard let url = URL(string: recorded.url), ["http", "https"].contains(url.scheme?.lowercased() ?? "") else {
      throw .badRequest("The request cannot be sent again because \(recorded.url) is no http or https URL.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = recorded.method
    request.httpBody = recorded.body
    for field in recorded.headers where !hopByHop.contains(where: { $0.caseInsensitiveEquals(field.name) }) {
      request.addValue(field.value, forHTTPHeaderField: field.name)
    }
    let sender = ReplaySender(key: key, bodyLimit: bodyLimit, report: report)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    let session = URLSession(configuration: configuration, delegate: sender, delegateQueue: nil)
    report(
      ExchangeUpdate(
        key: key,
        start: .init(at: .now, request: recorded, task: .data, revision: revision, replay: token)))
    session.dataTask(with: request).resume()
    session.finishTasksAndInvalidate()
  }

  private var elapsed: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - startedAt).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let hop = RedirectHop(
      status: response.statusCode, url: response.url?.absoluteString ?? "", headers: response.fields, at: elapsed)
    report(ExchangeUpdate(key: key, hops: [hop]))
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      report(
        ExchangeUpdate(key: key, head: .init(at: elapsed, status: response.statusCode, headers: response.fields)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let room = received.withLock { received in
      defer { received += Int64(data.count) }
      return max(0, bodyLimit - Int(received))
    }
    if room > 0 { report(ExchangeUpdate(key: key, data: Data(data.prefix(room)))) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let received = received.withLock { $0 }
    let hasResponse = task.response != nil
    let failure = (error as NSError?).map {
      RecordedError(domain: $0.domain, code: $0.code, message: $0.localizedDescription)
    }
    report(
      ExchangeUpdate(
        key: key,
        end: .init(
          at: elapsed, outcome: failure == nil ? .responded : .failed, error: failure,
          bytesSent: Int64(task.originalRequest?.httpBody?.count ?? 0), bytesReceived: received,
          responseTruncated: received > Int64(bodyLimit), hasBody: hasResponse && failure == nil)))
  }
}

extension HTTPURLResponse {
  fileprivate var fields: [HeaderField] {
    allHeaderFields.map { HeaderField("\($0.key)", "\($0.value)") }.sorted { $0.name < $1.name }
  }
}
