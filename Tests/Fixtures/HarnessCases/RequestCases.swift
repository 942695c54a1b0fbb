import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request says of itself, and what arrives of it.
enum RequestCases {
  typealias Change = @Sendable (inout URLRequest) -> Void

  private static let changes: [(String, String, Change)] = [
    ("no method", "GET", { $0.httpMethod = nil }),
    ("an empty method", "GET", { $0.httpMethod = "" }),
    (
      "a field twice", "GET",
      {
        $0.addValue("1", forHTTPHeaderField: "X-A")
        $0.addValue("2", forHTTPHeaderField: "x-a")
      }
    ),
    ("an empty field", "GET", { $0.setValue("", forHTTPHeaderField: "X-Empty") }),
    ("a field of spaces", "GET", { $0.setValue("  ", forHTTPHeaderField: "X-Spaces") }),
    ("a field with a line's end", "GET", { $0.setValue("a\r\nX-B: b", forHTTPHeaderField: "X-A") }),
    ("a field in Japanese", "GET", { $0.setValue("花子", forHTTPHeaderField: "X-Name") }),
    (
      "its own length", "POST",
      {
        $0.httpBody = Data("abc".utf8)
        $0.setValue("3", forHTTPHeaderField: "Content-Length")
      }
    ),
    ("its own agent", "GET", { $0.setValue("me/1", forHTTPHeaderField: "User-Agent") }),
    ("its own credential", "GET", { $0.setValue("Basic dXNlcjpzZWNyZXQ=", forHTTPHeaderField: "Authorization") }),
    ("its own cookie", "GET", { $0.setValue("a=b", forHTTPHeaderField: "Cookie") }),
    ("a range", "GET", { $0.setValue("bytes=1-2", forHTTPHeaderField: "Range") }),
    ("close", "GET", { $0.setValue("close", forHTTPHeaderField: "Connection") }),
    (
      "an expectation", "POST",
      {
        $0.httpBody = Data("abc".utf8)
        $0.setValue("100-continue", forHTTPHeaderField: "Expect")
      }
    ),
    ("no cookies", "GET", { $0.httpShouldHandleCookies = false }),
    ("a service type", "GET", { $0.networkServiceType = .voice }),
    ("a main document", "GET", { $0.mainDocumentURL = URL(string: "http://main.example") }),
    ("no mobile network", "GET", { $0.allowsCellularAccess = false }),
    (
      "a field taken away", "GET",
      {
        $0.setValue("1", forHTTPHeaderField: "X")
        $0.setValue(nil, forHTTPHeaderField: "X")
      }
    ),
    ("all fields at once", "GET", { $0.allHTTPHeaderFields = ["A": "1", "b": "2"] }),
    (
      "a type in small letters", "POST",
      {
        $0.httpBody = Data("{}".utf8)
        $0.setValue("application/json", forHTTPHeaderField: "content-type")
      }
    ),
    ("a big body", "POST", { $0.httpBody = Data(repeating: 65, count: 3_000_000) }),
    ("a long field", "GET", { $0.setValue(String(repeating: "x", count: 30_000), forHTTPHeaderField: "X-Long") }),
    ("a body with HEAD", "HEAD", { $0.httpBody = Data("b".utf8) }),
    ("a body with DELETE", "DELETE", { $0.httpBody = Data("b".utf8) }),
  ]

  static let all: [HarnessCase] =
    changes.flatMap { name, method, change in
      [
        HarnessCase("request with \(name), handler") { context in
          var request = context.request("/echo", method)
          change(&request)
          let session = context.session()
          await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        },
        HarnessCase("request with \(name), delegate, redirected") { context in
          // Foundation waits for ever for the body that it does not send again.
          guard name != "its own length" else { return }
          var request = context.request("/redirect/307?to=/echo", method)
          change(&request)
          let delegate = RecordingDelegate(context)
          let task = context.session(delegate: delegate).dataTask(with: request)
          task.resume()
          await delegate.ends()
          context.note(requests: task)
        },
      ]
    } + urls + connections

  private static let urls: [HarnessCase] =
    [
      "", "/?", "?q", "/a b".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "", "//x//y", "/;p",
      "/%00", "/" + String(repeating: "l", count: 9_000), "/echo?" + String(repeating: "q=1&", count: 2_000), "/echo#f",
    ].enumerated().map {
      number, path in
      HarnessCase("URL \(number)") { context in
        guard let url = URL(string: context.base + path) else { return context.note("no URL") }
        let session = context.session()
        await context.finish { session.dataTask(with: url, completionHandler: $0) }
      }
    }
    + [
      "http://localhost:", "http://user:secret@127.0.0.1:", "http://127.1:", "https://127.0.0.1:", "http://[::1]:",
      "http://127.0.0.1.:", "HTTPS://LOCALHOST:",
    ].map { start in
      HarnessCase("URL that starts with \(start)") { context in
        let port = URL(string: context.base)?.port ?? 80
        let session = context.session()
        guard let url = URL(string: "\(start)\(port)/json") else { return context.note("no URL") }
        await context.finish { session.dataTask(with: url, completionHandler: $0) }
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: url).resume()
        await delegate.ends()
      }
    }

  /// How often a connection is used again, which servers see.
  private static let connections: [HarnessCase] = [
    HarnessCase("connections of one request after another") { context in
      let session = context.session { $0.httpMaximumConnectionsPerHost = 1 }
      let delegate = RecordingDelegate(context)
      let other = context.session(delegate: delegate)
      var seen: [String] = []
      for path in ["/connection", "/connection", "/redirect/302?to=/connection", "/connection"] {
        let answer = try? await session.data(from: context.url(path)).0
        seen.append(answer.flatMap { String(data: $0, encoding: .utf8) } ?? "nil")
      }
      context.note("\(seen.map { $0 == seen[0] })")
      for number in 1...3 {
        other.dataTask(with: context.url("/json")).resume()
        await delegate.ends(number)
      }
    },
    HarnessCase("connections of eight requests at once, one at a time") { context in
      let session = context.session { $0.httpMaximumConnectionsPerHost = 1 }
      let seen = await withTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let answer = try? await session.data(from: context.url("/connection")).0
            return answer.flatMap { String(data: $0, encoding: .utf8) } ?? "nil"
          }
        }
        return await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      context.note("connections \(seen.count)")
    },
  ]
}

extension HarnessContext {
  /// The requests that a task says that it has sent.
  func note(requests task: URLSessionTask) {
    for (name, request) in [("original", task.originalRequest), ("current", task.currentRequest)] {
      let fields = (request?.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value.prefix(40))" }.sorted()
      note("\(name) \(request?.httpMethod ?? "nil") \(request?.httpBody?.count ?? -1) \(fields)")
      note(
        "  \(request?.timeoutInterval ?? -1) \(request?.cachePolicy.rawValue ?? 99) \(request?.mainDocumentURL == nil)")
    }
  }
}
