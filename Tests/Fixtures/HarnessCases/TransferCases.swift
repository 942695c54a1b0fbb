import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Bodies of answers: files, breaks, silences, and many bytes.
enum TransferCases {
  static let all: [HarnessCase] = files + silences + big

  private static let files: [HarnessCase] = [
    HarnessCase("a downloaded file, and what becomes of it") { context in
      let session = context.session()
      let kept = Mutex<URL?>(nil)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.downloadTask(with: context.url("/bytes?n=100")) { location, _, _ in
          let folder = location?.deletingLastPathComponent().standardizedFileURL.path ?? "nil"
          context.note("in the temporary folder \(NSTemporaryDirectory().hasPrefix(folder))")
          context.note("\(location?.pathExtension ?? "nil") \(location?.isFileURL ?? false)")
          let rights = location.flatMap {
            try? FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions]
          }
          context.note("rights \(rights.map { "\($0)" } ?? "nil")")
          kept.withLock { $0 = location }
          continuation.resume()
        }.resume()
      }
      try await Task.sleep(for: .milliseconds(60))
      let path = kept.withLock { $0?.path } ?? ""
      context.note("there \(FileManager.default.fileExists(atPath: path))")
      try? FileManager.default.removeItem(atPath: path)
    },
    HarnessCase("a downloaded file that is moved away at once") { context in
      let target = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-moved-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: target) }
      let session = context.session()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.downloadTask(with: context.url("/chain/1")) { location, _, _ in
          do { try FileManager.default.moveItem(at: location!, to: target) } catch { context.note(error) }
          continuation.resume()
        }.resume()
      }
      context.note(try? Data(contentsOf: target))
    },
    HarnessCase("downloads by handler that fail") { context in
      let session = context.session()
      for path in ["/drop", "/cut", "/garbage", "/status/204", "/status/304", "/loop"] {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          session.downloadTask(with: context.url(path)) { location, response, error in
            context.note("file \(location.flatMap { try? Data(contentsOf: $0) }?.count ?? -1)")
            context.note(response)
            context.note(error)
            continuation.resume()
          }.resume()
        }
      }
    },
    HarnessCase("a download by HEAD, by POST, of a part") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate)
      var part = context.request("/odd/part")
      part.setValue("bytes=2-4", forHTTPHeaderField: "Range")
      let requests = [context.request("/json", "HEAD"), context.request("/echo", "POST", body: Data("b".utf8)), part]
      for (number, request) in requests.enumerated() {
        session.downloadTask(with: request).resume()
        await delegate.ends(number + 1)
      }
    },
    HarnessCase("a download cancelled in its middle, for what is there") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).downloadTask(with: context.url("/stall?n=1000"))
      task.resume()
      while task.countOfBytesReceived == 0, task.state == .running { try await Task.sleep(for: .milliseconds(5)) }
      let resumeData = Mutex<Int?>(nil)
      task.cancel { data in resumeData.withLock { $0 = data?.count ?? -1 } }
      await delegate.ends()
      while resumeData.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(2)) }
      context.note("resume data \(resumeData.withLock { $0 } ?? -1)")
    },
  ]

  private static let silences: [HarnessCase] =
    ["handler", "delegate", "download", "async", "upload"].map { kind in
      HarnessCase("a server that falls silent within the body, \(kind)", waits: true) { context in
        var request = context.request("/stall?n=20")
        request.timeoutInterval = 1
        let delegate = RecordingDelegate(context)
        let session = context.session(delegate: kind == "delegate" || kind == "download" ? delegate : nil)
        switch kind {
        case "handler": await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
        case "async": await context.attempt { [request] in try await session.data(for: request) }
        case "upload":
          request.httpMethod = "POST"
          await context.finish { [request] in
            session.uploadTask(with: request, from: Data("u".utf8), completionHandler: $0)
          }
        case "download":
          session.downloadTask(with: request).resume()
          await delegate.ends()
        default:
          session.dataTask(with: request).resume()
          await delegate.ends()
        }
      }
    } + [
      HarnessCase("pieces that keep a timeout from striking") { context in
        let delegate = RecordingDelegate(context, .init(separately: true))
        let session = context.session(delegate: delegate) { $0.timeoutIntervalForRequest = 2 }
        session.dataTask(with: context.url("/slow?n=6&ms=500")).resume()
        await delegate.ends()
      },
      HarnessCase("when pieces come") { context in
        // A server's pause of 150 ms must be one to the program, too.
        let delegate = PaceDelegate()
        context.session(delegate: delegate).dataTask(with: context.url("/sse?n=5&ms=150")).resume()
        let pauses = await delegate.pauses()
        context.note("pieces \(pauses.count + 1) held back \(pauses.filter { $0 < 0.05 }.count)")
      },
    ]

  private static let big: [HarnessCase] = ["handler", "delegate", "download"].map { kind in
    HarnessCase("6 MB, \(kind)") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: kind == "handler" ? nil : delegate)
      switch kind {
      case "handler":
        await context.finish { session.dataTask(with: context.url("/big?mb=6"), completionHandler: $0) }
      case "download":
        session.downloadTask(with: context.url("/big?mb=6")).resume()
        await delegate.ends()
      default:
        session.dataTask(with: context.url("/big?mb=6")).resume()
        await delegate.ends()
      }
    }
  }
}

/// Notes when each piece comes.
private final class PaceDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    var times: [Double] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Seconds between the pieces, once the task has ended.
  func pauses() async -> [Double] {
    while !state.withLock({ $0.isOver }) { try? await Task.sleep(for: .milliseconds(2)) }
    let times = state.withLock { $0.times }
    return zip(times.dropFirst(), times).map { $0 - $1 }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let now = ProcessInfo.processInfo.systemUptime
    state.withLock { $0.times.append(now) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.isOver = true }
  }
}
