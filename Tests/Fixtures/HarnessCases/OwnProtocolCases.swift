import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Protocol classes of test libraries: how often, in which order and with what they are asked.
enum OwnProtocolCases {
  private static let log = Mutex<[String]>([])

  fileprivate static func note(_ line: String) { log.withLock { $0.append(line) } }

  private static func tell(_ context: HarnessContext) {
    let lines = log.withLock { log in
      defer { log = [] }
      return log
    }
    for line in lines { context.note(line) }
  }

  static let all: [HarnessCase] = [
    HarnessCase("who is asked, how often, in which order") { context in
      log.withLock { $0 = [] }
      let session = context.session { $0.protocolClasses = [First.self, Second.self] + ($0.protocolClasses ?? []) }
      for path in ["/json", "/chain/2", "/second", "/first", "/drop", "/basic?refused"] where path != "/basic?refused" {
        await context.finish { session.dataTask(with: context.url(path), completionHandler: $0) }
        tell(context)
      }
      let delegate = RecordingDelegate(context)
      let other = context.session(delegate: delegate) { $0.protocolClasses = session.configuration.protocolClasses }
      other.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8)).resume()
      await delegate.ends()
      other.downloadTask(with: context.url("/chain/1")).resume()
      await delegate.ends(2)
      tell(context)
    },
    HarnessCase("classes around Foundation's") { context in
      log.withLock { $0 = [] }
      for at in 0...3 {
        let session = context.session {
          var classes = $0.protocolClasses ?? []
          classes.insert(Second.self, at: min(at, classes.count))
          $0.protocolClasses = classes
        }
        for path in ["/json", "/second"] {
          await context.finish { session.dataTask(with: context.url(path), completionHandler: $0) }
        }
        tell(context)
      }
    },
    HarnessCase("only classes that take nothing") { context in
      log.withLock { $0 = [] }
      let session = context.session { $0.protocolClasses = [Second.self] }
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
      let url = URL(string: "own://a/b")!
      await context.finish { session.dataTask(with: url, completionHandler: $0) }
      tell(context)
    },
    HarnessCase("a class that is registered and taken away again") { context in
      log.withLock { $0 = [] }
      context.note("registered \(URLProtocol.registerClass(Late.self))")
      let session = context.session()
      for session in [session, .shared, context.session { $0.protocolClasses = [] }] {
        await context.finish { session.dataTask(with: context.url("/late"), completionHandler: $0) }
      }
      URLProtocol.unregisterClass(Late.self)
      await context.finish { URLSession.shared.dataTask(with: context.url("/late"), completionHandler: $0) }
      tell(context)
    },
    HarnessCase("what a class is given") { context in
      log.withLock { $0 = [] }
      let session = context.session {
        $0.protocolClasses = [Looking.self]
        $0.httpAdditionalHeaders = ["X-Session": "1"]
      }
      var request = context.request("/looking", "POST", body: Data("body".utf8))
      request.setValue("1", forHTTPHeaderField: "X-Own")
      let marked = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest
      if let marked { URLProtocol.setProperty("value", forKey: "key", in: marked) }
      for request in [request, marked.map { $0 as URLRequest } ?? request] {
        await context.finish { session.dataTask(with: request, completionHandler: $0) }
        await context.finish { session.uploadTask(with: request, from: Data("up".utf8), completionHandler: $0) }
      }
      tell(context)
    },
    HarnessCase("properties of a request") { context in
      let request = (context.request("/json") as NSURLRequest).mutableCopy() as? NSMutableURLRequest
      guard let request else { return context.note("no request") }
      URLProtocol.setProperty(7, forKey: "number", in: request)
      let session = context.session()
      let task = session.dataTask(with: request as URLRequest)
      task.resume()
      await task.isOver()
      for sent in [task.originalRequest, task.currentRequest, request as URLRequest] {
        context.note("\(sent.flatMap { URLProtocol.property(forKey: "number", in: $0) } ?? "nil")")
      }
    },
    HarnessCase("a class that sends on with the shared session") { context in
      log.withLock { $0 = [] }
      let session = context.session { $0.protocolClasses = [Forwarding.self] + ($0.protocolClasses ?? []) }
      for path in ["/json", "/chain/2", "/status/404", "/drop"] {
        await context.finish { session.dataTask(with: context.url(path), completionHandler: $0) }
      }
      let delegate = RecordingDelegate(context)
      let other = context.session(delegate: delegate) { $0.protocolClasses = [Forwarding.self] }
      other.dataTask(with: context.url("/json")).resume()
      await delegate.ends()
      tell(context)
    },
    HarnessCase("classes of a session, as the program finds them") { context in
      let own = context.session { $0.protocolClasses = [First.self, Second.self] }
      let classes = own.configuration.protocolClasses ?? []
      context.note("\(classes.prefix(2).map { "\($0)" }) \(classes.contains { $0 == First.self })")
      context.note("\(URLSessionConfiguration.default.protocolClasses?.map { "\($0)" } ?? [])")
      context.note("\(URLSessionConfiguration.ephemeral.protocolClasses?.map { "\($0)" } ?? [])")
    },
    HarnessCase("a class that answers by and by, and is stopped") { context in
      log.withLock { $0 = [] }
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate) { $0.protocolClasses = [Slow.self] }
      let task = session.dataTask(with: context.url("/slow"))
      task.resume()
      try await Task.sleep(for: .milliseconds(60))
      task.cancel()
      await delegate.ends()
      session.dataTask(with: context.url("/slow")).resume()
      await delegate.ends(2)
      tell(context)
    },
  ]
}

