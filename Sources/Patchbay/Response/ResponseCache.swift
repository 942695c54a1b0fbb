import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The last few responses that stubs gave. Making an `HTTPURLResponse` is the dearest part of answering, and it does not
/// change: the same URL, status and header fields may have the same object.
final class ResponseCache: Sendable {
  static let shared = ResponseCache()

  /// A response, and how long its body will be as the built-in classes say it.
  struct Head {
    var response: HTTPURLResponse
    var expected: Int64
  }

  private struct Entry {
    var url: URL
    var status: Int
    var headers: [HeaderField]
    var head: Head
  }

  private struct State {
    var entries: [Entry] = []
    var next = 0
  }

  private static let size = 8
  private let state = Mutex(State())

  func head(_ url: URL, _ status: Int, _ headers: [HeaderField], make: () -> HTTPURLResponse?) -> Head? {
    let known = state.withLock { state in
      state.entries.first { $0.status == status && $0.url == url && $0.headers == headers }?.head
    }
    if let known { return known }
    guard let made = make() else { return nil }
    let head = Head(response: made, expected: TaskInternals.expectedBytes(of: made))
    let entry = Entry(url: url, status: status, headers: headers, head: head)
    state.withLock { state in
      if state.entries.count < Self.size {
        state.entries.append(entry)
      } else {
        state.entries[state.next] = entry
        state.next = (state.next + 1) % Self.size
      }
    }
    return head
  }
}
