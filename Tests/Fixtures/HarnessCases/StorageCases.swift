import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Caches, cookies and credentials, as the program keeps them.
enum StorageCases {
  static let all: [HarnessCase] = caches + cookies + credentials

  private static let policies: [(String, NSURLRequest.CachePolicy)] = [
    ("protocol", .useProtocolCachePolicy), ("reload", .reloadIgnoringLocalCacheData),
    ("reload all", .reloadIgnoringLocalAndRemoteCacheData), ("cache else load", .returnCacheDataElseLoad),
    ("cache only", .returnCacheDataDontLoad), ("revalidate", .reloadRevalidatingCacheData),
  ]

  private static let caches: [HarnessCase] =
    policies.flatMap { name, policy in
      [
        HarnessCase("cache policy \(name), handler") { context in
          let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
          let session = context.session { $0.urlCache = cache }
          var request = context.request("/cached?for=\(context.transcript.token)")
          for number in 0..<3 {
            if number > 0 { request.cachePolicy = policy }
            await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
            context.note("kept \(cache.cachedResponse(for: request)?.data.count ?? -1)")
          }
        },
        HarnessCase("cache policy \(name), delegate and download") { context in
          let delegate = RecordingDelegate(context)
          let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
          let session = context.session(delegate: delegate) {
            $0.urlCache = cache
            $0.requestCachePolicy = policy
          }
          let url = context.url("/cached?for=\(context.transcript.token)")
          session.dataTask(with: url).resume()
          await delegate.ends()
          session.dataTask(with: url).resume()
          await delegate.ends(2)
          session.downloadTask(with: url).resume()
          await delegate.ends(3)
        },
      ]
    } + [
      HarnessCase("a response put into the cache by the program") { context in
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let session = context.session { $0.urlCache = cache }
        var request = context.request("/json")
        let head = HTTPURLResponse(
          url: request.url!, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=60"])!
        cache.storeCachedResponse(CachedURLResponse(response: head, data: Data("kept".utf8)), for: request)
        request.cachePolicy = .returnCacheDataElseLoad
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        cache.removeAllCachedResponses()
        request.cachePolicy = .returnCacheDataDontLoad
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
      },
      HarnessCase("what a delegate lets be kept") { context in
        for keeps in [true, false] {
          let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
          let delegate = KeepingDelegate(context, keeps: keeps)
          let session = context.session(delegate: delegate) { $0.urlCache = cache }
          let task = session.dataTask(with: context.url("/cached?for=\(context.transcript.token)&\(keeps)"))
          task.resume()
          await task.isOver()
          try await Task.sleep(for: .milliseconds(30))
          context.note("kept \(cache.cachedResponse(for: task.originalRequest!)?.data.count ?? -1)")
        }
      },
      HarnessCase("POST, redirects and failures are not kept") { context in
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let session = context.session { $0.urlCache = cache }
        for request in [
          context.request("/cached?for=\(context.transcript.token)p", "POST", body: Data("x".utf8)),
          context.request("/chain/1"), context.request("/status/404"), context.request("/cut"),
        ] {
          await context.finish { session.dataTask(with: request, completionHandler: $0) }
          context.note("kept \(cache.cachedResponse(for: request)?.data.count ?? -1)")
        }
        context.note("\(cache.currentMemoryUsage)")
      },
    ]

  private static let cookies: [HarnessCase] =
    [HTTPCookie.AcceptPolicy.always, .never, .onlyFromMainDocumentDomain].map { policy in
      HarnessCase("cookie policy \(policy.rawValue)") { context in
        let session = context.session { $0.httpCookieAcceptPolicy = policy }
        await context.finish { session.dataTask(with: context.url("/cookie/set?hop=2"), completionHandler: $0) }
        await context.finish { session.dataTask(with: context.url("/cookie/hop"), completionHandler: $0) }
        let delegate = RecordingDelegate(context)
        let other = context.session(delegate: delegate) {
          $0.httpCookieStorage = session.configuration.httpCookieStorage
        }
        other.downloadTask(with: context.url("/cookie/hop")).resume()
        await delegate.ends()
        context.note(cookies: session)
      }
    } + [
      HarnessCase("cookies of the program's own") { context in
        let session = context.session()
        let cookie = HTTPCookie(properties: [
          .name: "own", .value: "v", .domain: "127.0.0.1", .path: "/echo", .expires: Date(timeIntervalSinceNow: 100),
        ])
        session.configuration.httpCookieStorage?.setCookie(cookie!)
        for path in ["/echo", "/redirect/302?to=/echo", "/json"] {
          await context.finish { session.dataTask(with: context.url(path), completionHandler: $0) }
        }
        await context.finish {
          session.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8), completionHandler: $0)
        }
        var request = context.request("/redirect/307?to=/echo")
        request.setValue("mine=1", forHTTPHeaderField: "Cookie")
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        request.httpShouldHandleCookies = false
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        context.note(cookies: session)
      },
      HarnessCase("cookies of the shared storage") { context in
        let session = context.session(default: true)
        let storage = HTTPCookieStorage.shared
        await context.finish { session.dataTask(with: context.url("/cookie/set?shared=1"), completionHandler: $0) }
        await context.finish { URLSession.shared.dataTask(with: context.url("/echo"), completionHandler: $0) }
        context.note(cookies: session)
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
      },
      HarnessCase("a session that is reset") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/cookie/set?a=1"), completionHandler: $0) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          session.reset { continuation.resume() }
        }
        context.note(cookies: session)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          session.flush { continuation.resume() }
        }
        await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
      },
    ]

  private static let credentials: [HarnessCase] =
    ["right", "wrong", "none"].flatMap { kind in
      [
        HarnessCase("a stored credential that is \(kind), delegate", waits: true) { context in
          let delegate = RecordingDelegate(context, .init(tries: 2))
          let session = context.session(delegate: delegate) { store(kind, context, in: $0) }
          let task = session.dataTask(with: context.url("/basic"))
          // Foundation never ends some of them.
          DispatchQueue.global().asyncAfter(deadline: .now() + 1) { if task.state == .running { task.cancel() } }
          task.resume()
          await delegate.ends()
        },
        HarnessCase("a stored credential that is \(kind), handler", waits: true) { context in
          let session = context.session { store(kind, context, in: $0) }
          await context.finish { handler in
            let task = session.dataTask(with: context.url("/basic"), completionHandler: handler)
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { if task.state == .running { task.cancel() } }
            return task
          }
        },
      ]
    }
    + [URLSession.AuthChallengeDisposition.rejectProtectionSpace, .performDefaultHandling].map {
      disposition in
      HarnessCase("a challenge answered by \(disposition.rawValue) without a credential", waits: true) { context in
        let delegate = RecordingDelegate(context, .init(disposition: disposition, tries: 2))
        let task = context.session(delegate: delegate).dataTask(with: context.url("/basic"))
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { if task.state == .running { task.cancel() } }
        task.resume()
        await delegate.ends()
      }
    }

  private static func store(_ kind: String, _ context: HarnessContext, in configuration: URLSessionConfiguration) {
    guard kind != "none", let url = URL(string: context.base), let host = url.host else { return }
    let password = kind == "right" ? "secret" : "guess"
    let space = URLProtectionSpace(
      host: host, port: url.port ?? 80, protocol: "http", realm: "patchbay",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let credential = URLCredential(user: "user", password: password, persistence: .forSession)
    configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
  }
}

/// Says what may be kept.
private final class KeepingDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let context: HarnessContext
  private let keeps: Bool

  init(_ context: HarnessContext, keeps: Bool) {
    self.context = context
    self.keeps = keeps
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    context.note("asked \(proposedResponse.data.count) \(proposedResponse.storagePolicy.rawValue)")
    completionHandler(keeps ? proposedResponse : nil)
  }
}

extension HarnessContext {
  fileprivate func note(cookies session: URLSession) {
    let cookies = (session.configuration.httpCookieStorage?.cookies ?? []).map { "\($0.name)=\($0.value) \($0.path)" }
    note("cookies \(cookies.sorted())")
  }
}
