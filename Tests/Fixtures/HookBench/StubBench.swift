import Foundation
import Patchbay
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A stub of an attached console, which records to disk, beside a bare mock in the process: the same answer, a body of
/// 1 KiB.
enum StubBench {
  static let stubs = """
    patchbay: 1
    stubs:
    - name: item
      when: { url: "http://bench.test/item" }
      then: { respond: { status: 200, headers: { Content-Type: text/plain }, body: \(String(repeating: "a", count: 1_024)) } }
    """

  static func run(pairs: Int) async throws {
    let console = try Console(stubs: stubs)
    guard console.attach() else { return print("not linked: \(Patchbay.state)") }
    let mock = session(BareMock.self)
    let hook = session(PatchbayURLProtocol.self)
    let url = URL(string: "http://bench.test/item")!
    var base = Measure()
    var hooked = Measure()
    var sent = 0
    let before = console.processorTime
    for round in 0...pairs {
      // The first round warms up.
      await base.sequential(round == 0 ? 0 : 500) { _ = try? await mock.data(from: url) }
      await hooked.sequential(round == 0 ? 0 : 500) { _ = try? await hook.data(from: url) }
      await base.parallel(4_000, width: 16, counts: round > 0) { _ = try? await mock.data(from: url) }
      await hooked.parallel(4_000, width: 16, counts: round > 0) { _ = try? await hook.data(from: url) }
      sent += round == 0 ? 4_000 : 4_500
    }
    Measure.compare("stub", base, hooked, latency: 1.10, rate: 0.90)
    let used = (console.processorTime - before) / Double(sent) * 1e6
    print("the console used \(Int(used)) µs of processor time for each exchange")
    try await LastRequests.run(sent: sent, console)
  }

  static func session(_ type: AnyClass) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [type] + (configuration.protocolClasses ?? [])
    return URLSession(configuration: configuration)
  }
}

/// A program that ends right after its last answer, and what is in the record of it.
enum LastRequests {
  static let count = 200

  static func run(sent: Int, _ console: Console) async throws {
    let child = Process.own(["last"])
    try child.run()
    child.waitUntilExit()
    let recorded = try console.end()
    let all = sent + count
    print("recorded \(recorded) of \(all), the last before an exit among them: \(recorded == all ? "kept" : "MISSED")")
  }

  /// In the child.
  static func send() async {
    Patchbay.attach()
    let session = StubBench.session(PatchbayURLProtocol.self)
    for _ in 0..<count { _ = try? await session.data(from: URL(string: "http://bench.test/item")!) }
    exit(0)
  }
}

/// What a unit test would have.
final class BareMock: URLProtocol {
  private static let body = Data(repeating: 0x61, count: 1_024)

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let response = HTTPURLResponse(
      url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "text/plain"])!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Self.body)
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
