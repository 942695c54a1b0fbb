import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A hook without URLSession: the link, its controller and the state that requests look into, all of its own.
final class LinkFixture: Sendable {
  let hook = HookState()
  let controller: HookController
  let link: ConsoleLink

  init(_ path: String, limits: ReportQueue.Limits = ReportQueue.Limits(), promise: StubPromise? = nil) {
    controller = HookController(hook: hook, promise: promise)
    link = ConsoleLink(address: LinkAddress(path: path, isExplicit: true), controller: controller, limits: limits)
    controller.expectStubs(by: link)
  }

  deinit { link.end() }

  /// Attaches and waits until the first stubs are in force, however busy the machine is.
  func attach() {
    link.begin(.attach)
    #expect(waits { $0.link.phase == .linked })
  }

  /// Reports one exchange that was answered at once.
  @discardableResult
  func report(body: Data? = nil) -> UInt64 {
    var report = ExchangeReport(key: hook.nextKey())
    report.start = start
    report.answer = ExchangeUpdate.Answer(by: .stub, stub: "a")
    report.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([HeaderField("A", "b")]))
    report.data = body
    report.end = ExchangeUpdate.End(at: 2, outcome: .responded, hasBody: body != nil)
    hook.snapshot.sink?.report(report)
    return report.key
  }

  var start: ExchangeReport.Start {
    ExchangeReport.Start(
      at: .now, request: RequestSnapshot(request: URLRequest(url: URL(string: "http://a.example/")!)), task: .data,
      revision: 1)
  }

  func waits(_ condition: (LinkFixture) -> Bool) -> Bool {
    let deadline = ContinuousClock.now + Patience.usual
    while !condition(self) {
      guard ContinuousClock.now < deadline else { return false }
      usleep(1000)
    }
    return true
  }
}
