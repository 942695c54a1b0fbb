import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

@Suite("Bodies that are taken out of reports", .bounded)
struct BodyShedderTests {
  private static let end = ExchangeUpdate.End(at: 1, outcome: .responded, hasBody: true)

  /// What is left of an update.
  private func cut(_ update: ExchangeUpdate, _ shedder: inout BodyShedder, all: Bool = true) -> ExchangeUpdate {
    var update = update
    shedder.cut(&update, dropsBodies: all)
    return update
  }

  @Test func withoutItsBodyAnUpdateKeepsItsFacts() {
    var shedder = BodyShedder()
    #expect(cut(ExchangeUpdate(key: 1, data: Data([1])), &shedder) == ExchangeUpdate(key: 1))
    #expect(cut(ExchangeUpdate(key: 2, end: Self.end), &shedder).end == Self.end)
    let rest = cut(ExchangeUpdate(key: 3, data: Data([1, 2]), end: Self.end), &shedder)
    #expect(rest.data == nil && rest.end?.responseTruncated == true && rest.end?.outcome == .responded)
    #expect(shedder.takeShed() == Shed(bodies: 2, bytes: 3))
    #expect(shedder.takeShed() == Shed())
  }

  @Test func theEndThatComesLaterSaysIt() {
    var shedder = BodyShedder()
    _ = cut(ExchangeUpdate(key: 1, data: Data([1])), &shedder)
    _ = cut(ExchangeUpdate(key: 1, data: Data([2, 3])), &shedder)
    let end = cut(ExchangeUpdate(key: 1, end: Self.end), &shedder).end
    #expect(end?.responseTruncated == true && end?.requestTruncated == false)
    #expect(shedder.takeShed() == Shed(bodies: 1, bytes: 3))
  }

  @Test func noBodyGetsAHoleAfterwards() {
    var shedder = BodyShedder()
    _ = cut(ExchangeUpdate(key: 1, data: Data([1])), &shedder)
    #expect(cut(ExchangeUpdate(key: 1, data: Data([2])), &shedder, all: false).data == nil)
    #expect(cut(ExchangeUpdate(key: 2, data: Data([2])), &shedder, all: false).data == Data([2]))
    #expect(!shedder.isIdle)
    _ = cut(ExchangeUpdate(key: 1, end: Self.end), &shedder, all: false)
    #expect(shedder.isIdle)
  }

  @Test func aRequestsBodyGoesToo() {
    var shedder = BodyShedder()
    let request = RecordedRequest(method: "POST", url: "http://a/", headers: [], body: Data([1, 2, 3]))
    var update = ExchangeUpdate(key: 1)
    update.start = ExchangeUpdate.Start(at: .now, request: request, task: .upload, revision: 1)
    update.answer = ExchangeUpdate.Answer(by: .network, edited: request)
    let rest = cut(update, &shedder)
    #expect(rest.start?.request.body == Data() && rest.start?.request.truncated == true)
    #expect(rest.answer?.edited?.body == Data() && rest.answer?.edited?.truncated == true)
    #expect(shedder.takeShed() == Shed(bodies: 2, bytes: 6))
    // A request's body alone says nothing of the response's.
    let end = cut(ExchangeUpdate(key: 1, data: Data([1]), end: Self.end), &shedder, all: false)
    #expect(end.data == Data([1]) && end.end?.responseTruncated == false && end.end?.requestTruncated == true)
  }
}
