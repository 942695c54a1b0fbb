import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Stubs on the wire", .bounded)
struct EncodedStubsTests {
  @Test func bodiesTravelBesideTheText() throws {
    let stub = Stub(name: "a", then: .respond(CannedResponse(body: .data(Data([1, 2, 3])))))
    let encoded = EncodedStubs([stub, stub])
    #expect(encoded.bodies == [Data([1, 2, 3]), Data([1, 2, 3])])
    #expect(!String(decoding: encoded.texts[0], as: UTF8.self).contains("base64"))
    #expect(try encoded.stubs() == [stub, stub])
  }

  /// A stub file may name any file, and that is not taken for a body of the message.
  @Test(arguments: ["0", "a.json", "../0", "\\u0000"])
  func filesStayFiles(path: String) throws {
    let stub = Stub(name: "a", then: .respond(CannedResponse(body: .file(path))))
    #expect(try EncodedStubs([stub]).stubs() == [stub])
  }

  @Test func aMissingBodyBreaks() {
    var encoded = EncodedStubs([Stub(name: "a", then: .respond(CannedResponse(body: .data(Data([1])))))])
    encoded.bodies = []
    #expect(throws: WireError.stub("a: a body is missing")) { try encoded.stubs() }
  }

  @Test(arguments: ["", "{", "[]", "{\"name\":1}", "{\"name\":\"a\",\"then\":{\"respond\":{\"status\":\"x\"}}}"])
  func aTextThatIsNoStubBreaksWithItsReason(text: String) {
    var decoder = FrameDecoder<ConsoleMessage>()
    let bytes = Array(text.utf8)
    decoder.feed(Samples.frame(258, [1, 1, 5, 4, UInt8(bytes.count)] + bytes))
    guard case .stub(let reason)? = decoder.drain().error else {
      Issue.record("taken: \(text)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func numbersOutOfRangeAreMadeToFit() throws {
    let stub = Stub(name: "a", then: .hold(.both), skip: -1, chance: 7, times: -3)
    #expect(try EncodedStubs([stub]).stubs() == [Stub(name: "a", then: .hold(.both), chance: 1, times: 0)])
  }

  /// The schema has no empty sequence; it means the same as passing.
  @Test func anEmptySequencePasses() throws {
    let stub = Stub(name: "a", then: .sequence([], afterwards: .repeat))
    #expect(try EncodedStubs([stub]).stubs() == [Stub(name: "a", then: .pass(PassChanges()))])
  }

  /// What a person could not enter, code can declare; it must not break the link.
  @Test func oddStubsTravel() throws {
    let odd = [
      Stub(name: "x", then: .fail(Fault(.named("no such fault")))),
      Stub(name: "y", then: .respond(CannedResponse(status: 999, body: .filler(bytes: 5)))),
      Stub(name: "z", then: .hold(.both), chance: 1, seed: .max, times: 0),
      Stub(name: "t", then: .respond(CannedResponse(body: .text("{{nothing}}")))),
      Stub(name: "r", when: RequestPattern(url: .matches("(")), then: .pass(PassChanges())),
    ]
    #expect(try EncodedStubs(odd).stubs() == odd)
  }

  /// Of every action that has a body.
  @Test func bodiesTravelBesideTheTextWhereverTheyStand() throws {
    func body(_ byte: UInt8) -> CannedResponse.Body { .data(Data([byte, 0xFF])) }
    let stubs = [
      Stub(
        name: "fails",
        then: .fail(Fault(.named("timedOut"), after: Fault.Partial(response: CannedResponse(body: body(1)), bytes: 1)))),
      Stub(name: "passes", then: .pass(PassChanges(request: RequestChanges(method: "PUT", body: body(2))))),
      Stub(
        name: "in turn",
        then: .sequence(
          [.respond(CannedResponse(body: body(3))), .respond(CannedResponse(status: 204))], afterwards: .last)),
    ]
    let encoded = EncodedStubs(stubs)
    #expect(encoded.bodies == (1...3).map { Data([$0, 0xFF]) })
    #expect(encoded.texts.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("base64") })
    #expect(try encoded.stubs() == stubs)
  }

  /// Those that have none beside them stay as they are.
  @Test(arguments: ["\0", "\0x", "\u{0}1", "\u{0}-1", "\u{0}99999999999999999999"])
  func aBodyBesideThatIsNotThereBreaks(path: String) throws {
    var encoded = EncodedStubs([Stub(name: "a", then: .respond(CannedResponse(body: .file(path))))])
    encoded.bodies = [Data([1])]
    #expect(throws: WireError.stub("a: a body is missing")) { try encoded.stubs() }
  }
}
