import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Classes of the program's own that answer requests, as test libraries have them.
enum MockCases {
  /// To be called before the program's first session: from then on Foundation asks its own classes first.
  static func register() { _ = URLProtocol.registerClass(RegisteredMock.self) }

  private static let mocked = URL(string: "http://registered.mock/x")!

  static let all: [HarnessCase] = [
    HarnessCase("a registered mock, session without classes") { context in
      for classes in [nil, []] as [[AnyClass]?] {
        let session = context.session { $0.protocolClasses = classes }
        await context.finish { session.dataTask(with: mocked, completionHandler: $0) }
        await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
        await context.attempt { try await session.data(from: context.url("/chain/2")) }
      }
    },
    HarnessCase("a registered mock, shared session") { context in
      await context.finish { URLSession.shared.dataTask(with: mocked, completionHandler: $0) }
      await context.finish { URLSession.shared.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("a registered mock, session with Foundation's classes") { context in
      let session = context.session()
      await context.finish { session.dataTask(with: mocked, completionHandler: $0) }
    },
    HarnessCase("a mock of a scheme of its own") { context in
      let session = context.session { $0.protocolClasses = [SchemeMock.self] }
      await context.finish { session.dataTask(with: URL(string: "mock://a/b")!, completionHandler: $0) }
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("a mock behind Foundation's classes is never asked") { context in
      let session = context.session { $0.protocolClasses = ($0.protocolClasses ?? []) + [EagerMock.self] }
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("a mock put in later") { context in
      let session = context.session()
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
      session.configuration.protocolClasses = [EagerMock.self] + (session.configuration.protocolClasses ?? [])
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("a mock that asks the network itself") { context in
      let session = context.session { $0.protocolClasses = [AskingMock.self] + ($0.protocolClasses ?? []) }
      var request = context.request("/json")
      request.setValue("1", forHTTPHeaderField: "X-Ask")
      await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("a mock that fails, with a delegate, upload and download") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate) { $0.protocolClasses = [FailingMock.self] }
      session.dataTask(with: context.url("/json")).resume()
      await delegate.ends()
      session.uploadTask(with: context.request("/json", "POST"), from: Data("u".utf8)).resume()
      await delegate.ends(2)
      session.downloadTask(with: context.url("/json")).resume()
      await delegate.ends(3)
    },
  ]
}

/// Answers with its name.
class NamedMock: URLProtocol {
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("\(type(of: self))".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

private final class RegisteredMock: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "registered.mock" }
}

private final class SchemeMock: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "mock" }
}

private final class EagerMock: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { true }
}

private final class FailingMock: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { true }

  override func startLoading() { client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet)) }
}

/// Sends the request on in a session of its own, away from the queue that all sessions share.
private final class AskingMock: NamedMock {
  override class func canInit(with request: URLRequest) -> Bool { request.value(forHTTPHeaderField: "X-Ask") != nil }

  override func startLoading() {
    var request = request
    request.setValue(nil, forHTTPHeaderField: "X-Ask")
    nonisolated(unsafe) let mock = self  // It has one request, so that nobody else calls its client.
    DispatchQueue.global().async { [request] in
      URLSession(configuration: .ephemeral).dataTask(with: request) { data, response, error in
        guard let response else { return mock.client?.urlProtocol(mock, didFailWithError: error!) ?? () }
        mock.client?.urlProtocol(mock, didReceive: response, cacheStoragePolicy: .notAllowed)
        mock.client?.urlProtocol(mock, didLoad: (data ?? Data()) + Data(" asked".utf8))
        mock.client?.urlProtocolDidFinishLoading(mock)
      }.resume()
    }
  }
}
