import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Bodies of requests: data, files, streams.
enum UploadCases {
  private static let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  private static func withFile<Result>(_ use: (URL) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-upload-\(UUID().uuidString)")
    try body.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await use(url)
  }

  static let all: [HarnessCase] = [
    HarnessCase("upload data handler") { context in
      let session = context.session()
      await context.finish {
        session.uploadTask(with: context.request("/echo", "POST"), from: body, completionHandler: $0)
      }
    },
    HarnessCase("upload data async") { context in
      let session = context.session()
      await context.attempt { try await session.upload(for: context.request("/echo", "PUT"), from: body) }
    },
    HarnessCase("upload data delegate") { context in
      let delegate = RecordingDelegate(context)
      context.session(delegate: delegate).uploadTask(with: context.request("/echo", "POST"), from: body).resume()
      await delegate.ends()
    },
    HarnessCase("upload empty data") { context in
      let session = context.session()
      await context.attempt { try await session.upload(for: context.request("/echo", "POST"), from: Data()) }
    },
    HarnessCase("upload file handler") { context in
      let session = context.session()
      try await withFile { file in
        await context.finish {
          session.uploadTask(with: context.request("/echo", "POST"), fromFile: file, completionHandler: $0)
        }
      }
    },
    HarnessCase("upload file async") { context in
      let session = context.session()
      try await withFile { file in
        await context.attempt { try await session.upload(for: context.request("/echo", "POST"), fromFile: file) }
      }
    },
    HarnessCase("upload file delegate") { context in
      let delegate = RecordingDelegate(context)
      try await withFile { file in
        context.session(delegate: delegate).uploadTask(with: context.request("/echo", "POST"), fromFile: file).resume()
        await delegate.ends()
      }
    },
    HarnessCase("upload of a file that is not there") { context in
      let session = context.session()
      let file = URL(fileURLWithPath: "/proc/patchbay/nothing")
      await context.attempt { try await session.upload(for: context.request("/echo", "POST"), fromFile: file) }
    },
    HarnessCase("upload stream from the delegate") { context in
      let delegate = RecordingDelegate(context, .init(stream: { InputStream(data: body) }))
      let session = context.session(delegate: delegate)
      session.uploadTask(withStreamedRequest: context.request("/echo", "POST")).resume()
      await delegate.ends()
    },
    HarnessCase("body stream of the request") { context in
      let session = context.session()
      var request = context.request("/echo", "POST")
      request.httpBodyStream = InputStream(data: body)
      await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("body of the request, handler") { context in
      let session = context.session()
      let request = context.request("/echo", "POST", body: Data("name=花子&n=1".utf8))
      await context.finish { session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("body of the request, delegate") { context in
      let delegate = RecordingDelegate(context)
      let request = context.request("/echo", "PATCH", body: Data("{}".utf8))
      context.session(delegate: delegate).dataTask(with: request).resume()
      await delegate.ends()
    },
    HarnessCase("body with a GET") { context in
      let session = context.session()
      let request = context.request("/echo", "GET", body: Data("not allowed".utf8))
      await context.finish { session.dataTask(with: request, completionHandler: $0) }
    },
  ]
}
