import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

/// Each field of each message by itself: what stands there where it is missing, unknown, too large or too often there.
@Suite("The fields of messages", .bounded)
struct MessageFieldTests {
  private static func payload(_ write: (inout FieldWriter) -> Void) -> [UInt8] {
    var fields = FieldWriter()
    write(&fields)
    return fields.bytes
  }

  private func fromHook(_ kind: UInt16, _ write: (inout FieldWriter) -> Void) -> Drained<HookMessage> {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(kind, Self.payload(write)))
    return decoder.drain()
  }

  private func fromConsole(_ kind: UInt16, _ write: (inout FieldWriter) -> Void) -> Drained<ConsoleMessage> {
    var decoder = FrameDecoder<ConsoleMessage>()
    decoder.feed(Samples.frame(kind, Self.payload(write)))
    return decoder.drain()
  }

  private func text(_ stub: Stub) -> Data { Data(EncodedStubs([stub]).texts[0]) }

  // MARK: Numbers of the protocol

  @Test("each message has the kind of the specification") func kinds() {
    let hook: [HookMessage] = [
      .hello(Samples.hello), .applied(revision: 1), .exchange(Samples.update), .codeStubs([]), .progress([]),
      .shed(Shed()), .notice(""), .scenarios([]),
    ]
    #expect(hook.map(\.wireKind) == Array(1...8))
    let console: [ConsoleMessage] = [
      .welcome(Welcome()), .stubs(StubPush(set: StubSet())), .verdict(Verdict(key: 1, decision: .drop)),
      .replay(Replay(token: 1, request: Samples.request)), .settings(HookSettings()), .resetCounts(name: nil),
      .refused(""), .setScenario(ScenarioState(name: "", state: "")),
    ]
    #expect(console.map(\.wireKind) == Array(257...264))
    #expect(MessageKind.part == 0 && MessageKind.givenUp == 65_535)
  }

  @Test("values of enumerations have the numbers of the specification, and no others are known") func codes() {
    func check<Value: WireCoded>(_ expected: [Value]) {
      #expect(expected.map(\.wireCode) == (1...UInt64(expected.count)).map(\.self))
      #expect(
        (0...UInt64(expected.count) + 1).map { Value(wireCode: $0) } == [nil] + expected.map(Optional.some) + [nil])
      #expect(Value(wireCode: .max) == nil)
    }
    check([Hello.Entry.preload, .attach, .configuration, .injected])
    check([Exchange.TaskKind.data, .upload, .download, .stream, .unknown])
    check([Exchange.Answerer.network, .stub, .code, .person, .console, .cache])
    check([Exchange.Outcome.responded, .failed, .cancelled, .abandoned])
    check([ExchangeUpdate.Held.request, .response, .released])
    check([StubSet.Unmatched.pass, .fail, .hold])
    check([Action.HoldPoint.request, .response, .both])
    check([HookSettings.Degree.full, .observe, .bypass])
  }

  @Test("the limits are those of the specification") func limits() {
    #expect(Wire.version == 0x1_0000 && Wire.frameLimit == 8_388_608 && Wire.pieceLimit == 1_048_576)
    #expect(Wire.messageLimit == 268_435_456 && Wire.headerLimit == 65_536 && Wire.hopLimit == 1_024)
    #expect(Wire.stubLimit == 10_000)
    let settings = HookSettings()
    #expect(settings.degree == .full && settings.hosts == [] && !settings.keepStubs && !settings.timeoutRunsWhileHeld)
    #expect(settings.requestBodyLimit == 4_194_304 && settings.bodyLimit == 67_108_864)
  }

  @Test(
    "versions of the same major number are spoken with",
    arguments: [
      (0, false), (0xFFFF, false), (0x1_0000, true), (0x1_0001, true), (0x1_FFFF, true), (0x2_0000, false),
      (.max, false),
    ] as [(UInt32, Bool)])
  func speaks(_ version: UInt32, _ expected: Bool) {
    #expect(Wire.speaks(version) == expected)
    let welcome = fromConsole(257) { $0.number(1, UInt64(version)) }
    #expect(welcome.messages == (expected ? [.welcome(Welcome(version: version))] : []))
    #expect(welcome.error == (expected ? nil : .otherVersion(version)))
    let hello = fromHook(1) { $0.number(1, UInt64(version)) }
    #expect(hello.error == (expected ? nil : .otherVersion(version)))
  }

  // MARK: What cannot be read

  @Test("each refusal is a sentence that says what to do")
  func sentences() {
    let errors: [WireError] = [
      .frameLength(1), .messageLength(7), .field(kind: 3), .missing(kind: 259, tag: 5), .stub("a: why"),
      .otherVersion(0x2_0003),
    ]
    #expect(
      errors.map(\.description) == [
        "A frame on the link claims 1 bytes, and only 2 to 8388608 are possible: the other end is not a Patchbay hook or "
          + "console.",
        "A message on the link has 7 bytes, more than the 268435456 that are possible.",
        "A message of kind 3 has a field that cannot be read: the other end is not a Patchbay hook or console.",
        "A message of kind 259 lacks its field 5: build the hook and the console from the same release.",
        "A stub on the link cannot be read (a: why): build the hook and the console from the same release.",
        "The other end speaks version 2.3 of Patchbay's protocol and this one 1.0: build the hook and the console from "
          + "the same release.",
      ])
  }

  @Test("a length that no frame has breaks the link at once, and the least one does not")
  func lengths() {
    for (head, length) in [([0, 0, 0, 1], 1), ([0, 0x80, 0, 1], 8_388_609)] as [([UInt8], Int)] {
      var decoder = FrameDecoder<HookMessage>()
      decoder.feed(head)
      #expect(decoder.drain().error == .frameLength(length))
    }
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed([0, 0x80, 0, 0])
    #expect(decoder.drain().error == nil, "the longest")
    var least = FrameDecoder<HookMessage>()
    least.feed(Samples.frame(4, []))
    #expect(least.drain().messages == [.codeStubs([])])
  }

  @Test("a hook's message lacks a field that must be there")
  func missingFromHook() {
    func error(_ kind: UInt16, _ write: (inout FieldWriter) -> Void) -> WireError? { fromHook(kind, write).error }
    #expect(error(1) { $0.text(2, "p") } == .missing(kind: 1, tag: 1))
    #expect(error(2) { $0.number(2, 1) } == .missing(kind: 2, tag: 1))
    #expect(error(3) { $0.data(7, Data()) } == .missing(kind: 3, tag: 1))
    #expect(
      error(3) {
        $0.number(1, 1)
        $0.record(2) { $0.request(2, Samples.request) }
      } == .missing(kind: 3, tag: 1))
    #expect(
      error(3) {
        $0.number(1, 1)
        $0.record(2) { $0.signed(1, 1) }
      } == .missing(kind: 3, tag: 2))
    #expect(
      error(3) {
        $0.number(1, 1)
        $0.record(6) { $0.signed(2, 1) }
      } == .missing(kind: 3, tag: 1))
    #expect(
      error(3) {
        $0.number(1, 1)
        $0.record(8) { $0.number(2, 1) }
      } == .missing(kind: 3, tag: 1))
    #expect(error(5) { $0.record(1) { $0.number(2, 4) } } == .missing(kind: 5, tag: 1))
    #expect(error(8) { $0.record(1) { $0.text(2, "s") } } == .missing(kind: 8, tag: 1))
    #expect(error(8) { $0.record(1) { $0.text(1, "s") } } == .missing(kind: 8, tag: 2))
  }

  @Test("a console's message lacks a field that must be there")
  func missingFromConsole() {
    func error(_ kind: UInt16, _ write: (inout FieldWriter) -> Void) -> WireError? { fromConsole(kind, write).error }
    #expect(error(257) { $0.settings(2, Samples.settings) } == .missing(kind: 257, tag: 1))
    #expect(error(258) { $0.number(2, 1) } == .missing(kind: 258, tag: 1))
    #expect(error(259) { $0.number(2, 4) } == .missing(kind: 259, tag: 1))
    #expect(error(260) { $0.request(2, Samples.request) } == .missing(kind: 260, tag: 1))
    #expect(error(260) { $0.number(1, 1) } == .missing(kind: 260, tag: 2))
    #expect(error(261) { $0.number(2, 1) } == .missing(kind: 261, tag: 1))
    #expect(error(264) { $0.text(2, "s") } == .missing(kind: 264, tag: 1))
    #expect(error(264) { $0.text(1, "s") } == .missing(kind: 264, tag: 2))
  }

  @Test("numbers that do not fit break the link, and those at the bound are read")
  func numbersThatDoNotFit() {
    func nextStep(_ value: UInt64) -> Drained<HookMessage> {
      fromHook(5) {
        $0.record(1) {
          $0.text(1, "a")
          $0.number(3, value)
        }
      }
    }
    #expect(nextStep(1 << 32).error == .field(kind: 5))
    for (told, known) in [(0, 0), (0x7FFF_FFFE, 0x7FFF_FFFE), (0x7FFF_FFFF, 0x7FFF_FFFF), (0xFFFF_FFFF, 0x7FFF_FFFF)] {
      #expect(
        nextStep(UInt64(told)).messages == [.progress([StubProgress(name: "a", hits: 0, nextStep: UInt32(known))])])
    }
    #expect(fromHook(1) { $0.number(1, 1 << 32) }.error == .field(kind: 1))
    #expect(fromConsole(257) { $0.number(1, 1 << 32) }.error == .field(kind: 257))
  }

  @Test(
    "a header field: its name's count, its name, and the rest is the value",
    arguments: [
      ([0], HeaderField("", "")), ([1, 65], HeaderField("A", "")), ([0, 65], HeaderField("", "A")),
      ([1, 65, 66], HeaderField("A", "B")), ([2, 65, 66], HeaderField("AB", "")), ([3, 65, 66], nil), ([], nil),
      ([0x80], nil),
    ] as [([UInt8], HeaderField?)])
  func headers(_ bytes: [UInt8], _ expected: HeaderField?) {
    let drained = fromConsole(260) {
      $0.number(1, 1)
      $0.record(2) { $0.data(3, Data(bytes)) }
    }
    let request = RecordedRequest(method: "", url: "", headers: expected.map { [$0] } ?? [])
    #expect(drained.messages == (expected == nil ? [] : [.replay(Replay(token: 1, request: request))]))
    #expect(drained.error == (expected == nil ? .field(kind: 260) : nil))
  }

  // MARK: What is left out or not known

  @Test("what a hook leaves out or says in a way that is not known is the default")
  func defaultsFromHook() {
    let version = Samples.hello.version
    let least = Hello(
      version: version, process: HarnessProcess(name: "", pid: 0), executable: "", parent: 0, entry: .preload,
      instance: 0, startedAt: Timestamp(microseconds: 0))
    #expect(fromHook(1) { $0.number(1, UInt64(version)) }.messages == [.hello(least)])
    #expect(
      fromHook(1) {
        $0.number(1, UInt64(version))
        $0.number(6, 5)
      }.messages == [.hello(least)])
    #expect(fromHook(7) { _ in }.messages == [.notice("")])
    #expect(fromHook(6) { _ in }.messages == [.shed(Shed())])
    #expect(fromHook(5) { $0.text(2, "x") }.messages == [.progress([])])
    #expect(fromHook(8) { $0.text(2, "x") }.messages == [.scenarios([])])
    let request = RecordedRequest(method: "", url: "")
    let start = ExchangeUpdate.Start(at: Timestamp(microseconds: -3), request: request, task: .unknown, revision: 0)
    for task in [UInt64?.none, 6] {
      let found = fromHook(3) {
        $0.number(1, 9)
        $0.record(2) {
          $0.signed(1, -3)
          $0.request(2, request)
          if let task { $0.number(3, task) }
        }
        $0.record(3) { if let task { $0.number(1, task + 1) } }
        $0.record(4) { _ in }
        $0.number(5, 4)
        $0.record(6) { $0.signed(1, 0) }
        $0.record(8) {
          $0.signed(1, 0)
          $0.record(3) { _ in }
        }
        $0.record(10) { _ in }
      }
      let update = ExchangeUpdate(
        key: 9, start: start, answer: ExchangeUpdate.Answer(by: .network), turn: "",
        hops: [RedirectHop(status: 0, url: "")], head: ExchangeUpdate.Head(at: 0, status: 0, headers: []),
        end: ExchangeUpdate.End(at: 0, outcome: .responded, error: RecordedError(domain: "", code: 0)))
      #expect(found.messages == [.exchange(update)])
    }
  }

  @Test("what a console leaves out or says in a way that is not known is the default")
  func defaultsFromConsole() {
    #expect(fromConsole(257) { $0.number(1, 0x1_0000) }.messages == [.welcome(Welcome())])
    let none = HookSettings(requestBodyLimit: 0, bodyLimit: 0)
    #expect(fromConsole(261) { $0.record(1) { _ in } }.messages == [.settings(none)])
    var hosts = none
    hosts.hosts = [HookSettings.HostDegree(host: "", degree: .full), .init(host: "h", degree: .full)]
    let odd = fromConsole(261) {
      $0.record(1) {
        $0.number(1, 4)
        $0.record(2) { _ in }
        $0.record(2) {
          $0.text(1, "h")
          $0.number(2, 9)
        }
      }
    }
    #expect(odd.messages == [.settings(hosts)])
    let push = StubPush(set: StubSet(revision: 3, stubs: [], unmatched: .pass))
    #expect(fromConsole(258) { $0.number(1, 3) }.messages == [.stubs(push)])
    #expect(
      fromConsole(258) {
        $0.number(1, 3)
        $0.number(2, 4)
        $0.number(3, 4)
      }.messages == [.stubs(push)])
    #expect(fromConsole(263) { _ in }.messages == [.refused("")])
    #expect(fromConsole(262) { $0.text(2, "x") }.messages == [.resetCounts(name: nil)])
    let least = Replay(token: 0, request: RecordedRequest(method: "", url: ""))
    #expect(
      fromConsole(260) {
        $0.number(1, 0)
        $0.record(2) { _ in }
      }.messages == [.replay(least)])
  }

  @Test(
    "any number but 0 is a flag that is set",
    arguments: [(0, false), (1, true), (2, true), (.max, true)] as [(UInt64, Bool)])
  func flags(_ value: UInt64, _ expected: Bool) {
    let found = fromConsole(261) {
      $0.record(1) {
        $0.number(3, value)
        $0.number(4, value)
      }
    }
    let settings = HookSettings(
      keepStubs: expected, timeoutRunsWhileHeld: expected, requestBodyLimit: 0, bodyLimit: 0)
    #expect(found.messages == [.settings(settings)])
  }

  @Test("one flag is not another") func singleFlags() throws {
    for number in 0..<3 {
      let end = ExchangeUpdate.End(
        at: 1, outcome: .cancelled, requestTruncated: number == 0, responseTruncated: number == 1, hasBody: number == 2)
      var decoder = FrameDecoder<HookMessage>()
      decoder.feed(Samples.bytes([HookMessage.exchange(ExchangeUpdate(key: 1, end: end))]))
      #expect(decoder.drain().messages == [.exchange(ExchangeUpdate(key: 1, end: end))])
    }
    for number in 0..<2 {
      let settings = HookSettings(keepStubs: number == 0, timeoutRunsWhileHeld: number == 1)
      var decoder = FrameDecoder<ConsoleMessage>()
      decoder.feed(Samples.bytes([ConsoleMessage.settings(settings)]))
      #expect(decoder.drain().messages == [.settings(settings)])
    }
  }

  @Test(
    "negative and large values are there again", arguments: [0, 1, -1, 63, -64, 64, 1 << 40, -(1 << 40)] as [Int64])
  func signedNumbers(_ value: Int64) throws {
    var writer = FieldWriter()
    writer.signed(1, value)
    let read = try writer.bytes.withUnsafeBytes { bytes -> Int64? in
      var fields = FieldReader(bytes, kind: 1)
      return try fields.next()?.value.signed()
    }
    #expect(read == value)
    var nonzero = FieldWriter()
    nonzero.nonzeroSigned(1, value)
    #expect(nonzero.bytes == (value == 0 ? [] : writer.bytes))
  }

  // MARK: Verdicts and stubs

  @Test("a verdict's number says what it is; one that is not known goes on")
  func verdicts() {
    let response = Stub(name: "verdict", then: .respond(CannedResponse(status: 418)))
    let fault = Stub(name: "verdict", then: .fail(Fault(.named("timedOut"))))
    func verdict(_ number: UInt64?, _ stubs: [Stub] = []) -> Drained<ConsoleMessage> {
      fromConsole(259) {
        $0.number(1, 5)
        if let number { $0.number(2, number) }
        $0.request(3, Samples.request)
        $0.response(4, Samples.response)
        for stub in stubs { $0.data(5, text(stub)) }
      }
    }
    let onward = ConsoleMessage.verdict(
      Verdict(key: 5, decision: .continue(request: Samples.request, response: Samples.response)))
    for number in [nil, 0, 1, 5, 99] as [UInt64?] { #expect(verdict(number, [response]).messages == [onward]) }
    #expect(verdict(4).messages == [.verdict(Verdict(key: 5, decision: .drop))])
    let answered = ConsoleMessage.verdict(Verdict(key: 5, decision: .respond(CannedResponse(status: 418))))
    let failed = ConsoleMessage.verdict(Verdict(key: 5, decision: .fail(Fault(.named("timedOut")))))
    #expect(verdict(2, [response]).messages == [answered])
    #expect(verdict(3, [fault]).messages == [failed])
    #expect(verdict(2, [fault, response]).messages == [answered], "the last one")
    for (number, stubs) in [(2, []), (2, [fault]), (3, []), (3, [response])] as [(UInt64, [Stub])] {
      #expect(verdict(number, stubs).error == .missing(kind: 259, tag: 5))
    }
  }

  @Test("of a hook's lists as many are read as there may be")
  func lists() {
    let count = Wire.stubLimit + 1
    let stub = text(Stub(name: "s", then: .pass(PassChanges())))
    guard case .codeStubs(let stubs)? = fromHook(4, { for _ in 0..<count { $0.data(1, stub) } }).messages.first,
      case .progress(let progress)? = fromHook(
        5, { for number in 0..<count { $0.record(1) { $0.text(1, "\(number)") } } }
      ).messages.first,
      case .scenarios(let scenarios)? = fromHook(
        8,
        {
          for number in 0..<count {
            $0.record(1) {
              $0.text(1, "\(number)")
              $0.text(2, "s")
            }
          }
        }
      ).messages.first
    else {
      Issue.record("not read")
      return
    }
    #expect(stubs.count == 10_000 && progress.count == 10_000 && scenarios.count == 10_000)
    #expect(progress.last?.name == "9999" && scenarios.last?.name == "9999")
  }

  @Test("the chance and the count of a stub travel up to their bounds")
  func stubNumbers() throws {
    for (told, known) in [(-0.5, 0), (0, 0), (0.25, 0.25), (1, 1), (1.5, 1)] as [(Double, Double)] {
      let stub = Stub(name: "a", then: .hold(.both), chance: told)
      #expect(try EncodedStubs([stub]).stubs().map(\.chance) == [known])
    }
    for (told, known) in [(-1, 0), (0, 0), (1, 1), (7, 7)] {
      let stub = Stub(name: "a", then: .hold(.both), times: told)
      #expect(try EncodedStubs([stub]).stubs().map(\.times) == [known])
    }
  }

  @Test("bodies are found by their place, also those of several stubs and of steps")
  func bodies() throws {
    func answer(_ byte: UInt8) -> Action { .respond(CannedResponse(body: .data(Data([byte])))) }
    let stubs = [
      Stub(name: "a", then: answer(1)), Stub(name: "b", then: .sequence([answer(2), answer(3)], afterwards: .repeat)),
      Stub(name: "c", then: answer(4)),
    ]
    var encoded = EncodedStubs(stubs)
    #expect(encoded.bodies == (1...4).map { Data([$0]) })
    #expect(try encoded.stubs() == stubs)
    encoded.bodies.removeLast()
    #expect(throws: WireError.stub("c: a body is missing")) { try encoded.stubs() }
  }
}
