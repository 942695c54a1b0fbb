import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests of a process to which `run` has promised stubs, before these come, and when they do not come.
@Suite("Requests before the stubs that were promised", .bounded)
struct PromisedStubsTests {
  private static let teapot = Stub(
    name: "teapot", when: RequestPattern(path: .glob("/tea")),
    then: .respond(CannedResponse(status: 418, body: .text("short and stout"))))

  private static func push(_ unmatched: StubSet.Unmatched, _ stubs: [Stub] = [teapot]) -> StubPush {
    StubPush(set: StubSet(revision: 3, stubs: stubs, unmatched: unmatched))
  }

  @Test(.serialized, arguments: [StubSet.Unmatched.pass, .fail, .hold])
  func theyWaitHoweverLateTheStubsAre(unmatched: StubSet.Unmatched) throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: nil)
    let hook = PromisedHook<Never>(unmatched, console)
    let tasks = (0..<8).map { _ in hook.ask(server.url("/tea")) }
    usleep(1_500_000)
    #expect(tasks.allSatisfy { $0.answer == nil })
    console.send(.stubs(Self.push(unmatched)))
    for task in tasks { #expect(task.waits() == "418 short and stout") }
    #expect(server.requests.isEmpty)
    #expect(console.waits { $0.updates.count { $0.end != nil } == 8 })
    // They began when the program made them.
    #expect(console.updates.allSatisfy { $0.start?.revision == 3 && $0.end?.at ?? 0 > 1_000_000 })
  }

  @Test(
    .serialized,
    arguments: [
      (StubSet.Unmatched.pass, "200 {\"n\":1}", 1), (.fail, "the console sent no stubs within 5 s", 0), (.hold, nil, 0),
    ] as [(StubSet.Unmatched, String?, Int)])
  func theyWaitNoLongerThanTheyAreTo(unmatched: StubSet.Unmatched, answer: String?, sent: Int) throws {
    let server = try LoopbackServer { $0.send(text: "{\"n\":1}") }
    let console = FakeConsole(push: nil)
    let hook = PromisedHook<Int>(unmatched, console)
    let task = hook.ask(server.url("/tea"))
    let began = ContinuousClock.now
    if let answer {
      #expect(task.waits()?.contains(answer) == true, "\(task.answer ?? "")")
      #expect(began.duration(to: .now) > .seconds(4))
      #expect(hook.ask(server.url("/more")).waits()?.contains(answer) == true, "the next one need not wait")
      #expect(began.duration(to: .now) < .seconds(5) + Patience.usual)
      #expect(console.waits { $0.updates.count { $0.end != nil } == 2 }, "told although no stubs ever came")
      #expect(console.updates.compactMap(\.start).allSatisfy { $0.revision == Exchange.revisionBeforeStubs })
    } else {
      usleep(5_500_000)
      #expect(task.answer == nil)
    }
    #expect(server.requests.count == sent * 2)
    // Late as they are, they count from then on.
    console.send(.stubs(Self.push(unmatched)))
    #expect(console.hears(.applied(revision: 3)))
    #expect(hook.ask(server.url("/tea")).waits() == "418 short and stout")
    if answer == nil { #expect(task.waits() == "418 short and stout") }
  }

  @Test(.serialized, arguments: [StubSet.Unmatched.pass, .fail, .hold])
  func aConsoleThatIsGoneIsNotWaitedFor(unmatched: StubSet.Unmatched) throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: nil)
    let hook = PromisedHook<String>(unmatched, console)
    let task = hook.ask(server.url("/json"))
    #expect(console.waits { !$0.heard.isEmpty })
    console.stop()
    switch unmatched {
    case .pass: #expect(task.waits()?.hasPrefix("200") == true)
    case .fail: #expect(task.waits()?.contains("there is no console at") == true, "\(task.answer ?? "")")
    case .hold:
      usleep(2_000_000)
      #expect(task.answer == nil)
    }
    #expect(server.requests.count == (unmatched == .pass ? 1 : 0))
    let next = FakeConsole(path: console.path, push: Self.push(unmatched, []))
    #expect(next.hears(.applied(revision: 3)))
    guard unmatched == .hold else { return }
    #expect(next.waits { $0.updates.contains { $0.held == .request } })
    let key = try #require(next.updates.first { $0.held == .request }?.key)
    next.send(.verdict(Verdict(key: key, decision: .continue(request: nil, response: nil))))
    #expect(task.waits()?.hasPrefix("200") == true)
  }

  /// From the console's death on, and until another one is there.
  @Test(.serialized, arguments: [StubSet.Unmatched.fail, .hold])
  func noRequestEscapesWhenTheConsoleDiesAndComesBack(unmatched: StubSet.Unmatched) throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: Self.push(unmatched))
    let hook = PromisedHook<Bool>(unmatched, console)
    #expect(console.hears(.applied(revision: 3)))
    let held = hook.ask(server.url("/json"))
    if unmatched == .hold { #expect(console.waits { $0.updates.contains { $0.held == .request } }) }
    var asked = [held]
    let until = ContinuousClock.now + .seconds(2)
    console.stop()
    while ContinuousClock.now < until {
      asked.append(hook.ask(server.url("/json")))
      usleep(5_000)
    }
    let next = FakeConsole(path: console.path, push: Self.push(unmatched))
    #expect(next.hears(.applied(revision: 3)))
    asked.append(hook.ask(server.url("/json")))
    if unmatched == .fail {
      for task in asked { #expect(task.waits()?.contains("-1008") == true, "\(task.answer ?? "")") }
    } else {
      #expect(next.waits { $0.updates.count { $0.held == .request } == asked.count })
      #expect(asked.allSatisfy { $0.answer == nil })
      for task in asked { task.cancel() }
    }
    #expect(server.requests.isEmpty)
  }

  @Test func theyAreSuspendedResumedAndCancelledWhileTheyWait() throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: nil)
    let hook = PromisedHook<Double>(.fail, console)
    let (suspended, cancelled, both, plain) = (
      hook.ask(server.url("/tea")), hook.ask(server.url("/tea")), hook.ask(server.url("/tea")),
      hook.ask(server.url("/tea"))
    )
    // Foundation looks into the session's cache first, elsewhere; what is cancelled meanwhile has never begun.
    #expect(hook.waits(forStarts: 4))
    suspended.task.suspend()
    both.task.suspend()
    both.task.resume()
    cancelled.cancel()
    #expect(cancelled.waits()?.contains("-999") == true)
    console.send(.stubs(Self.push(.fail)))
    #expect(plain.waits() == "418 short and stout")
    #expect(both.waits() == "418 short and stout")
    usleep(100_000)
    #expect(suspended.answer == nil)
    suspended.task.resume()
    #expect(suspended.waits() == "418 short and stout")
    #expect(console.waits { $0.updates.count { $0.end != nil } == 4 })
    #expect(console.updates.count { $0.end?.outcome == .cancelled } == 1)
    #expect(server.requests.isEmpty)
  }

  /// What the console wants of a host is not known when its requests are taken.
  @Test func oneThatIsNotWantedGoesItsWay() throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: nil, settings: HookSettings(degree: .bypass))
    let hook = PromisedHook<Float>(.pass, console)
    let task = hook.ask(server.url("/json"))
    #expect(hook.waits(forStarts: 1))
    console.send(.stubs(Self.push(.pass)))
    #expect(task.waits()?.hasPrefix("200") == true)
    #expect(console.updates.isEmpty)
  }

  @Test(.serialized, arguments: ["fail", "hold"])
  func whereAPassedRequestLeadsIsAskedForAnew(unmatched: String) throws {
    let server = try LoopbackServer { answer in
      if answer.request.path == "/from" {
        answer.send(302, [("Location", "/to")])
      } else {
        answer.send(text: "there")
      }
    }
    let pass = Stub(name: "pass", when: RequestPattern(path: .glob("/from")), then: .pass(PassChanges()))
    let console = FakeConsole(push: Self.push(StubSet.Unmatched(rawValue: unmatched)!, [pass]))
    let hook = PromisedHook<UInt8>(StubSet.Unmatched(rawValue: unmatched)!, console)
    let task = hook.ask(server.url("/from"))
    if unmatched == "fail" {
      #expect(task.waits()?.contains("-1008") == true, "\(task.answer ?? "")")
    } else {
      #expect(console.waits { $0.updates.contains { $0.held == .request } })
      #expect(task.answer == nil)
      task.cancel()
    }
    #expect(server.requests.map(\.path) == ["/from"])
  }

  /// A stub that only holds the response is no answer.
  @Test func holdingTheResponseLetsNothingPass() throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: Self.push(.fail, [Stub(name: "hold", then: .hold(.response))]))
    let hook = PromisedHook<UInt16>(.fail, console)
    #expect(hook.ask(server.url("/json")).waits()?.contains("-1008") == true)
    #expect(server.requests.isEmpty)
  }

  @Test func strictCodeIsNotOverruledByTheDegree() throws {
    let server = try LoopbackServer()
    let console = FakeConsole(push: Self.push(.pass), settings: HookSettings(degree: .bypass))
    let hook = PromisedHook<UInt32>(.pass, console)
    hook.fixture.controller.changeCode { $0.strictness.everywhere = true }
    #expect(hook.ask(server.url("/json")).waits()?.contains("strict mode") == true)
    console.send(.settings(HookSettings(degree: .observe)))
    #expect(hook.fixture.waits { $0.hook.snapshot.settings.degree == .observe })
    #expect(hook.ask(server.url("/json")).waits()?.contains("strict mode") == true)
    #expect(server.requests.isEmpty)
  }
}

