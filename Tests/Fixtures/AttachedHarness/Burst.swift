import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Many requests, 16 at a time, after which the process ends at once.
enum Burst {
  static func run(_ url: URL?, count: Int, upload: Int) -> Never {
    guard let url else { exit(2) }
    let begun = Atomic<Int>(0)
    let answered = Atomic<Int>(0)
    let body = upload > 0 ? Data(repeating: 65, count: upload) : nil
    @Sendable func ask() {
      if begun.add(1, ordering: .relaxed).newValue <= count { send() }
    }
    @Sendable func send() {
      var request = URLRequest(url: url)
      request.httpMethod = body == nil ? "GET" : "POST"
      request.httpBody = body
      URLSession.shared.dataTask(with: request) { _, response, _ in
        // The stubs may come later than the first request, which may fail when all others have been answered.
        guard response != nil else { return send() }
        guard answered.add(1, ordering: .relaxed).newValue == count else { return ask() }
        say("\(count) answered")
        exit(0)
      }.resume()
    }
    for _ in 0..<16 { ask() }
    dispatchMain()
  }
}
