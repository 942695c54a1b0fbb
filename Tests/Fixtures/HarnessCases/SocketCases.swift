import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// WebSockets, which the hook leaves alone.
enum SocketCases {
  static let all: [HarnessCase] =
    ["/ws", "/ws/close", "/ws/drop", "/json"].map { path in
      HarnessCase("a socket to \(path)") { context in
        let delegate = SocketDelegate(context)
        let session = context.session(delegate: delegate)
        let url = URL(string: context.base.replacingOccurrences(of: "http:", with: "ws:") + path)!
        let task = session.webSocketTask(with: url)
        task.resume()
        do {
          try await task.send(.string("hello"))
          for _ in 0..<2 {
            switch try await task.receive() {
            case .string(let text): context.note("text \(text)")
            case .data(let data): context.note("data \(data.count)")
            @unknown default: context.note("else")
            }
            try await task.send(.data(Data([1, 2, 3])))
          }
          task.cancel(with: .normalClosure, reason: Data("bye".utf8))
        } catch {
          context.note("\((error as NSError).code)")
          task.cancel()
        }
        await delegate.ends()
        context.note("close \(task.closeCode.rawValue) \(task.closeReason?.count ?? -1)")
      }
    }
}

private final class SocketDelegate: NSObject, URLSessionWebSocketDelegate, Sendable {
  private let context: HarnessContext
  private let isOver = Mutex(false)

  init(_ context: HarnessContext) { self.context = context }

  func ends() async {
    while !isOver.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
  ) {
    context.note("open \(`protocol` ?? "nil")")
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    context.note("closed \(closeCode.rawValue) \(reason?.count ?? -1)")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note("complete \((error as NSError?)?.code ?? 0)")
    isOver.withLock { $0 = true }
  }
}