/// Answers with its name where its path is asked for.
private class Pathed: NamedMock {
  class var path: String { "" }

  override class func canInit(with request: URLRequest) -> Bool {
    OwnProtocolCases.note("\(self) asked \(request.httpMethod ?? "nil") \(request.url?.path ?? "nil")")
    return request.url?.path == path
  }
}

private final class First: Pathed { override class var path: String { "/first" } }
private final class Second: Pathed { override class var path: String { "/second" } }
private final class Late: Pathed { override class var path: String { "/late" } }
private final class Looking: Pathed {
  override class var path: String { "/looking" }

  override func startLoading() {
    let fields = (request.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value)" }.sorted()
    OwnProtocolCases.note("\(fields) \(request.httpBody?.count ?? -1) \(request.httpBodyStream == nil)")
    OwnProtocolCases.note("\(task.map { "\(type(of: $0)) \($0.state.rawValue)" } ?? "nil") \(cachedResponse == nil)")
    OwnProtocolCases.note("\(URLProtocol.property(forKey: "key", in: request) ?? "nil") \(client == nil)")
    super.startLoading()
  }
}

/// Sends on what it gets, as recording libraries do.
private final class Forwarding: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { true }

  override func startLoading() {
    nonisolated(unsafe) let mock = self  // It has one request, so that nobody else calls its client.
    let request = request
    DispatchQueue.global().async {
      URLSession.shared.dataTask(with: request) { data, response, error in
        guard let response else { return mock.client?.urlProtocol(mock, didFailWithError: error!) ?? () }
        mock.client?.urlProtocol(mock, didReceive: response, cacheStoragePolicy: .notAllowed)
        mock.client?.urlProtocol(mock, didLoad: data ?? Data())
        mock.client?.urlProtocolDidFinishLoading(mock)
      }.resume()
    }
  }
}

/// Answers in two pieces with a pause.
private final class Slow: NamedMock {
  private let isStopped = Mutex(false)

  override class func canInit(with request: URLRequest) -> Bool { true }

  override func startLoading() {
    OwnProtocolCases.note("started")
    nonisolated(unsafe) let mock = self  // It has one request, so that nobody else calls its client.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.15) {
      if !mock.isStopped.withLock({ $0 }) { mock.answer() }
    }
  }

  private func answer() {
    let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    for piece in ["one", "two"] { client?.urlProtocol(self, didLoad: Data(piece.utf8)) }
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {
    OwnProtocolCases.note("stopped")
    isStopped.withLock { $0 = true }
  }
}
