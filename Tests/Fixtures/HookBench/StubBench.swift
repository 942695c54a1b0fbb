import Foundation
import Patchbay
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A stub of the hook beside a bare mock in the process: the same answer, a body of 1 KiB.
enum StubBench {
  static func run() async {
    let trial = HookTrial()
    let body = Data(repeating: 0x61, count: 1_024)
    trial.begin(
      answering: CannedResponse(headers: [HeaderField("Content-Type", "text/plain")], body: .data(body)))
    let mock = session(BareMock.self)
    let hook = session(PatchbayURLProtocol.self)
    let url = URL(string: "http://bench.test/item")!
    var base = Measure()
    var hooked = Measure()
    for _ in 0..<12 {
      await base.sequential(1_000) { _ = try? await mock.data(from: url) }
      await hooked.sequential(1_000) { _ = try? await hook.data(from: url) }
      await base.parallel(4_000, width: 16) { _ = try? await mock.data(from: url) }
      await hooked.parallel(4_000, width: 16) { _ = try? await hook.data(from: url) }
    }
    Measure.compare("stub", base, hooked)
    let told = trial.reported
    print("reported \(told.ended) of \(12 * 5_000)")
  }

  private static func session(_ type: AnyClass) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [type] + (configuration.protocolClasses ?? [])
    return URLSession(configuration: configuration)
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
