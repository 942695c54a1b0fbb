import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Decides whether the hook takes a request at all. Called under a lock of the whole process, so it only looks.
enum Admission {
  static func takes(_ request: URLRequest, by snapshot: HookSnapshot) -> Bool {
    guard snapshot.active, let url = request.url, isHTTP(url) else { return false }
    switch degree(for: url, by: snapshot.settings) {
    case .full: return true
    case .bypass: return false
    case .observe:
      observe(request, snapshot)
      return false
    }
  }

  static func isHTTP(_ url: URL) -> Bool {
    guard let scheme = url.scheme else { return false }
    return scheme.caseInsensitiveEquals("https") || scheme.caseInsensitiveEquals("http")
  }

  static func degree(for url: URL, by settings: HookSettings) -> HookSettings.Degree {
    guard !settings.hosts.isEmpty, let host = url.host?.lowercased() else { return settings.degree }
    return settings.hosts.first { HostGlob.fits(host, $0.host.lowercased()) }?.degree ?? settings.degree
  }

  /// Tells of a request that goes its own way. No response will be known.
  private static func observe(_ request: URLRequest, _ snapshot: HookSnapshot) {
    guard let sink = snapshot.sink else { return }
    var report = ExchangeReport(key: HookState.shared.nextKey())
    let body: RequestBody = request.httpBody.map { .data($0) } ?? .none
    report.start = ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: request, body: body, isSent: true), task: .unknown,
      revision: snapshot.revision)
    sink.report(report)
  }
}

/// A host against a glob: `*` is any run of characters, the rest is literal. Both in lower case.
enum HostGlob {
  static func fits(_ host: String, _ glob: String) -> Bool {
    let text = Array(host.utf8)
    let pattern = Array(glob.utf8)
    var (at, star, mark, index) = (0, -1, 0, 0)
    while index < text.count {
      if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
        star = at
        mark = index
        at += 1
      } else if at < pattern.count, pattern[at] == text[index] {
        at += 1
        index += 1
      } else if star >= 0 {
        at = star + 1
        mark += 1
        index = mark
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
