import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Data tasks told to a delegate.
enum DelegateCases {
  static let all: [HarnessCase] =
    ["bytes?n=1000", "bytes?n=300000", "chunked?n=5", "empty", "gzip", "status/204", "status/500", "close"].map {
      path in
      HarnessCase("delegate /\(path)") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: context.url("/\(path)")).resume()
        await delegate.ends()
      }
    }
    + [
      HarnessCase("delegate HEAD") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: context.request("/json", "HEAD")).resume()
        await delegate.ends()
      },
      HarnessCase("delegate slow pieces") { context in
        let delegate = RecordingDelegate(context, .init(separately: true))
        context.session(delegate: delegate).dataTask(with: context.url("/slow?n=4&ms=40")).resume()
        await delegate.ends()
      },
      HarnessCase("delegate server-sent events") { context in
        let delegate = RecordingDelegate(context, .init(separately: true))
        context.session(delegate: delegate).dataTask(with: context.url("/sse?n=4&ms=40")).resume()
        await delegate.ends()
      },
      HarnessCase("delegate on a queue of its own") { context in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate, queue: queue).dataTask(with: context.url("/bytes?n=2000")).resume()
        await delegate.ends()
      },
      HarnessCase("delegate three tasks, one after the other") { context in
        let delegate = RecordingDelegate(context)
        let session = context.session(delegate: delegate)
        for number in 1...3 {
          session.dataTask(with: context.url("/bytes?n=\(number)")).resume()
          await delegate.ends(number)
        }
      },
    ]
}
