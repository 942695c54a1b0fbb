import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum Fetch {
  struct Answer: Sendable {
    var line: String
    var milliseconds: Int
  }

  static func start(_ url: URL?, _ session: URLSession = .shared, _ then: @escaping @Sendable (String) -> Void) {
    guard let url else { return then("no url") }
    session.dataTask(with: url) { data, response, error in
      if let error {
        then("error \((error as? URLError)?.code.rawValue ?? 0) \(error)")
      } else {
        then("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(data?.count ?? -1)")
      }
    }.resume()
  }

  static func download(_ url: URL?, _ then: @escaping @Sendable (String) -> Void) {
    guard let url else { return then("no url") }
    URLSession.shared.downloadTask(with: url) { file, response, _ in
      if let file { try? FileManager.default.removeItem(at: file) }
      then("\((response as? HTTPURLResponse)?.statusCode ?? 0)")
    }.resume()
  }

  static func wait(_ url: URL?, _ session: URLSession = .shared) -> Answer {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var line = ""  // Written before the signal, read after the wait.
    let began = ContinuousClock.now
    start(url, session) { answer in
      line = answer
      done.signal()
    }
    done.wait()
    let took = began.duration(to: .now).components
    return Answer(line: line, milliseconds: Int(took.seconds * 1000 + took.attoseconds / 1_000_000_000_000_000))
  }
}
