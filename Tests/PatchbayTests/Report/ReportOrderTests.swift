import Dispatch
import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Several threads tell of one exchange: a callback of the network, and a program that cancels.
@Suite(.bounded) struct ReportOrderTests {
  /// Slow with all reports but the end.
  private final class Reports: ExchangeSink {
    private let all = SeenLock<[ExchangeUpdate]>([])

    func report(_ report: consuming ExchangeReport) {
      let update = report.update(bodyLimit: .max)
      if update.end == nil { for _ in 0..<20 { sched_yield() } }
      all.withLock { $0.append(update) }
    }

    func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {}
    func unhold(_ key: UInt64) {}
    func notice(_ sentence: String) {}

    var updates: [ExchangeUpdate] { all.withLock { $0 } }
  }

  @Test func reportsComeInTheOrderInWhichTheyWereMade() throws {
    let url = try #require(URL(string: "http://a.example/x"))
    for round in 0..<300 {
      let told = Reports()
      let snapshot = HookSnapshot(active: true, settings: HookSettings(), sink: told)
      let request = RequestSnapshot(request: URLRequest(url: url), body: .none)
      let recorder = ExchangeRecorder(
        key: 7, snapshot: snapshot, start: .init(at: .now, request: request, task: .data, revision: 3))
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          recorder.flush()
          recorder.head(200, .list([]))
          for byte in 0..<10 as Range<UInt8> { recorder.piece(Data([byte])) }
        } else {
          for _ in 0..<(round % 40) { sched_yield() }
          recorder.end(.cancelled)
        }
      }
      let updates = told.updates
      #expect(updates.count { $0.start != nil } == 1 && updates.first?.start != nil)
      #expect(updates.count { $0.end != nil } == 1 && updates.last?.end != nil)
      let bytes = updates.flatMap { [UInt8]($0.data ?? Data()) }
      #expect(bytes == Array(UInt8(0)..<UInt8(bytes.count)))
    }
  }
}
