import Foundation
import Patchbay
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The demo's harness: an app of a bookshop that talks to its API for as long as the console lives.
package struct DemoHarness: Sendable {
  private let shop: DemoShop

  /// - Parameter port: where the demo's server listens on loopback.
  package init(port: Int) {
    shop = DemoShop(port: port)
  }

  /// Goes through its day again and again until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      await shop.signIn()
      // On the connection that signing in has left free: with one that it has just made, Foundation keeps a processor busy
      // until the answer is there, which takes three seconds.
      async let news: Void = shop.followNews()
      for step in shop.day {
        try? await Task.sleep(for: .milliseconds(350))
        if Task.isCancelled { break }
        await step()
      }
      try? await Task.sleep(for: .milliseconds(350))
      await news
    }
  }
}

extension DemoHarness {
  /// Attaches this process to the console that `PATCHBAY_SOCKET` names.
  package static func attach() {
    ProcessInfo.processInfo.processName = "demo"
    Patchbay.attach()
  }
}

/// The requests that the bookshop's app makes: each kind of URLSession task at least once.
private struct DemoShop: Sendable {
  private let session: URLSession
  private let reader = DemoNewsReader()
  private let port: Int

  init(port: Int) {
    self.port = port
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["User-Agent": "Komorebi/2.1 (demo)", "Accept-Language": "ja, en"]
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = 15
    // In a console whose Foundation is linked into it nothing else reaches a session.
    session = URLSession(configuration: configuration.patched(), delegate: reader, delegateQueue: nil)
  }

  /// The rest of one day, in order, at a pace that a person can follow. The list of books, which the headless demo stubs
  /// half-way, comes every few seconds, so that a demo of any length shows the difference.
  var day: [@Sendable () async -> Void] {
    [
      { await list(page: 1) }, { await detail(42) }, cover, { await list(page: 2) }, review, latest,
      { await list(page: 1) }, order, photo, { await list(page: 3) }, impatientSearch, { await list(page: 2) },
      recommendations, { await list(page: 1) }, { await detail(2) }, { await get("/v1/wishlist") },
    ]
  }

  func signIn() async {
    var request = request("POST", "/v1/sessions")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"email":"hanako@example.jp","password":"ひみつ"}"#.utf8)
    await send(request)
  }

  func list(page: Int) async { await get("/v1/books?page=\(page)") }

  func detail(_ id: Int) async { await get("/v1/books/\(id)") }

  @Sendable func latest() async { await get("/v1/latest") }

  @Sendable func order() async { await get("/v1/orders/9001") }

  @Sendable func recommendations() async { await get("/v1/recommendations") }

  @Sendable func cover() async {
    guard let (file, _) = try? await session.download(for: request("GET", "/covers/42.png", host: "img")) else {
      return
    }
    try? FileManager.default.removeItem(at: file)
  }

  @Sendable func review() async {
    var request = request("POST", "/v1/reviews")
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data("book=42&stars=5&text=%E3%81%A8%E3%81%A6%E3%82%82%E8%89%AF%E3%81%8B%E3%81%A3%E3%81%9F".utf8)
    await send(request)
  }

  @Sendable func photo() async {
    var request = request("PUT", "/v1/photos/7", host: "img")
    request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    _ = try? await session.upload(for: request, from: Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
  }

  /// A search that its user does not wait for.
  @Sendable func impatientSearch() async {
    let search = Task { await get("/v1/search?q=%E6%98%9F%E7%A9%BA") }
    try? await Task.sleep(for: .milliseconds(700))
    search.cancel()
    await search.value
  }

  /// Server-sent events, read as they come.
  func followNews() async {
    await reader.read(session.dataTask(with: request("GET", "/v1/events")))
  }

  func get(_ path: String) async { await send(request("GET", path)) }

  private func send(_ request: URLRequest) async {
    _ = try? await session.data(for: request)
  }

  private func request(_ method: String, _ path: String, host: String = "api") -> URLRequest {
    var request = URLRequest(url: URL(string: "http://\(host).komorebi.localhost:\(port)\(path)")!)
    request.httpMethod = method
    request.setValue("Bearer demo-4f1c9a", forHTTPHeaderField: "Authorization")
    return request
  }
}

/// Reads streams of server-sent events, one after the other, through a session's delegate.
private final class DemoNewsReader: NSObject, URLSessionDataDelegate {
  private let waiting = Mutex<(task: URLSessionTask, end: CheckedContinuation<Void, Never>)?>(nil)

  /// To its end.
  func read(_ task: URLSessionDataTask) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { end in
        waiting.withLock { $0 = (task, end) }
        task.resume()
      }
    } onCancel: {
      // Not from here: a task that is being cancelled is locked with all below it, and Foundation's cancelling waits for
      // its queue, which may be waiting for that lock with the end of another request.
      DispatchQueue.global().async { task.cancel() }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let end = waiting.withLock { waiting in
      guard waiting?.task === task else { return nil as CheckedContinuation<Void, Never>? }
      defer { waiting = nil }
      return waiting?.end
    }
    end?.resume()
  }
}
