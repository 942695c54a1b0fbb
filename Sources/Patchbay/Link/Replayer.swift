import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests that the console orders, through a session of the hook's own. They go through the hook like any
/// other, so stubs apply to them.
final class Replayer: Sendable {
  static let shared = Replayer()

  private let session = Mutex<URLSession?>(nil)

  private static let mark = "patchbay.replay."

  /// Never on the queue that all sessions share, where making a task traps.
  func send(_ order: Replay) {
    guard let url = URL(string: order.request.url) else {
      HookState.shared.snapshot.sink?.notice(
        "The replay of \(order.request.url) was not sent, since this is no URL: correct it and replay again.")
      return
    }
    var request = URLRequest(url: url)
    request.httpMethod = order.request.method
    for header in order.request.headers where !Self.isMadeAnew(header.name) {
      request.addValue(header.value, forHTTPHeaderField: header.name)
    }
    request.httpBody = order.request.body
    let task = ready.dataTask(with: request) { _, _, _ in }
    task.taskDescription = Self.mark + String(order.token)
    task.resume()
  }

  /// Fields that belong to one connection or one body, and are added to each request that goes out.
  private static func isMadeAnew(_ name: String) -> Bool {
    ["host", "content-length", "connection", "transfer-encoding"].contains(name.lowercased())
  }

  /// The token of the order that a task carries out; nil for the program's own tasks.
  static func token(of task: URLSessionTask) -> UInt64? {
    guard let mark = task.taskDescription, mark.hasPrefix(Self.mark) else { return nil }
    return UInt64(mark.dropFirst(Self.mark.count))
  }

  private var ready: URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpShouldSetCookies = false
      let made = URLSession(configuration: configuration.patched(by: PatchbayURLProtocol.self))
      session = made
      return made
    }
  }
}
