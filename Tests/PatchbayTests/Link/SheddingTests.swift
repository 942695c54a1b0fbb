import Foundation
import PatchbayStubs
import PatchbayWire
import Testing

@testable import Patchbay

@Suite("A console that is slow to read")
struct SheddingTests {
  @Test func bodiesGoBeforeFactsAndAllIsCounted() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path, limits: ReportQueue.Limits(bodies: 1 << 20, facts: 24 << 20))
    fixture.attach()
    #expect(console.hears(.applied(revision: 1)))
    console.isReading = false
    let body = Data(repeating: 1, count: 100_000)
    let clock = ContinuousClock()
    let took = clock.measure { for _ in 0..<500 { fixture.report(body: body) } }
    #expect(took < .seconds(20), "the program is not held up")
    console.isReading = true
    #expect(console.waits { $0.updates.count == 500 })
    fixture.report()
    #expect(console.waits { $0.updates.count == 501 })
    let whole = console.updates.filter { $0.data?.count == 100_000 }.count
    let cut = console.updates.filter { $0.end?.responseTruncated == true }.count
    #expect(whole + cut == 500 && cut > 100)
    let shed = console.heard.compactMap { if case .shed(let shed) = $0 { shed } else { nil } }.last
    #expect(shed == Shed(exchanges: 0, bodies: UInt64(cut), bytes: UInt64(cut) * 100_000))
  }

  @Test func factsAreShedWholeAndCounted() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path, limits: ReportQueue.Limits(bodies: 1 << 20, facts: 1 << 20))
    fixture.attach()
    #expect(console.hears(.applied(revision: 1)))
    console.isReading = false
    var last: UInt64 = 0
    for _ in 0..<20_000 { last = fixture.report() }
    console.isReading = true
    #expect(fixture.waits { $0.link.queue.shed.exchanges > 0 })
    let shed = fixture.link.queue.shed.exchanges
    #expect(console.waits { UInt64($0.updates.count) == 20_000 - shed })
    #expect(console.updates.allSatisfy { $0.start != nil && $0.end != nil })
    _ = last
  }

  @Test func aLargeBodyTravelsInPieces() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    var body = Data(repeating: 7, count: 50_000_000)
    for place in stride(from: 0, to: body.count, by: 4099) { body[place] = UInt8(truncatingIfNeeded: place) }
    let key = fixture.report(body: body)
    #expect(console.waits { $0.updates.last?.end != nil })
    let pieces = console.updates.filter { $0.key == key }
    #expect(pieces.count == 48 && pieces.allSatisfy { ($0.data?.count ?? 0) <= Wire.pieceLimit })
    #expect(pieces.compactMap(\.data).reduce(Data(), +) == body)
    #expect(pieces.dropLast().allSatisfy { $0.end == nil })
    #expect(fixture.link.queue.shed == Shed())
  }

  /// After one piece is shed the others go too, so that no body arrives with a hole in it.
  @Test func aBodyNeverHasAHole() {
    let queue = ReportQueue(limits: ReportQueue.Limits(bodies: 100, facts: 1 << 20)) {}
    queue.open(from: 0)
    func piece(_ count: Int, end: Bool = false) -> ExchangeReport {
      var report = ExchangeReport(key: 1)
      report.data = Data(repeating: 0, count: count)
      if end { report.end = ExchangeUpdate.End(at: 1, outcome: .responded) }
      return report
    }
    queue.append(piece(80))
    queue.append(piece(80))
    queue.append(piece(10))
    queue.append(piece(10, end: true))
    let reports = queue.takeOrSleep()?.reports
    #expect(reports?.compactMap { $0.data?.count } == [80])
    #expect(reports?.last?.end?.responseTruncated == true)
    #expect(queue.shed == Shed(exchanges: 0, bodies: 3, bytes: 100))
  }

  @Test func aStoppedConsoleDoesNotHoldUpTheEnd() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    #expect(console.hears(.applied(revision: 1)))
    console.isReading = false
    fixture.report(body: Data(repeating: 0, count: 4 << 20))
    let clock = ContinuousClock()
    let took = clock.measure { fixture.link.flush() }
    #expect(took >= .milliseconds(200) && took < .seconds(10), "\(took)")
    console.isReading = true
    #expect(console.waits { $0.updates.last?.end != nil })
    let quick = (0..<5).map { _ in clock.measure { fixture.link.flush() } }
    #expect(quick.contains { $0 < .milliseconds(200) }, "\(quick)")
  }

  @Test func flushingLeavesNothingBehind() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    fixture.attach()
    for round in 1...50 {
      for _ in 0..<20 { fixture.report(body: Data(repeating: 0, count: 1000)) }
      fixture.link.flush()
      console.isReading = true
      #expect(console.waits { $0.updates.count == 20 * round })
    }
  }

  @Test func withoutItsBodyAnUpdateKeepsItsFacts() {
    let end = ExchangeUpdate.End(at: 1, outcome: .responded, hasBody: true)
    #expect(ReportWriter.withoutBody(ExchangeUpdate(key: 1, data: Data([1]))) == nil)
    #expect(ReportWriter.withoutBody(ExchangeUpdate(key: 1, end: end))?.end == end)
    let cut = ReportWriter.withoutBody(ExchangeUpdate(key: 1, data: Data([1]), end: end))
    #expect(cut?.data == nil && cut?.end?.responseTruncated == true && cut?.end?.outcome == .responded)
  }
}