/// A hook that was promised stubs, with a session that only it decides for.
private final class PromisedHook<Tag>: Sendable {
  let fixture: LinkFixture
  private let session: URLSession

  init(_ unmatched: StubSet.Unmatched, _ console: FakeConsole) {
    fixture = LinkFixture(console.path, promise: StubPromise(unmatched: unmatched))
    PromisedProtocol<Tag>.own.withLock { [hook = fixture.hook] in $0.hook = hook }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [PromisedProtocol<Tag>.self] + (configuration.protocolClasses ?? [])
    configuration.httpMaximumConnectionsPerHost = 1000
    session = URLSession(configuration: configuration)
    fixture.link.begin(.configuration)
  }

  deinit { session.invalidateAndCancel() }

  func ask(_ url: URL) -> Asked { Asked(url, session) }

  /// Waits until that many requests have come to the hook; false when they do not in time.
  func waits(forStarts count: Int) -> Bool {
    let deadline = ContinuousClock.now + Patience.usual
    while PromisedProtocol<Tag>.own.withLock({ $0.starts }) < count {
      guard ContinuousClock.now < deadline else { return false }
      usleep(1000)
    }
    return true
  }
}

private final class PromisedProtocol<Tag>: PatchbayURLProtocol {
  static var own: SeenLock<PromisedHooks.Own> { PromisedHooks.all.box(for: ObjectIdentifier(self)) }
  override class var snapshot: HookSnapshot { own.withLock { $0.hook }.snapshot }

