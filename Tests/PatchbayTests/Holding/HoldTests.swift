import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests and responses that wait for a person.
@Suite(.bounded) struct HoldTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func hold(_ point: Action.HoldPoint) -> Stub { Stub(name: "hold", then: .hold(point)) }

  @Test func aHeldRequestGoesOnAsItWas() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    async let answer = hook.session().data(from: server.url("/json"))
    try await until { hook.sink.isHolding }
    #expect(server.requests.isEmpty)
    try await hook.sink.decide(.continue(request: nil, response: nil))
    let (data, _) = try await answer
    #expect(data.count == 31)
    let told = try await hook.sink.ended()
    #expect(told[0].held == [.request, .released])
    #expect(told[0].end?.held ?? 0 > 0)
  }

  @Test(arguments: [Action.HoldPoint.request, .response, .both])
  func whatOnlyHeldItIsNotNamedAsItsAnswer(_ point: Action.HoldPoint) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(point)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.isHolding }
    #expect(hook.sink.exchanges[0].answer == ExchangeUpdate.Answer(by: .network, stub: "hold"))
    try await hook.sink.decide(.continue(request: nil, response: nil))
    if point == .both { try await hook.sink.decide(.continue(request: nil, response: nil)) }
    #expect(try await task.value.0.count == 31)
    let answer = try await hook.sink.ended()[0].answer
    #expect(answer?.by == .network && answer?.stub == nil)
  }

  @Test func aVerdictThatComesWithTheReportIsHeard() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.both)])
    hook.sink.decideAtOnce(.continue(request: nil, response: nil))
    let (data, _) = try await hook.session().data(from: server.url("/json"))
    #expect(data.count == 31)
    let told = try await hook.sink.ended()
    #expect(told[0].held == [.request, .released, .response, .released])
  }

  @Test func whatAPersonAnswersIsDeliveredAtOnceThoughResponsesAreHeld() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.both)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    try await hook.sink.decide(.respond(CannedResponse(status: 299, body: .text("mine"))))
    let told = try await hook.sink.ended()
    #expect(String(decoding: try await task.value.0, as: UTF8.self) == "mine")
    #expect(told[0].held == [.request, .released])
    #expect(told[0].answer == ExchangeUpdate.Answer(by: .person, stub: nil))
  }

  @Test func anEditedRequestStaysToldWhenItsResponseGoesOn() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.both)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    let edited = RecordedRequest(method: "PUT", url: server.url("/echo?edited").absoluteString, headers: [], body: nil)
    try await hook.sink.decide(.continue(request: edited, response: nil))
    try await hook.sink.decide(.continue(request: nil, response: nil))
    _ = try await task.value
    let told = try await hook.sink.ended()[0]
    #expect(told.answer == ExchangeUpdate.Answer(by: .network, stub: nil))
    #expect(told.sent?.url == edited.url && told.sent?.method == "PUT" && told.start?.request.method == "GET")
  }

  @Test func itGoesOnEdited() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    async let answer = hook.session().data(from: server.url("/json"))
    let edited = RecordedRequest(
      method: "PUT", url: server.url("/echo?edited").absoluteString, headers: [HeaderField("X-Edited", "1")],
      body: Data("new".utf8))
    try await hook.sink.decide(.continue(request: edited, response: nil))
    let text = String(decoding: try await answer.0, as: UTF8.self)
    #expect(text.hasPrefix("PUT /echo?edited\n"))
    #expect(text.contains("x-edited: 1\n"))
    #expect(text.contains("body 3 "))
    let told = try await hook.sink.ended()[0]
    #expect(told.sent?.method == "PUT" && told.sent?.url == edited.url && told.sent?.body == edited.body)
    #expect(told.sent?.headers.first(named: "X-Edited") == "1")
    #expect(told.start?.request.url == server.url("/json").absoluteString)
  }

  @Test func afterwardsItGoesDownTheList() async throws {
    enum Tag {}
    let answer = Stub(name: "answer", then: .respond(CannedResponse(status: 299)))
    let hook = HookFixture<Tag>([hold(.request), answer])
    async let response = hook.session().data(from: server.url("/json")).1
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect((try await response as? HTTPURLResponse)?.statusCode == 299)
    #expect(try await hook.sink.ended()[0].answer?.stub == "answer")
  }

  @Test func aPersonMayAnswer() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    async let answer = hook.session().data(from: server.url("/json"))
    try await hook.sink.decide(.respond(CannedResponse(status: 418, body: .text("by hand"))))
    let (data, response) = try await answer
    #expect((response as? HTTPURLResponse)?.statusCode == 418)
    #expect(String(decoding: data, as: UTF8.self) == "by hand")
    #expect(try await hook.sink.ended()[0].answer?.by == .person)
  }

  @Test(
    .serialized,
    arguments: [
      (Verdict.Decision.drop, URLError.networkConnectionLost), (.fail(Fault(.named("timedOut"))), .timedOut),
    ])
  func aPersonMayMakeItFail(decision: Verdict.Decision, code: URLError.Code) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url).0 }
    try await hook.sink.decide(decision)
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == code)
    #expect(try await hook.sink.ended()[0].answer?.by == .person)
  }

  @Test func aReleaseLetsItGo() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.both)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url).0 }
    try await hook.sink.decide(nil)
    try await hook.sink.decide(nil)
    #expect(try await task.value.count == 31)
  }

  @Test func aCancelEndsTheHold() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    let delegate = CallbackRecorder()
    let task = hook.session(delegate: delegate).dataTask(with: server.url("/json"))
    task.resume()
    try await until { hook.sink.isHolding }
    task.cancel()
    #expect(try await delegate.completed() == [.complete(URLError.cancelled.rawValue)])
    #expect(hook.sink.unheld == 1)
    #expect(try await hook.sink.ended()[0].end?.outcome == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test func theTimeoutStopsWhileHeld() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    var request = URLRequest(url: server.url("/json"))
    request.timeoutInterval = 1
    let task = Task { [request] in try await hook.session().data(for: request).0 }
    try await until { hook.sink.isHolding }
    try await Task.sleep(for: .milliseconds(1_200))
    try await hook.sink.decide(nil)
    #expect(try await task.value.count == 31)
  }

  @Test func orRunsOnWhereThatIsWanted() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)], settings: HookSettings(timeoutRunsWhileHeld: true))
    var request = URLRequest(url: server.url("/json"))
    request.timeoutInterval = 0.1
    let error = await #expect(throws: URLError.self) { try await hook.session().data(for: request) }
    #expect(error?.code == .timedOut)
    #expect(hook.sink.unheld == 1)
  }

  @Test func aHeldResponseIsEdited() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.response)])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.isHolding }
    let told = hook.sink.exchanges[0]
    #expect(told.held == [.response])
    #expect(told.head?.status == 200)
    #expect(told.data.count == 31)
    let edited = RecordedResponse(status: 203, headers: [HeaderField("X-Edited", "1")], body: Data("edited".utf8))
    try await hook.sink.decide(.continue(request: nil, response: edited))
    let (data, response) = try await task.value
    #expect(String(decoding: data, as: UTF8.self) == "edited")
    #expect((response as? HTTPURLResponse)?.statusCode == 203)
    let end = try await hook.sink.ended()[0]
    #expect(end.head?.status == 203)
    #expect(end.data == Data("edited".utf8))
    #expect(end.end?.bytesReceived == 6)
  }

  @Test func editingTheHeadOfAResponseKeepsABodyThatWasToldInPart() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.response)], settings: HookSettings(bodyLimit: 4))
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.isHolding }
    let part = hook.sink.exchanges[0].data
    #expect(part.count == 4)
    let edited = RecordedResponse(status: 203, headers: [], body: part, truncated: true)
    try await hook.sink.decide(.continue(request: nil, response: edited))
    let (data, response) = try await task.value
    #expect(data.count == 31)
    #expect((response as? HTTPURLResponse)?.statusCode == 203)
  }

  @Test func aStubsResponseIsHeldToo() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.response), Stub(name: "answer", then: .respond(CannedResponse(status: 299)))])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url).1 }
    try await hook.sink.decide(nil)
    #expect((try await task.value as? HTTPURLResponse)?.statusCode == 299)
  }

  @Test func everythingIsHeldByTheSwitch() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([], holdAll: .request)
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url).0 }
    try await hook.sink.decide(nil)
    #expect(try await task.value.count == 31)
    #expect(try await hook.sink.ended()[0].held == [.request, .released])
  }

  @Test func whatIsUnmatchedIsHeldOnce() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([], unmatched: .hold)
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url).0 }
    try await hook.sink.decide(nil)
    #expect(try await task.value.count == 31)
    #expect(try await hook.sink.ended()[0].held == [.request, .released])
  }

  /// `{"gz": true, "t": "日本語"}`, which could be read as raw deflate.
  @Test(arguments: [Action.HoldPoint.request, .response])
  func aCompressedAnswerIsHeldAsTheProgramWouldSeeIt(_ point: Action.HoldPoint) async throws {
    enum Tag {}
    let packed = try #require(
      Data(base64Encoded: "H4sIAAAAAAACA6tWSq9SslIoKSpN1VFQKgEylZ5NX/pszpoXq+Yp1QIAh1ePxh4AAAA="))
    let server = try LoopbackServer { answer in
      answer.send(200, [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: Array(packed))
    }
    let plain = try await URLSession.shared.data(from: server.url("/")).0
    #expect(plain.count == 30)
    let hook = HookFixture<Tag>([hold(point)])
    let task = Task { try await hook.session().data(from: server.url("/")) }
    try await hook.sink.decide(.continue(request: nil, response: nil))
    let (data, response) = try await task.value
    #expect(data == plain)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
    #expect(try await hook.sink.ended()[0].data == plain)
  }

  /// Asks with a body of 13 bytes from a stream, and waits for the request to be held.
  private func heldStream<Tag>(_ hook: HookFixture<Tag>) async throws -> Task<Data, any Error> {
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data("from a stream".utf8))
    let task = Task { [request] in try await hook.session().data(for: request).0 }
    try await until { hook.sink.isHolding }
    return task
  }

  @Test func aStreamIsKeptWhereOnlyTheRestIsEdited() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    let task = try await heldStream(hook)
    let told = try #require(hook.sink.exchanges[0].start?.request)
    #expect(told.truncated && told.body == nil)
    var edited = told
    edited.url = server.url("/echo?edited").absoluteString
    try await hook.sink.decide(.continue(request: edited, response: nil))
    let text = String(decoding: try await task.value, as: UTF8.self)
    #expect(text.hasPrefix("POST /echo?edited\n"))
    #expect(text.contains("body 13 "))
  }

  @Test func aStreamGivesWayToAnotherBody() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    let task = try await heldStream(hook)
    var edited = try #require(hook.sink.exchanges[0].start?.request)
    edited.body = Data("typed".utf8)
    edited.truncated = false
    try await hook.sink.decide(.continue(request: edited, response: nil))
    #expect(String(decoding: try await task.value, as: UTF8.self).contains("body 5 "))
  }

  /// What waits for a connection gets one in no order, so that only one at a time may go on here.
  @Test func manyThatAreLetGoArriveInThatOrder() async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.request)])
    let session = hook.session { $0.httpMaximumConnectionsPerHost = 1 }
    var tasks: [Task<Int, any Error>] = []
    for number in 0..<100 {
      let url = server.url("/echo?\(number)")
      tasks.append(Task { try await session.data(from: url).0.count })
      try await until { hook.sink.holding.count == number + 1 }
    }
    let order = Array((0..<100).reversed())
    let keys = hook.sink.holding.sorted()
    for number in order { hook.sink.decide(.continue(request: nil, response: nil), key: keys[number]) }
    for task in tasks { #expect(try await task.value > 0) }
    #expect(server.requests.map(\.target) == order.map { "/echo?\($0)" })
  }

  /// What a person made of the URL may be none: then the request goes on as it was, and they are told.
  @Test func whatIsNoURLIsNotTaken() async throws {
    enum Tag {}
    let answer = Stub(name: "answer", then: .respond(CannedResponse(status: 299)))
    let hook = HookFixture<Tag>([hold(.request), answer])
    let task = Task { try await hook.session().data(from: URL(string: "http://a.example/x")!) }
    let edited = RecordedRequest(method: "PUT", url: "http://[bad", headers: [], body: Data("x".utf8))
    try await hook.sink.decide(.continue(request: edited, response: nil))
    #expect((try await task.value.1 as? HTTPURLResponse)?.statusCode == 299)
    let told = try await hook.sink.ended()
    #expect(told[0].sent == nil && told[0].answer == ExchangeUpdate.Answer(by: .stub, stub: "answer"))
    #expect(
      hook.sink.notices == ["The edited URL “http://[bad” is none, so the request went on as it was; edit it again."])
  }

  /// Nor is it another request where the person changed nothing.
  @Test func whatIsEditedToWhatItWasIsNotAnother() async throws {
    enum Tag {}
    let answer = Stub(name: "answer", then: .respond(CannedResponse(status: 299)))
    for body in [Data("the body".utf8), Data("another".utf8)] {
      let hook = HookFixture<Tag>([hold(.request), answer])
      var request = URLRequest(url: URL(string: "http://a.example/x")!)
      request.httpMethod = "POST"
      request.httpBody = Data("the body".utf8)
      request.setValue("1", forHTTPHeaderField: "A")
      let task = Task { [request] in try await hook.session().data(for: request) }
      let edited = RecordedRequest(
        method: "POST", url: "http://a.example/x", headers: [HeaderField("A", "1")], body: body)
      try await hook.sink.decide(.continue(request: edited, response: nil))
      _ = try await task.value
      let told = try await hook.sink.ended()
      #expect(told[0].sent?.body == (body == Data("another".utf8) ? body : nil) && hook.sink.notices == [])
    }
  }

  /// HTTP has none in an answer to HEAD.
  @Test(
    arguments: [("GET", "typed", "typed"), ("GET", nil, ""), ("HEAD", "typed", "")] as [(String, String?, String)])
  func theBodyOfAnEditedResponseIsThePersons(_ method: String, _ typed: String?, _ expected: String) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.response)])
    var request = URLRequest(url: server.url("/json"))
    request.httpMethod = method
    let task = Task { [request] in try await hook.session().data(for: request) }
    let edited = RecordedResponse(status: 203, headers: [], body: typed.map { Data($0.utf8) })
    try await hook.sink.decide(.continue(request: nil, response: edited))
    let (data, response) = try await task.value
    #expect(String(decoding: data, as: UTF8.self) == expected)
    #expect((response as? HTTPURLResponse)?.statusCode == 203)
  }

  /// A stub that changes something stays named.
  @Test(arguments: [(PassChanges(), nil), (PassChanges(status: 299), "pass")] as [(PassChanges, String?)])
  func whatOnlyLetItPassIsNotNamedAsItsAnswer(_ changes: PassChanges, _ named: String?) async throws {
    enum Tag {}
    let hook = HookFixture<Tag>([hold(.response), Stub(name: "pass", then: .pass(changes))])
    let url = server.url("/json")
    let task = Task { try await hook.session().data(from: url) }
    try await until { hook.sink.isHolding }
    #expect(hook.sink.exchanges[0].answer?.stub == "pass")
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect(try await task.value.0.count == 31)
    let answer = try await hook.sink.ended()[0].answer
    #expect(answer?.by == .network && answer?.stub == named)
  }

  @Test func theHeldAnswerOfAStubToWhichARedirectLedIsTheStubs() async throws {
    enum Tag {}
    let answer = Stub(
      name: "answer", when: RequestPattern(path: .glob("/chain/0")), then: .respond(CannedResponse(status: 299)))
    let hook = HookFixture<Tag>([hold(.response), answer])
    let url = server.url("/chain/1")
    let task = Task { try await hook.session().data(from: url).1 }
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect((try await task.value as? HTTPURLResponse)?.statusCode == 299)
    let told = try await hook.sink.ended()[0]
    #expect(told.answer?.by == .stub && told.answer?.stub == "answer")
    #expect(told.held == [.response, .released] && told.hops.map(\.status) == [302])
  }

  @Test func aRequestToWhichARedirectLedIsHeldBeforeItIsSent() async throws {
    enum Tag {}
    let last = Stub(name: "last", when: RequestPattern(path: .glob("/chain/0")), then: .hold(.request))
    let hook = HookFixture<Tag>([last])
    let url = server.url("/chain/1")
    let task = Task { try await hook.session().data(from: url).0 }
    try await until { hook.sink.isHolding }
    #expect(server.requests.map(\.target) == ["/chain/1"])
    #expect(hook.sink.exchanges[0].answer?.stub == "last")
    try await hook.sink.decide(.continue(request: nil, response: nil))
    #expect(String(decoding: try await task.value, as: UTF8.self) == "end of the chain")
    #expect(server.requests.map(\.target) == ["/chain/1", "/chain/0"])
    let answer = try await hook.sink.ended()[0].answer
    #expect(answer?.by == .network && answer?.stub == nil)
  }

  @Test func aRequestToWhichAStubLedAndThatNoneTakesIsHeldAsTheNetworks() async throws {
    enum Tag {}
    let away = Stub(
      name: "away", when: RequestPattern(path: .glob("/start")),
      then: .respond(CannedResponse(status: 302, headers: [HeaderField("Location", "/json")])))
    let hook = HookFixture<Tag>([away], unmatched: .hold)
    let url = server.url("/start")
    let task = Task { try await hook.session().data(from: url).0 }
    try await until { hook.sink.isHolding }
    let answer = hook.sink.exchanges[0].answer
    #expect(answer?.by == .network && answer?.stub == nil && server.requests.isEmpty)
    try await hook.sink.decide(nil)
    #expect(try await task.value.count == 31)
  }

  /// As often as where it is not held.
  @Test func whatWasSentIsNotToldAgainWhenAHeldResponseGoesOn() async throws {
    enum Held {}
    enum Passed {}
    let held = HookFixture<Held>([hold(.response)])
    let passed = HookFixture<Passed>(.pass(PassChanges(status: 299)))
    var request = URLRequest(url: server.url("/echo"))
    request.httpMethod = "POST"
    let (heard, usual) = (CallbackRecorder(), CallbackRecorder())
    held.session(delegate: heard).uploadTask(with: request, from: Data("the body".utf8)).resume()
    passed.session(delegate: usual).uploadTask(with: request, from: Data("the body".utf8)).resume()
    try await held.sink.decide(nil)
    let sent = try await heard.completed().filter { $0 == .sent(8) }
    let usually = try await usual.completed().filter { $0 == .sent(8) }
    #expect(sent == usually && !sent.isEmpty)
  }
}
