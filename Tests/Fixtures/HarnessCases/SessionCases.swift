import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a session adds: headers, cookies, caches, credentials, its own end, its own protocols.
enum SessionCases {
  static let all: [HarnessCase] = [
    HarnessCase("headers of the session") { context in
      let session = context.session { $0.httpAdditionalHeaders = ["X-Session": "s", "X-Both": "session"] }
      var request = context.request("/echo")
      request.setValue("request", forHTTPHeaderField: "x-both")
      await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("cookies are kept and sent") { context in
      let session = context.session()
      await context.finish { session.dataTask(with: context.url("/cookie/set?a=1"), completionHandler: $0) }
      await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
      let cookies = session.configuration.httpCookieStorage?.cookies ?? []
      context.note(cookies.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "; "))
    },
    HarnessCase("cookies are not wanted") { context in
      let session = context.session {
        $0.httpShouldSetCookies = false
        $0.httpCookieAcceptPolicy = .never
      }
      await context.finish { session.dataTask(with: context.url("/cookie/set?a=1"), completionHandler: $0) }
      await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
    },
    HarnessCase("cache, handler") { context in
      let session = context.session { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) }
      for _ in 0..<2 {
        await context.attempt { try await session.data(from: context.url("/cached?for=\(context.transcript.token)")) }
      }
    },
    HarnessCase("cache, delegate") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate) {
        $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
      }
      for number in 1...2 {
        session.dataTask(with: context.url("/cached?for=\(context.transcript.token)")).resume()
        await delegate.ends(number)
      }
    },
    HarnessCase("credential of the delegate") { context in
      let credential = URLCredential(user: "user", password: "secret", persistence: .none)
      let delegate = RecordingDelegate(context, .init(credential: credential, disposition: .useCredential))
      context.session(delegate: delegate).dataTask(with: context.url("/basic")).resume()
      await delegate.ends()
    },
    HarnessCase("challenge refused by the delegate") { context in
      let delegate = RecordingDelegate(context, .init(disposition: .cancelAuthenticationChallenge))
      context.session(delegate: delegate).dataTask(with: context.url("/basic")).resume()
      await delegate.ends()
    },
    HarnessCase("finish tasks and invalidate") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate)
      session.dataTask(with: context.url("/delay?ms=50")).resume()
      session.finishTasksAndInvalidate()
      await delegate.ends(2)
    },
    HarnessCase("invalidate and cancel") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate)
      session.dataTask(with: context.url("/hang")).resume()
      try await Task.sleep(for: .milliseconds(100))
      session.invalidateAndCancel()
      await delegate.ends(2)
    },
    HarnessCase("a mock of the program's own") { context in
      let session = context.session { $0.protocolClasses = [OwnMock.self] + ($0.protocolClasses ?? []) }
      await context.finish { session.dataTask(with: URL(string: "http://own.mock/x")!, completionHandler: $0) }
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("64 in parallel") { context in
      let session = context.session()
      let sizes = await withTaskGroup(of: Int.self) { group in
        for number in 0..<64 {
          group.addTask { (try? await session.data(from: context.url("/bytes?n=\(number)")))?.0.count ?? -1 }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      context.note("\(sizes.sorted())")
    },
    HarnessCase("32 sessions at once") { context in
      let sizes = await withTaskGroup(of: Int.self) { group in
        for number in 0..<32 {
          group.addTask {
            let session = context.session()
            defer { session.finishTasksAndInvalidate() }
            return (try? await session.data(from: context.url("/bytes?n=\(number)")))?.0.count ?? -1
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      context.note("\(sizes.sorted())")
    },
    HarnessCase("the default configuration") { context in
      let session = context.session(default: true)
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("all tasks of a session") { context in
      let session = context.session()
      let task = session.dataTask(with: context.url("/hang")) { _, _, error in context.note(error) }
      task.resume()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.getAllTasks { tasks in
          context.note("tasks \(tasks.count) same \(tasks.first === task)")
          continuation.resume()
        }
      }
      task.cancel()
      while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
    },
  ]
}

/// A mock as unit tests have it.
private final class OwnMock: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "own.mock" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let response = HTTPURLResponse(url: request.url!, statusCode: 299, httpVersion: nil, headerFields: ["X-Own": "1"])!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("own".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
