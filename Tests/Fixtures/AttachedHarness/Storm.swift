import Foundation
import Patchbay
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Thousands of requests, many at a time, whose answers must each be of one piece. A stub answers with the header
/// `X-Version: V` and the body `v=V n=N`, N being the request's number; anything without the header is the network's.
enum Storm {
  private struct Tally {
    var stubbed = 0
    var network = 0
    var versions: Set<String> = []
    var wrong: [String] = []
  }

  static func run(_ url: URL?, count: Int, width: Int) {
    guard let url else { return say("no url") }
    let tally = Mutex(Tally())
    let next = Atomic<Int>(0)
    let open = DispatchGroup()
    @Sendable func ask() {
      let number = next.add(1, ordering: .relaxed).newValue
      guard number <= count, let one = URL(string: url.absoluteString + "?n=\(number)") else { return open.leave() }
      URLSession.shared.dataTask(with: one) { data, response, error in
        tally.withLock { note(&$0, number, data, response as? HTTPURLResponse, error) }
        ask()
      }.resume()
    }
    for _ in 0..<width {
      open.enter()
      ask()
    }
    open.wait()
    let all = tally.withLock { $0 }
    for wrong in all.wrong.prefix(5) { say("wrong: \(wrong)") }
    say("stubbed \(all.stubbed) network \(all.network) wrong \(all.wrong.count) versions \(all.versions.count)")
  }

  private static func note(
    _ tally: inout Tally, _ number: Int, _ data: Data?, _ response: HTTPURLResponse?, _ error: (any Error)?
  ) {
    let body = String(decoding: data ?? Data(), as: UTF8.self)
    guard error == nil, let response else { return tally.wrong.append("\(number): \(error as Any)") }
    guard let version = response.value(forHTTPHeaderField: "X-Version") else {
      tally.network += 1
      if body.hasPrefix("v=") { tally.wrong.append("\(number): a stub's body without its header") }
      return
    }
    tally.stubbed += 1
    tally.versions.insert(version)
    if body != "v=\(version) n=\(number)" { tally.wrong.append("\(number): \(version) \(body)") }
  }
}
