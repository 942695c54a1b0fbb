import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A harness that a test leads by the hand: each line of standard input, `METHOD URL [BODY]`, is one request; each
/// answer is one line, `STATUS BODY` or `error CODE DOMAIN`, in the order in which the answers come.
public enum Asking {
  /// Returns when standard input has ended and all is answered.
  public static func run() {
    let session = URLSession.shared
    let open = DispatchGroup()
    while let line = readLine() {
      guard let request = request(line) else {
        tell("not a request: \(line)")
        continue
      }
      open.enter()
      session.dataTask(with: request) { data, response, error in
        tell(answer(data, response, error))
        open.leave()
      }.resume()
    }
    open.wait()
  }

  private static func request(_ line: String) -> URLRequest? {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count >= 2, let url = URL(string: words[1]) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = words[0]
    if words.count > 2 {
      request.httpBody = Data(words[2].utf8)
      request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    }
    return request
  }

  private static func answer(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> String {
    if let error {
      let bridged = error as NSError
      return "error \(bridged.code) \(bridged.domain)"
    }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    let data = data ?? Data()
    guard data.count <= 1_000, let text = String(data: data, encoding: .utf8) else {
      return "\(status) \(data.count) B"
    }
    return "\(status) \(text.replacingOccurrences(of: "\n", with: "⏎"))"
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
