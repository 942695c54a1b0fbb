import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

@Suite("A console that is slow to read", .bounded)
struct SheddingTests {
  /// A console that has linked and reads no more.
  private func stopped(_ limits: ReportQueue.Limits = ReportQueue.Limits()) -> (FakeConsole, LinkFixture) {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path, limits: limits)
    fixture.attach()
    #expect(console.hears(.applied(revision: 1)))
    console.isReading = false
    return (console, fixture)
  }

  @Test func bodiesGoBeforeFactsAndAllIsCounted() {
    let (console, fixture) = stopped(ReportQueue.Limits(bodies: 1 << 20, facts: 24 << 20))
    let body = Data(repeating: 1, count: 100_000)
    let clock = ContinuousClock()
    let took = clock.measure { for _ in 0..<500 { fixture.report(body: body) } }
    #expect(took < .seconds(20), "the program is not held up")
    console.isReading = true
    #expect(console.waits { $0.updates.count { $0.end != nil } == 500 })
    fixture.report()
    #expect(console.waits { $0.updates.count { $0.end != nil } == 501 })
    var bytes: [UInt64: Int] = [:]
    for update in console.updates { bytes[update.key, default: 0] += update.data?.count ?? 0 }
    let whole = bytes.values.count { $0 == 100_000 }
    let cut = console.updates.filter { $0.end?.responseTruncated == true }.count
    #expect(whole + cut == 500 && cut > 100)
    let shed = console.heard.compactMap { if case .shed(let shed) = $0 { shed } else { nil } }.last
    #expect(shed == Shed(exchanges: 0, bodies: UInt64(cut), bytes: UInt64(cut) * 100_000))
  }

  @Test func factsAreShedWholeAndCounted() {
    let (console, fixture) = stopped(ReportQueue.Limits(bodies: 1 << 20, facts: 1 << 20))
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
    #expect(pieces.count == 763 && pieces.allSatisfy { ($0.data?.count ?? 0) <= ReportWriter.pieceSize })
    #expect(pieces.compactMap(\.data).reduce(into: Data()) { $0 += $1 } == body)
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
    #expect(queue.shed == Shed(exchanges: 0, bodies: 1, bytes: 100))
  }

  /// What was read of a stream comes with the end.
  @Test func theBodyOfAStreamIsCountedToo() {
    let queue = ReportQueue(limits: ReportQueue.Limits(bodies: 100, facts: 1 << 20)) {}
    queue.open(from: 0)
    for key: UInt64 in 1...2 {
      var report = ExchangeReport(key: key)
      let request = RecordedRequest(method: "PUT", url: "http://a/", body: Data(repeating: 0, count: 80))
      report.answer = ExchangeUpdate.Answer(by: .network, edited: request)
      report.end = ExchangeUpdate.End(at: 1, outcome: .responded)
      queue.append(report)
    }
    let reports = queue.takeOrSleep()?.reports
    #expect(reports?.compactMap { $0.answer?.edited?.body?.count } == [80, 0])
    #expect(reports?.compactMap(\.end?.requestTruncated) == [false, true])
    #expect(queue.shed == Shed(exchanges: 0, bodies: 1, bytes: 80))
  }

  @Test func aStoppedConsoleDoesNotHoldUpTheEnd() {
    let (console, fixture) = stopped()
    fixture.report(body: Data(repeating: 0, count: 4 << 20))
    let clock = ContinuousClock()
    let took = clock.measure { fixture.link.flush() }
    #expect(took >= .milliseconds(50) && took < .seconds(10), "\(took)")
    console.isReading = true
    #expect(console.waits { $0.updates.last?.end != nil })
    let quick = (0..<Patience.tries(5)).map { _ in clock.measure { fixture.link.flush() } }
    #expect(quick.contains { $0 < .milliseconds(200) }, "\(quick)")
  }

  /// With the room of a system that has never been tuned, and a console that reads only when all is over.
  @Test func aStoppedConsoleLearnsOfAllFactsAtTheEnd() {
    // A busy machine may give the link's thread no processor in the 80 ms that are for facts: what is left is counted then,
    // or it is still at work when the process's end waits no longer.
    let all = (0..<Patience.tries(5)).contains { _ in hasToldAllFactsAtTheEnd() }
    #expect(all)
  }

  private func hasToldAllFactsAtTheEnd() -> Bool {
    let (console, fixture) = stopped(Self.untuned)
    for number in 0..<150 { fixture.report(body: Data(repeating: 0, count: number % 3 == 0 ? 1000 : 400_000)) }
    fixture.link.flush()
    // As if the process had ended here.
    let left = fixture.link.queue.shed
    console.isReading = true
    #expect(console.waits { $0.updates.filter { $0.end != nil }.count == 150 })
    let cut = console.updates.filter { $0.end?.responseTruncated == true }.count
    guard left.exchanges == 0, left.bodies == cut else { return false }
    #expect(console.hears(.shed(left)))
    #expect(cut > 90)
    var bytes: [UInt64: Int] = [:]
    for update in console.updates { bytes[update.key, default: 0] += update.data?.count ?? 0 }
    for update in console.updates where update.end?.responseTruncated == false {
      #expect([1000, 400_000].contains(bytes[update.key]))
    }
    return true
  }

  @Test func whatIsLeftAtTheEndIsCounted() {
    let (console, fixture) = stopped(Self.untuned)
    for _ in 0..<20_000 { fixture.report() }
    #expect(fixture.link.queue.shed == Shed())
    fixture.link.flush()
    // As if the process had ended here.
    console.isReading = true
    #expect(console.waits { $0.updates.count == 20_000 && $0.heard.last == .shed(Shed()) })
    let counted = console.heard.firstIndex { if case .shed(let shed) = $0 { shed.exchanges > 0 } else { false } }
    let came = console.heard[..<(counted ?? 0)].count { if case .exchange = $0 { true } else { false } }
    #expect(came > 300 && came < 20_000)
    #expect(counted.map { console.heard[$0] } == .shed(Shed(exchanges: UInt64(20_000 - came))))
  }

  private static let untuned = ReportQueue.Limits(socket: 425_984)

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

  /// What was left out behind the queue is counted with what it has left out itself.
  @Test func whatIsShedElsewhereIsAddedUp() {
    let queue = ReportQueue(limits: ReportQueue.Limits(bodies: 100, facts: 1 << 20)) {}
    #expect(queue.shed == Shed())
    queue.add(Shed(exchanges: 1, bodies: 20, bytes: 300))
    queue.add(Shed())
    queue.add(Shed(exchanges: 4_000, bodies: 50_000, bytes: 600_000))
    #expect(queue.shed == Shed(exchanges: 4_001, bodies: 50_020, bytes: 600_300))
  }
}
