import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Data tasks by completion handler and async/await.
enum DataCases {
  private static let paths = [
    "bytes?n=1000", "bytes?n=300000", "chunked?n=5", "slow?n=3&ms=15", "empty", "json", "gzip", "deflate", "close",
    "repeat", "status/204", "status/304", "status/300", "status/404", "status/500",
  ]

  static let all: [HarnessCase] =
    paths.map { path in
      HarnessCase("handler /\(path)") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/\(path)"), completionHandler: $0) }
      }
    }
    + ["bytes?n=1000", "bytes?n=300000", "chunked?n=5", "empty", "gzip", "status/204", "status/404"].map { path in
      HarnessCase("async /\(path)") { context in
        let session = context.session()
        await context.attempt { try await session.data(from: context.url("/\(path)")) }
      }
    }
    + [
      HarnessCase("handler HEAD") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.request("/json", "HEAD"), completionHandler: $0) }
      },
      HarnessCase("async with a delegate") { context in
        let session = context.session()
        let delegate = RecordingDelegate(context)
        await context.attempt {
          try await session.data(for: context.request("/slow?n=3&ms=30"), delegate: delegate)
        }
      },
      HarnessCase("handler in a session with a delegate") { context in
        let session = context.session(delegate: RecordingDelegate(context))
        await context.finish { session.dataTask(with: context.url("/bytes?n=50"), completionHandler: $0) }
      },
      HarnessCase("async in a session with a delegate") { context in
        let session = context.session(delegate: RecordingDelegate(context))
        await context.attempt { try await session.data(from: context.url("/bytes?n=50")) }
      },
      HarnessCase("neither handler nor delegate") { context in
        let session = context.session()
        let task = session.dataTask(with: context.url("/bytes?n=50"))
        task.resume()
        while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
        context.note(state: task)
      },
    ]
}
