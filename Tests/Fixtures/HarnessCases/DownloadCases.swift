import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Download tasks in all three ways.
enum DownloadCases {
  private static let paths = ["bytes?n=1000", "bytes?n=300000", "empty", "status/404", "chain/2", "gzip"]

  static let all: [HarnessCase] =
    paths.map { path in
      HarnessCase("download handler /\(path)") { context in
        let session = context.session()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          session.downloadTask(with: context.url("/\(path)")) { location, response, error in
            context.note(location.flatMap { try? Data(contentsOf: $0) })
            context.note(response)
            context.note(error)
            continuation.resume()
          }.resume()
        }
      }
    }
    + ["bytes?n=1000", "empty"].map { path in
      HarnessCase("download async /\(path)") { context in
        let session = context.session()
        await context.attempt {
          let (location, response) = try await session.download(from: context.url("/\(path)"))
          return (try Data(contentsOf: location), response)
        }
      }
    }
    + ["bytes?n=1000", "bytes?n=300000", "empty", "chunked?n=4", "chain/1", "cut", "drop"].map { path in
      HarnessCase("download delegate /\(path)") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).downloadTask(with: context.url("/\(path)")).resume()
        await delegate.ends()
      }
    }
}
