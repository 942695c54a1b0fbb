import PatchbayHistory
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("What a history has to say", .bounded)
struct HistoryNewsTests {
  @Test("what repeats is gathered, and nothing is left unsaid")
  func gathering() {
    var news = HistoryNews()
    let said = (1...100).compactMap { _ in news.received(.retired(exchanges: 1, why: .count)) }
    #expect(said.count < 10 && news.rest.count == 1)
    #expect(news.rest.first?.contains("oldest 100 ") == true)
    #expect(news.received(.recovered) == HistoryEvent.recovered.description)
  }
}
