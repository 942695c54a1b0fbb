import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What the console orders and hears", .bounded)
struct ConsoleOrdersTests {
  private static let stub = Stub(
    name: "s", then: .sequence([.respond(CannedResponse(status: 500)), .respond(CannedResponse())], afterwards: .last))

  private func decide(_ fixture: LinkFixture, _ url: String = "http://a.example/") -> StubDecider.Outcome? {
    fixture.hook.snapshot.stubs?.decide(
      RequestFacts(method: "GET", url: url), of: URLRequest(url: URL(string: url)!), scope: nil
    ).taken
  }

  @Test func countersAreReportedAndReset() {
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [Self.stub])))
    let fixture = LinkFixture(console.path)
    fixture.attach()
    #expect(decide(fixture)?.match?.stub == "s")
    fixture.report()
    #expect(console.hears(.progress([StubProgress(name: "s", hits: 1, nextStep: 1)])))
    console.send(.resetCounts(name: "s"))
    #expect(
      console.waits { $0.heard.contains { if case .progress(let rows) = $0 { rows[0].hits == 0 } else { false } } })
    guard case .respond(let response)? = decide(fixture)?.action else {
      Issue.record("no answer")
      return
    }
    #expect(response.status == 500)
  }

  @Test func countersOutliveAChangeOfOtherStubs() {
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [Self.stub])))
    let fixture = LinkFixture(console.path)
    fixture.attach()
    _ = decide(fixture)
    let other = Stub(name: "other", when: RequestPattern(url: .glob("*/x")), then: .pass(PassChanges()))
    console.send(.stubs(StubPush(set: StubSet(revision: 2, stubs: [other, Self.stub]))))
    #expect(console.hears(.applied(revision: 2)))
    guard case .respond(let response)? = decide(fixture)?.action else {
      Issue.record("no answer")
      return
    }
    #expect(response.status == 200)
  }

  @Test func stubsInCodeAreAnnouncedAndSwitchedOff() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    let declared = Stub(name: "mine", then: .respond(CannedResponse(status: 204)))
    var id: UInt64 = 0
    fixture.controller.changeCode { id = $0.add(CodeStub(id: 0, stub: declared)).id }
    fixture.attach()
    #expect(console.hears(.codeStubs([declared])))
    #expect(decide(fixture)?.by == .code)
    console.send(.stubs(StubPush(set: StubSet(revision: 2), disabledCodeStubs: ["mine"])))
    #expect(console.hears(.applied(revision: 2)))
    #expect(decide(fixture) == nil)
    fixture.controller.changeCode { $0.remove(id) }
    #expect(console.hears(.codeStubs([])))
  }

  @Test func stubsInCodeWorkOnWithoutTheConsole() {
    let console = FakeConsole()
    let fixture = LinkFixture(console.path)
    let declared = Stub(name: "mine", then: .respond(CannedResponse(status: 204)))
    fixture.controller.changeCode { _ = $0.add(CodeStub(id: 0, stub: declared)) }
    fixture.attach()
    console.stop()
    #expect(fixture.waits { $0.link.phase == .waiting })
    #expect(decide(fixture)?.match?.stub == "mine")
  }

  @Test func aReplayIsSentAndReportedWithItsToken() throws {
    let server = try LoopbackServer()
    let console = FakeConsole()
    let child = try ChildProcess("attached-harness", ["linked", "", "2000"], socket: console.path)
    #expect(console.hears(.applied(revision: 1)))
    let request = RecordedRequest(
      method: "POST", url: server.url("/echo").absoluteString,
      headers: [
        HeaderField("X-Again", "yes"), HeaderField("HOST", "other.example"), HeaderField("Content-Length", "99"),
        HeaderField("Connection", "close"), HeaderField("Transfer-Encoding", "gzip"),
      ], body: Data("body".utf8))
    console.send(.replay(Replay(token: 77, request: request)))
    console.send(.replay(Replay(token: 78, request: RecordedRequest(method: "GET", url: "http://[bad"))))
    #expect(console.waits { $0.updates.contains { $0.end != nil } })
    let start = console.updates.compactMap(\.start).first
    #expect(start?.replay == 77 && start?.request.method == "POST" && start?.request.body == Data("body".utf8))
    #expect(server.requests.count == 1)
    #expect(
      console.waits { $0.heard.contains { if case .notice(let text) = $0 { text.contains("[bad") } else { false } } })
    // What belongs to one connection, or one body, is made anew.
    let received = server.requests.first
    #expect(received?.header("X-Again") == "yes" && received?.header("Host") == "127.0.0.1:\(server.port)")
    #expect(received?.header("Content-Length") == "4" && received?.header("Transfer-Encoding") == nil)
    #expect(received?.header("Connection") != "close")
    // And no order has the cookies of another.
    for (token, path) in [(79, "/cookie/set?a=1"), (80, "/echo")] as [(UInt64, String)] {
      let ended = console.updates.count { $0.end != nil }
      let request = RecordedRequest(method: "GET", url: server.url(path).absoluteString)
      console.send(.replay(Replay(token: token, request: request)))
      #expect(console.waits { $0.updates.count { $0.end != nil } == ended + 1 })
    }
    #expect(server.requests.count == 3 && server.requests.last?.header("Cookie") == nil)
    child.signal(SIGKILL)
    _ = child.wait()
  }

  /// The hook's thread sleeps without a timer: in an idle process it is not scheduled at all.
  @Test func anIdleLinkDoesNotWakeUp() throws {
    let console = FakeConsole()
    let child = try ChildProcess("attached-harness", ["linked", "", "2000"], socket: console.path)
    #expect(console.hears(.applied(revision: 1)))
    #expect(child.waits { $0.linkThreadSwitches != nil })
    #expect(
      child.waits { child in
        let before = child.linkThreadSwitches
        usleep(300_000)
        return before != nil && child.linkThreadSwitches == before
      })
    child.signal(SIGKILL)
    _ = child.wait()
  }
}

extension ChildProcess {
  /// How often the hook's thread has gone to sleep so far; nil where there is none.
  fileprivate var linkThreadSwitches: Int? {
    let folder = "/proc/\(pid)/task"
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for task in tasks where (try? String(contentsOfFile: "\(folder)/\(task)/comm", encoding: .utf8)) == "patchbay\n" {
      let status = (try? String(contentsOfFile: "\(folder)/\(task)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return line.flatMap { Int($0.split(separator: "\t").last ?? "") }
    }
    return nil
  }
}
