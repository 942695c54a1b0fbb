import PatchbayHistory
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("What a history has to say", .bounded)
struct HistoryNewsTests {
  private func retired(_ count: Int, _ why: HistoryEvent.Limit = .count) -> HistoryEvent {
    .retired(exchanges: count, why: why)
  }

  @Test("what repeats is gathered, and nothing is left unsaid")
  func gathering() {
    var news = HistoryNews()
    let said = (1...100).compactMap { _ in news.received(.retired(exchanges: 1, why: .count)) }
    #expect(said == [1, 2, 4, 8, 16, 32, 64].map { retired($0).description })
    #expect(news.rest == [retired(100).description])
    #expect(news.received(.recovered) == HistoryEvent.recovered.description)
  }

  @Test("it is said when it has doubled, by each reason alone")
  func reasons() {
    var news = HistoryNews()
    #expect(news.rest == [])
    #expect(news.received(retired(10)) == retired(10).description)
    #expect(news.received(retired(9)) == nil)
    #expect(news.received(retired(3, .size)) == retired(3, .size).description)
    #expect(news.rest == [retired(19).description])
    #expect(news.received(retired(1)) == retired(20).description)
    #expect(news.rest == [])
    #expect(news.received(retired(2, .size)) == nil)
    #expect(news.received(retired(1)) == nil)
    let both: [HistoryEvent.Limit] = [.count, .size]
    let all = [HistoryEvent.Limit.count: 21, .size: 5]
    #expect(
      news.rest == both.sorted { $0.rawValue < $1.rawValue }.map { retired(all[$0] ?? 0, $0).description })
  }

  @Test("what was shed is said when it has doubled")
  func shed() {
    var news = HistoryNews()
    func event(_ bodies: Int, _ exchanges: Int) -> HistoryEvent { .shed(bodies: bodies, exchanges: exchanges) }
    #expect(news.received(event(3, 2)) == event(3, 2).description)
    #expect(news.received(event(5, 4)) == nil)
    #expect(news.received(event(5, 5)) == event(5, 5).description)
    #expect(news.received(event(19, 0)) == nil)
    #expect(news.received(event(0, 20)) == event(0, 20).description)
    #expect(news.rest == [])
  }
}
