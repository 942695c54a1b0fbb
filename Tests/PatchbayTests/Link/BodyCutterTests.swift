import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

@Suite("Bodies that are taken out of reports", .bounded)
struct BodyCutterTests {
  private static let end = ExchangeUpdate.End(at: 1, outcome: .responded, hasBody: true)

  @Test func withoutItsBodyAnUpdateKeepsItsFacts() {
    var cutter = BodyCutter(isOn: true)
    #expect(cutter.cut(ExchangeUpdate(key: 1, data: Data([1]))) == nil)
    #expect(cutter.cut(ExchangeUpdate(key: 2, end: Self.end))?.end == Self.end)
    let cut = cutter.cut(ExchangeUpdate(key: 3, data: Data([1, 2]), end: Self.end))
    #expect(cut?.data == nil && cut?.end?.responseTruncated == true && cut?.end?.outcome == .responded)
    #expect(cutter.takeShed() == Shed(bodies: 2, bytes: 3))
    #expect(cutter.takeShed() == Shed())
  }

  @Test func theEndThatComesLaterSaysIt() {
    var cutter = BodyCutter(isOn: true)
    _ = cutter.cut(ExchangeUpdate(key: 1, data: Data([1])))
    _ = cutter.cut(ExchangeUpdate(key: 1, data: Data([2, 3])))
    #expect(cutter.cut(ExchangeUpdate(key: 1, end: Self.end))?.end?.responseTruncated == true)
    #expect(cutter.takeShed() == Shed(bodies: 1, bytes: 3))
  }

  @Test func noBodyGetsAHoleAfterwards() {
    var cutter = BodyCutter(isOn: true)
    _ = cutter.cut(ExchangeUpdate(key: 1, data: Data([1])))
    cutter.isOn = false
    #expect(cutter.cut(ExchangeUpdate(key: 1, data: Data([2]))) == nil)
    #expect(cutter.cut(ExchangeUpdate(key: 2, data: Data([2])))?.data == Data([2]))
    #expect(!cutter.isIdle)
    _ = cutter.cut(ExchangeUpdate(key: 1, end: Self.end))
    #expect(cutter.isIdle)
  }

  @Test func aRequestsBodyGoesToo() {
    var cutter = BodyCutter(isOn: true)
    let request = RecordedRequest(method: "POST", url: "http://a/", headers: [], body: Data([1, 2, 3]))
    var update = ExchangeUpdate(key: 1)
    update.start = ExchangeUpdate.Start(at: .now, request: request, task: .upload, revision: 1)
    update.answer = ExchangeUpdate.Answer(by: .network, edited: request)
    let cut = cutter.cut(update)
    #expect(cut?.start?.request.body == Data() && cut?.start?.request.truncated == true)
    #expect(cut?.answer?.edited?.body == Data() && cut?.answer?.edited?.truncated == true)
    #expect(cutter.takeShed() == Shed(bodies: 2, bytes: 6))
  }
}
