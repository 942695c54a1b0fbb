import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Failures and timeouts.
enum ErrorCases {
  private static let urls = [
    ("refused", "http://127.0.0.1:1/"), ("no such host", "http://patchbay.invalid/"), ("no such scheme", "foo://x/"),
    ("no host", "http:///path"),
  ]

  static let all: [HarnessCase] =
    urls.map { name, url in
      HarnessCase("error \(name)") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: URL(string: url)!, completionHandler: $0) }
      }
    }
    + ["drop", "cut", "garbage"].flatMap { path in
      [
        HarnessCase("error \(path), handler") { context in
          let session = context.session()
          await context.finish { session.dataTask(with: context.url("/\(path)"), completionHandler: $0) }
        },
        HarnessCase("error \(path), async") { context in
          let session = context.session()
          await context.attempt { try await session.data(from: context.url("/\(path)")) }
        },
        HarnessCase("error \(path), delegate") { context in
          let delegate = RecordingDelegate(context)
          context.session(delegate: delegate).dataTask(with: context.url("/\(path)")).resume()
          await delegate.ends()
        },
      ]
    }
    + [
      HarnessCase("timeout of the request", waits: true) { context in
        let session = context.session()
        var request = context.request("/hang")
        request.timeoutInterval = 1
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
      },
      HarnessCase("timeout of the session", waits: true) { context in
        let delegate = RecordingDelegate(context)
        let session = context.session(delegate: delegate) { $0.timeoutIntervalForRequest = 1 }
        session.dataTask(with: context.url("/hang")).resume()
        await delegate.ends()
      },
      HarnessCase("timeout of a download", waits: true) { context in
        let delegate = RecordingDelegate(context)
        let session = context.session(delegate: delegate) { $0.timeoutIntervalForRequest = 1 }
        session.downloadTask(with: context.url("/hang")).resume()
        await delegate.ends()
      },
    ]
}
