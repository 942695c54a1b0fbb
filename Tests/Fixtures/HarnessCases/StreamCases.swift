import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Bodies of requests: streams of several kinds, files, and both.
enum StreamCases {
  private static let body = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })

  private static func withFile<Result>(_ data: Data, _ use: (URL) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-transfer-\(UUID().uuidString)")
    try data.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await use(url)
  }

  static let all: [HarnessCase] =
    ["POST", "PUT", "GET", "DELETE"].flatMap { method in
      [
        HarnessCase("\(method) with a stream of the delegate") { context in
          let delegate = RecordingDelegate(context, .init(stream: { InputStream(data: body) }))
          let session = context.session(delegate: delegate)
          session.uploadTask(withStreamedRequest: context.request("/echo", method)).resume()
          await delegate.ends()
        },
        HarnessCase("\(method) with a stream in the request, typed, of known length") { context in
          let delegate = RecordingDelegate(context)
          var request = context.request("/echo", method)
          request.httpBodyStream = InputStream(data: body)
          request.setValue("text/x-own", forHTTPHeaderField: "Content-Type")
          request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length")
          context.session(delegate: delegate).dataTask(with: request).resume()
          await delegate.ends()
        },
      ]
    } + [
      HarnessCase("a stream that is empty") { context in
        let session = context.session()
        var request = context.request("/echo", "POST")
        request.httpBodyStream = InputStream(data: Data())
        await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
      },
      HarnessCase("a stream of a file") { context in
        try await withFile(body) { file in
          let session = context.session()
          var request = context.request("/echo", "POST")
          request.httpBodyStream = InputStream(url: file)
          await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        }
      },
      HarnessCase("a stream of the program's own, read in pieces") { context in
        let stream = CountedStream(pieces: 40)
        let delegate = RecordingDelegate(context)
        var request = context.request("/echo", "POST")
        request.httpBodyStream = stream
        let task = context.session(delegate: delegate).dataTask(with: request)
        context.note("same \(task.originalRequest?.httpBodyStream === stream)")
        task.resume()
        await delegate.ends()
        context.note("read \(stream.isOpened) \(stream.isClosed) \(stream.left)")
        context.note("same \(task.originalRequest?.httpBodyStream === stream)")
      },
      HarnessCase("a stream that the delegate does not have") { context in
        let delegate = RecordingDelegate(context, .init(stream: { nil }))
        let task = context.session(delegate: delegate).uploadTask(
          withStreamedRequest: context.request("/echo", "POST"))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { if task.state == .running { task.cancel() } }
        task.resume()
        await delegate.ends()
      },
      HarnessCase("a stream that is sent elsewhere") { context in
        for code in [302, 307] {
          let delegate = RecordingDelegate(context, .init(stream: { InputStream(data: Data("again".utf8)) }))
          let request = context.request("/redirect/\(code)?to=/echo", "POST")
          context.session(delegate: delegate).uploadTask(withStreamedRequest: request).resume()
          await delegate.ends()
        }
      },
      HarnessCase("an upload in whose request there is a body as well") { context in
        let session = context.session()
        let request = context.request("/echo", "POST", body: Data("in the request".utf8))
        await context.finish { session.uploadTask(with: request, from: Data("upload".utf8), completionHandler: $0) }
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).uploadTask(with: request, from: Data("upload".utf8)).resume()
        await delegate.ends()
      },
      HarnessCase("an upload by GET, and by DELETE") { context in
        let session = context.session()
        for method in ["GET", "DELETE", "PATCH"] {
          await context.finish {
            session.uploadTask(with: context.request("/echo", method), from: Data("u".utf8), completionHandler: $0)
          }
        }
      },
      HarnessCase("a form of several parts, from a file") { context in
        let form = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nfile\r\n--b--\r\n"
        try await withFile(Data(form.utf8)) { file in
          var request = context.request("/echo", "POST")
          request.setValue("multipart/form-data; boundary=b", forHTTPHeaderField: "Content-Type")
          let delegate = RecordingDelegate(context)
          context.session(delegate: delegate).uploadTask(with: request, fromFile: file).resume()
          await delegate.ends()
        }
      },
      HarnessCase("an empty file, and a big one") { context in
        for data in [Data(), Data(repeating: 3, count: 2_000_000)] {
          try await withFile(data) { file in
            let delegate = RecordingDelegate(context)
            let session = context.session(delegate: delegate)
            session.uploadTask(with: context.request("/echo", "PUT"), fromFile: file).resume()
            await delegate.ends()
          }
        }
      },
    ]
}

/// Gives so many pieces of 100 bytes. Used by one task alone.
private final class CountedStream: InputStream {
  private(set) var left: Int
  private(set) var isOpened = false
  private(set) var isClosed = false

  init(pieces: Int) {
    left = pieces
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status { left > 0 ? .open : .atEnd }
  override var hasBytesAvailable: Bool { left > 0 }
  override func open() { isOpened = true }
  override func close() { isClosed = true }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard left > 0 else { return 0 }
    left -= 1
    let count = min(100, maxLength)
    for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: left) }
    return count
  }
}
