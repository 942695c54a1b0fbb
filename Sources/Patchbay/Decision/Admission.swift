import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Decides whether the hook takes a request at all. Called under a lock of the whole process, so it only looks.
enum Admission {
  /// - Parameter scope: Of the session that asks. Where the program's code is strict, no console can have its requests
  ///   left alone.
  static func takes(_ request: URLRequest, by snapshot: HookSnapshot, scope: SessionScope.Mark? = nil) -> Bool {
    guard snapshot.active, let url = request.url, isHTTP(url) else { return false }
    if snapshot.awaitsStubs || snapshot.strictness.applies(to: scope) { return true }
    switch degree(for: url, by: snapshot) {
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

  static func degree(for url: URL, by snapshot: HookSnapshot) -> HookSettings.Degree {
    let usual = snapshot.settings.degree
    guard !snapshot.hosts.isEmpty, let host = url.host?.lowercased() else { return usual }
    return snapshot.hosts.first { $0.glob.matches(host) }?.degree ?? usual
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
