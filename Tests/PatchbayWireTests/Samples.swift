import Foundation
import PatchbayStubs

@testable import PatchbayWire

/// Messages of every kind, plain and with everything set.
enum Samples {
  static let request = RecordedRequest(
    method: "POST", url: "https://api.example.com/v1/users?page=2",
    headers: [HeaderField("Accept", "application/json"), HeaderField("X", ""), HeaderField("X", "二")],
    body: Data("{\"a\":1}".utf8), truncated: true)

  static let response = RecordedResponse(
    status: 503, headers: [HeaderField("Content-Type", "text/plain")], body: Data(), truncated: false)

  static let stubs = [
    Stub(name: "plain", then: .pass(PassChanges())),
    Stub(
      name: "bytes",
      when: RequestPattern(methods: ["GET", "PUT"], url: .glob("*/a/*"), path: .matches("^/a")),
      then: .respond(CannedResponse(status: 201, body: .data(Data([0, 0xFF, 1]))))),
    Stub(
      name: "steps",
      then: .sequence(
        [
          .respond(CannedResponse(status: 200, body: .data(Data([1])))),
          .fail(
            Fault(
              .named("timedOut"),
              after: Fault.Partial(response: CannedResponse(status: 200, body: .data(Data([2]))), bytes: 1))),
        ], afterwards: .last), times: 3),
    Stub(name: "関", then: .respond(CannedResponse(status: 200, body: .text("ただいま")))),
  ]

  static let hello = Hello(
    process: HarnessProcess(name: "demo", pid: 4121), executable: "/usr/bin/demo", parent: 1, entry: .attach,
    instance: .max, startedAt: Timestamp(microseconds: 1_700_000_000_000_000))

  static let update = ExchangeUpdate(
    key: 300,
    start: ExchangeUpdate.Start(
      at: Timestamp(microseconds: 1_700_000_000_123_456), request: request, task: .upload, revision: 7, replay: 9),
    answer: ExchangeUpdate.Answer(by: .person, stub: "down", edited: request), sent: request, turn: "http://a/d",
    hops: [
      RedirectHop(
        status: 302, url: "http://a/b", headers: [HeaderField("Location", "/c")], at: 4_100, target: "http://b/c")
    ],
    held: .released,
    head: ExchangeUpdate.Head(at: 12, status: 200, headers: [HeaderField("ETag", "\"x\"")]),
    data: Data([0, 1, 2, 0xFF]),
    end: ExchangeUpdate.End(
      at: 34, outcome: .failed,
      error: RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut", message: "no"),
      held: 5, bytesSent: 6, bytesReceived: 7, requestTruncated: true, responseTruncated: true, hasBody: true))

  static let fromHook: [HookMessage] = [
    .hello(hello),
    .applied(revision: 0),
    .applied(revision: .max),
    .exchange(ExchangeUpdate(key: 1)),
    .exchange(ExchangeUpdate(key: 1, data: Data())),
    .exchange(update),
    .codeStubs([]),
    .codeStubs(stubs),
    .progress([]),
    .progress([StubProgress(name: "a", hits: 0), StubProgress(name: "b", hits: 4, nextStep: 0)]),
    .scenarios([]),
    .scenarios([ScenarioState(name: "login", state: "in"), ScenarioState(name: "cart", state: "")]),
    .shed(Shed()),
    .shed(Shed(exchanges: 1, bodies: 2, bytes: 1 << 40)),
    .notice("A sentence."),
  ]

  static let fromConsole: [ConsoleMessage] = [
    .welcome(Welcome(settings: settings)),
    .welcome(Welcome()),
    .stubs(StubPush(set: StubSet())),
    .stubs(
      StubPush(
        set: StubSet(revision: 12, stubs: stubs, unmatched: .fail, holdAll: .both), disabledCodeStubs: ["a", "b"],
        overrides: ["c"])),
    .verdict(Verdict(key: 1, decision: .continue(request: nil, response: nil))),
    .verdict(Verdict(key: 1, decision: .continue(request: request, response: response))),
    .verdict(Verdict(key: 2, decision: .respond(CannedResponse(status: 200, body: .data(Data([9])))))),
    .verdict(Verdict(key: 3, decision: .fail(Fault(.custom(domain: "d", code: -5, message: nil))))),
    .verdict(Verdict(key: 4, decision: .drop)),
    .replay(Replay(token: 8, request: request)),
    .settings(settings),
    .resetCounts(name: nil),
    .resetCounts(name: "down"),
    .setScenario(ScenarioState(name: "login", state: "out")),
    .refused("No."),
  ]

  static let settings = HookSettings(
    degree: .observe, hosts: [HookSettings.HostDegree(host: "*.example.com", degree: .bypass)], keepStubs: true,
    timeoutRunsWhileHeld: true, requestBodyLimit: 7, bodyLimit: 0)

  static func bytes(_ messages: [some WireMessage]) -> [UInt8] {
    var encoder = FrameEncoder()
    for message in messages { encoder.append(message) }
    return encoder.bytes
  }

  /// A frame by hand.
  static func frame(_ kind: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let length = UInt32(payload.count + 2)
    return withUnsafeBytes(of: length.bigEndian, Array.init) + [UInt8(kind >> 8), UInt8(kind & 0xFF)] + payload
  }
}

/// What a decoder hands out until it needs more or is broken.
struct Drained<Message: WireMessage> {
  var messages: [Message] = []
  var skipped: [UInt16] = []
  var error: WireError?
}

extension FrameDecoder {
  mutating func drain() -> Drained<Message> {
    var drained = Drained<Message>()
    while true {
      switch next() {
      case .message(let message): drained.messages.append(message)
      case .skipped(let kind): drained.skipped.append(kind)
      case .needMore: return drained
      case .broken(let error):
        drained.error = error
        return drained
      }
    }
  }
}

/// SplitMix64: the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension FrameDecoder<HookMessage> {
  /// Whether nothing is left of the bytes so far: what follows is understood by itself.
  mutating func isBetweenMessages() -> Bool {
    feed(Samples.bytes([HookMessage.applied(revision: 41)]))
    return next() == .message(.applied(revision: 41)) && next() == .needMore
  }
}