  override func startLoading() {
    super.startLoading()
    Self.own.withLock { $0.starts += 1 }
  }
}

private final class PromisedHooks: Sendable {
  /// What each class of hooks has for itself.
  struct Own {
    var hook = HookState()
    /// How many requests have come to it.
    var starts = 0
  }

  static let all = PromisedHooks()

  private let boxes = SeenLock<[ObjectIdentifier: SeenLock<Own>]>([:])

  func box(for type: ObjectIdentifier) -> SeenLock<Own> {
    boxes.withLock { boxes in
      if let box = boxes[type] { return box }
      let box = SeenLock(Own())
      boxes[type] = box
      return box
    }
  }
}

/// One request and what the program got.
private final class Asked: Sendable {
  let task: URLSessionTask
  private let box = SeenLock<String?>(nil)

  init(_ url: URL, _ session: URLSession) {
    task = session.dataTask(with: url) { [box] data, response, error in
      box.withLock {
        if let error {
          $0 = "\((error as NSError).code) \(error.localizedDescription) \(error)"
        } else {
          $0 = "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data ?? Data(), as: UTF8.self))"
        }
      }
    }
    task.resume()
  }

  var answer: String? { box.withLock { $0 } }

  func cancel() { task.cancel() }

  func waits() -> String? {
    let deadline = ContinuousClock.now + Patience.usual
    while answer == nil, ContinuousClock.now < deadline { usleep(1000) }
    return answer
  }
}
