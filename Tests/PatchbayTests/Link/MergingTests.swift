import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reports of one exchange that wait together.
@Suite(.bounded) struct MergingTests {
  private let queue = ReportQueue {}

  private func report(_ key: UInt64 = 1, _ change: (inout ExchangeReport) -> Void) -> ExchangeReport {
    var report = ExchangeReport(key: key)
    change(&report)
    return report
  }

  private func start(_ key: UInt64 = 1) -> ExchangeReport {
    report(key) {
      let request = URLRequest(url: URL(string: "http://host.test/")!)
      $0.start = ExchangeReport.Start(
        at: .now, request: RequestSnapshot(request: request), task: .data, revision: 1)
    }
  }

  private func head(_ status: Int, _ key: UInt64 = 1) -> ExchangeReport {
    report(key) { $0.head = ExchangeReport.Head(at: 1, status: status, fields: .list([])) }
  }

  private func end(_ key: UInt64 = 1) -> ExchangeReport {
    report(key) { $0.end = ExchangeUpdate.End(at: 2, outcome: .responded) }
  }

  private func taken(_ reports: ExchangeReport...) -> [ExchangeReport] {
    queue.open(from: 0)
    for report in reports { queue.append(report) }
    return queue.takeOrSleep()?.reports ?? []
  }

  @Test func aShortRequestIsOneReport() {
    let reports = taken(start(), start(2), head(200), report { $0.data = Data("body".utf8) }, end(), end(2))
    #expect(reports.map(\.key) == [1, 2])
    #expect(reports.allSatisfy { $0.start != nil && $0.end != nil })
    #expect(reports.first?.head?.status == 200 && reports.first?.data == Data("body".utf8))
    #expect(reports.last?.head == nil)
  }

  @Test func piecesStayInTheirOrder() {
    let pieces = ["one", "two", "three"].map { text in report { $0.data = Data(text.utf8) } }
    let reports = taken(start(), pieces[0], pieces[1], pieces[2], end())
    #expect(reports.compactMap(\.data).reduce(Data(), +) == Data("onetwothree".utf8))
    #expect(reports.last?.end != nil && reports.dropLast().allSatisfy { $0.end == nil })
  }

  @Test func aHeadThatTakesThePlaceOfAnotherBeginsAnew() {
    let reports = taken(start(), head(200), report { $0.data = Data("old".utf8) }, head(503), end())
    #expect(reports.compactMap(\.head?.status) == [200, 503])
    #expect(reports.last?.data == nil && reports.last?.end != nil)
  }

  @Test func aHoldIsToldForItself() {
    let reports = taken(start(), report { $0.held = .request }, report { $0.held = .released }, head(200), end())
    #expect(reports.compactMap(\.held) == [.request, .released])
    #expect(reports.last?.end != nil)
  }

  @Test func whatWasTakenIsNotAddedTo() {
    #expect(taken(start()).count == 1)
    queue.append(end())
    #expect(queue.takeOrSleep()?.reports.map { $0.start == nil && $0.end != nil } == [true])
  }
}
