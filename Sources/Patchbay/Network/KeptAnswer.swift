import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An answer that the program's `URLCache` keeps, and that the built-in class would give without asking the network. Where
/// requests that no stub takes are made to fail it is handed over as that class does it, but by the hook itself: the class
/// would ask the network if it thought otherwise.
struct KeptAnswer {
  let response: CachedURLResponse
  private let head: HTTPURLResponse

  /// nil where the built-in class would not use it: the rules of Foundation on Linux (RFC 9111 in its words, without
  /// staleness and without `Vary`).
  ///
  /// - Parameter request: What the program asks.
  init?(_ response: CachedURLResponse?, for request: URLRequest?, now: Date = Date()) {
    guard let response, let request, let head = response.response as? HTTPURLResponse else { return nil }
    self.response = response
    self.head = head
    let asked = request.allHTTPHeaderFields ?? [:]
    guard ["Authorization", "Proxy-Authorization"].allSatisfy({ asked[$0] == nil }),
      ["WWW-Authenticate", "Proxy-Authenticate", "Vary"].allSatisfy({ field($0) == nil }),
      request.httpMethod == "GET" || request.httpMethod == "HEAD" && response.data.isEmpty,
      [200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501].contains(head.statusCode), isFresh(now)
    else { return nil }
  }

  private func field(_ name: String) -> String? { head.value(forHTTPHeaderField: name) }

  private func isFresh(_ now: Date) -> Bool {
    let rules = (field("Cache-Control") ?? "").lowercased().split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    if rules.contains("no-cache") || rules.contains("no-store") { return false }
    func seconds(_ name: String) -> Double? {
      rules.first { $0.hasPrefix(name + "=") }
        .flatMap { UInt($0.dropFirst(name.count + 1).trimmingCharacters(in: ["\""])) }.map(Double.init)
    }
    if let age = seconds("max-age") {
      let kept = Self.date(of: response) ?? now
      return now < min(field("Date").flatMap(Self.moment) ?? kept, kept) + age
    }
    guard seconds("s-maxage") == nil, let expires = field("Expires") else { return true }
    return Self.moment(expires).map { now < $0 } ?? false
  }

  /// When it was kept, which Foundation tells nobody.
  private static func date(of response: CachedURLResponse) -> Date? {
    Mirror(reflecting: response).children.first { $0.label == "date" }?.value as? Date
  }

  /// RFC 9110 §5.6.7, the form that is written today.
  private static func moment(_ text: String) -> Date? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "EEE',' dd' 'MMM' 'yyyy HH':'mm':'ss zzz"
    return format.date(from: text)
  }
}
