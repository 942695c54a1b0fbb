import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Many requests to one URL, one after another: for what one request costs as a difference of two runs.
enum Requests {
  /// Ends the process: 0 when each request had status 200, else 1.
  static func run(_ url: URL, count: Int) -> Never {
    let session = URLSession(configuration: .ephemeral)
    for _ in 0..<count {
      let done = DispatchSemaphore(value: 0)
      session.dataTask(with: url) { _, response, _ in
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { exit(1) }
        done.signal()
      }.resume()
      done.wait()
    }
    exit(0)
  }

  /// One request; ends the process with the answer in hand, and without its exit handlers.
  static func leave(_ url: URL) -> Never {
    URLSession(configuration: .ephemeral).dataTask(with: url) { _, response, _ in
      _exit((response as? HTTPURLResponse)?.statusCode == 200 ? 0 : 1)
    }.resume()
    while true { pause() }
  }
}
