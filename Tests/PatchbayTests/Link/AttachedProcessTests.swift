import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

@Suite("A program that attaches", .bounded)
struct AttachedProcessTests {
  private static let teapot = StubPush(
    set: StubSet(
      revision: 3,
      stubs: [Stub(name: "teapot", then: .respond(CannedResponse(status: 418, body: .text("short and stout"))))]))

  @Test(arguments: ["once", "return", "quick", "configuration", "classes"])
  func theOnlyRequestIsStubbedAndRecorded(mode: String) throws {
    let (console, child) = try stubbed([mode, "http://nowhere.example/a"], says: ["418 15"], telling: 1)
    #expect(child.lines == ["418 15"])
    #expect(console.waits { $0.ended == 1 })
    let update = console.updates.first
    #expect(console.updates.count == 1)
    #expect(update?.answer == ExchangeUpdate.Answer(by: .stub, stub: "teapot"))
    #expect(update?.end?.outcome == .responded && update?.start?.revision == 3)
  }

  /// A program whose first request meets the stubs, and whose last one is told. A busy machine may be later than the 250 ms
  /// for which a program waits at each end, but not each time.
  private func stubbed(
    _ arguments: [String], says lines: [String], telling count: Int
  ) throws -> (FakeConsole, ChildProcess) {
    var tries = Patience.tries(5)
    while true {
      let console = FakeConsole(push: Self.teapot)
      let child = try ChildProcess("attached-harness", arguments, socket: console.path)
      #expect(child.wait() == 0)
      let isWhole = child.lines == lines && console.waits { $0.ended == count } && console.updates.count == count
      tries -= 1
      if isWhole || tries == 0 { return (console, child) }
    }
  }

  @Test(arguments: [("once", 1), ("once", 2), ("download", 8)])
  func theLastRequestBeforeExitIsRecordedWhole(mode: String, megabytes: Int) throws {
    let server = try LoopbackServer()
    let console = FakeConsole()
    // A busy machine may need longer than the 250 ms that a program gives at each end, but not each time.
    var recorded = 0
    for round in 1...5 {
      let seen = console.updates.count
      let child = try ChildProcess(
        "attached-harness", [mode, server.url("/big?mb=\(megabytes)").absoluteString], socket: console.path)
      #expect(child.wait() == 0)
      #expect(console.waits { $0.ended == round })
      let updates = console.updates.dropFirst(seen)
      guard updates.last?.end != nil else { continue }
      recorded += 1
      let bytes = updates.compactMap { $0.data?.count }.reduce(0, +)
      #expect(bytes >= megabytes * 1_000_000 || console.updates.last?.end?.responseTruncated == true)
    }
    #expect(recorded >= 3)
  }

  /// The console is stopped before the requests and goes on when the program has ended. A busy machine may need longer
  /// than a program's end gives, and the last count is missing then, but not each time; where there is one it is right.
  @Test(arguments: [(200, 400_000, 0), (200, 100, 400_000), (10_000, 100, 0)])
  func whatAStoppedConsoleMissesIsCounted(count: Int, answer: Int, upload: Int) throws {
    var sums: [String] = []
    let deadline = ContinuousClock.now + Patience.usual
    repeat {
      let (updates, shed) = try burst(count: count, answer: answer, upload: upload)
      let begun = updates.count { $0.start != nil }
      let ended = updates.filter { $0.end != nil }
      let cut = updates.count { $0.start?.request.truncated == true || $0.end?.requestTruncated == true }
      let bodies = ended.count { $0.end?.responseTruncated == true } + cut
      sums.append("\(begun) begun, \(ended.count) ended, \(bodies) bodies cut, \(shed)")
      let whole = ended.count + Int(shed.exchanges)
      #expect(whole <= count, "\(sums)")
      if begun == ended.count, whole == count, Int(shed.bodies) == bodies, count > 200 || shed.exchanges == 0 { return }
    } while sums.count < 5 || ContinuousClock.now < deadline
    Issue.record("\(sums)")
  }

  private func burst(count: Int, answer: Int, upload: Int) throws -> ([ExchangeUpdate], Shed) {
    let body = String(repeating: "a", count: answer)
    let stub = Stub(name: "a", then: .respond(CannedResponse(body: .text(body))))
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [stub])))
    console.stopsReading(after: .applied(revision: 1))
    let child = try ChildProcess(
      "attached-harness", ["burst", "http://nowhere.example/a", "\(count)", "\(upload)"], socket: console.path)
    #expect(child.wait() == 0)
    #expect(child.lines == ["\(count) answered"])
    console.isReading = true
    #expect(console.waits { $0.ended == 1 })
    return (
      console.updates, console.heard.compactMap { if case .shed(let shed) = $0 { shed } else { nil } }.last ?? Shed()
    )
  }

  @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the thread sanitizer has an allocator of its own"))
  func thousandsOfRequestsLeaveNothingBehind() throws {
    let server = try LoopbackServer()
    let stub = Stub(
      name: "stub", when: RequestPattern(host: .glob("stubbed.test")),
      then: .respond(CannedResponse(body: .text("short and stout"))))
    let console = FakeConsole(push: StubPush(set: StubSet(revision: 1, stubs: [stub])))
    let count = 2_500
    let child = try ChildProcess(
      "attached-harness", ["memory", server.url("/json").absoluteString, "\(count)"], socket: console.path)
    #expect(child.wait() == 0)
    var said: [String: Int] = [:]
    for line in child.lines {
      let words = line.split(separator: " ")
      said[String(words[0])] = Int(words[words.count - 1]) ?? .max
    }
    // Dispatch keeps up to 64 KiB of its own for each thread that it once had; a request that stayed, with what it has,
    // would be a kilobyte or more.
    #expect(said["stubbed"] ?? .max < 3_000_000, "\(child.lines)")
    #expect((said["passed"] ?? .max) - (said["bare"] ?? 0) < 1_500_000, "\(child.lines)")
    #expect(said["threads"] == 1)
  }

  @Test func aKilledConsoleIsNotNoticedByTheProgram() throws {
    let server = try LoopbackServer()
    let console = FakeConsole()
    let child = try ChildProcess(
      "attached-harness", ["loop", server.url("/json").absoluteString, "300", "1"], socket: console.path)
    #expect(console.waits { $0.updates.count > 20 })
    console.stop()
    #expect(child.wait() == 0)
    #expect(child.lines.count == 300)
    for line in child.lines {
      let words = line.split(separator: " ")
      #expect(words.count == 5 && words[1] == "200", "\(line)")
      #expect(Int(words[3]) ?? 10_000 < 5_000, "\(line)")
    }
  }

  @Test func aConsoleStartedLaterTakesOver() throws {
    let console = FakeConsole(push: Self.teapot, listening: false)
    let child = try ChildProcess(
      "attached-harness", ["loop", "http://127.0.0.1:9/", "2000", "10"], socket: console.path)
    #expect(child.waits { $0.lines.count > 3 })
    console.listen()
    #expect(child.waits { $0.lastLine.contains(" 418 ") })
    console.stop()
    #expect(child.waits { $0.lastLine.contains("error -1004") })
    let next = FakeConsole(path: console.path, push: Self.teapot)
    #expect(child.waits { $0.lastLine.contains(" 418 ") })
    next.stop()
    child.signal(SIGKILL)
    _ = child.wait()
  }

  @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the thread sanitizer ends a forked child that starts a thread"))
  func aForkedChildAttachesForItself() throws {
    let lines = ["child 418 15", "child ended 0", "parent 418 15"]
    let (console, child) = try stubbed(["fork", "http://nowhere.example/a"], says: lines, telling: 2)
    #expect(child.lines == lines)
    #expect(console.waits { $0.updates.count == 2 })
    let hellos = console.heard.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }
    #expect(hellos.count == 2)
    #expect(Set(hellos.map(\.instance)).count == 2 && Set(hellos.map(\.process.pid)).count == 2)
    #expect(hellos.last?.parent == hellos.first?.process.pid)
  }

  @Test func aProgramThatClosesTheHooksSocketsIsLinkedAgain() throws {
    let console = FakeConsole(push: Self.teapot)
    let child = try ChildProcess(
      "attached-harness", ["close", "http://nowhere.example/a", "250", "20"], socket: console.path)
    #expect(child.wait() == 0)
    #expect(child.lines.first == "418 15")
    #expect(child.lines.dropLast().last == "418 15" && child.lines.last == "calm")
    #expect(console.waits { $0.ended > 1 })
  }

  private static let late =
    ["shared", "default", "delegate", "mocked", "bare"].map { "\($0): error -1004" }
    + ["shared", "default", "delegate", "mocked", "bare", "later"].map { "\($0): 418 15" }
    + [
      "mocked has Mock PatchbayURLProtocol _HTTPURLProtocol _FTPURLProtocol _WebSocketURLProtocol", "gone",
    ]

  @Test func noCallIsTooLate() throws {
    let console = FakeConsole(push: Self.teapot)
    let child = try ChildProcess("attached-harness", ["late", "http://nowhere.example/a"], socket: console.path)
    #expect(child.wait() == 0)
    #expect(child.lines == Self.late)
  }

  /// A console is there, which nobody has asked for.
  @Test func aStubAloneReachesEachSessionAndNoConsole() throws {
    let console = FakeConsole(push: Self.teapot)
    let child = try ChildProcess("attached-harness", ["late stub", "http://nowhere.example/a"], socket: console.path)
    #expect(child.wait() == 0)
    #expect(child.lines == Self.late + ["native again: error -1004", "notAttached"])
    #expect(console.linkCount == 0)
  }

  @Test func strictModeAloneReachesEachSession() throws {
    let child = try ChildProcess("attached-harness", ["late strict", "http://nowhere.example/a"])
    #expect(child.wait() == 0)
    let refusal =
      "error 0 No stub takes GET http://nowhere.example/a, and strict mode lets nothing through: add a stub, or set "
      + "Patchbay.isStrict to false."
    #expect(child.lines == Self.late.map { $0.replacingOccurrences(of: "418 15", with: refusal) }, "\(child.output)")
  }

  @Test func aLookAtWhatWasAskedAloneReachesEachSession() throws {
    let child = try ChildProcess("attached-harness", ["late exchanges", "http://127.0.0.1:9/x"])
    #expect(child.wait() == 0)
    #expect(
      Array(child.lines.suffix(5)) == [
        "asked 6", "verified", "6 requests fit GET */x, not 7.", "verified",
        "6 requests fit GET */x, not less than 6.",
      ], "\(child.output)")
  }

  @Test(.disabled(if: Harness.isSanitized, "a sanitizer's runtime cannot be preloaded beside ours"))
  func norBelowThePreload() throws {
    let console = FakeConsole(push: Self.teapot)
    let child = try ChildProcess(
      "attached-harness", ["late", "http://nowhere.example/a"], socket: console.path,
      environment: Harness.preload(socket: console.path))
    #expect(child.wait() == 0)
    #expect(Array(child.lines.dropFirst(5)) == Array(Self.late.dropFirst(5)), "\(child.output)")
  }

  @Test func aStoppedConsoleDoesNotStopTheProgram() throws {
    let server = try LoopbackServer()
    let console = FakeConsole()
    console.isReading = true
    let child = try ChildProcess(
      "attached-harness", ["loop", server.url("/big?mb=1").absoluteString, "20", "0"], socket: console.path)
    #expect(console.waits { $0.linkCount == 1 && !$0.updates.isEmpty })
    console.isReading = false
    #expect(child.wait() == 0)
    #expect(child.lines.count == 20 && child.lines.allSatisfy { $0.contains(" 200 1") })
    console.isReading = true
  }

  @Test func nothingIsPrinted() throws {
    let child = try ChildProcess("attached-harness", ["linked", "", "3"])
    #expect(child.wait() == 0)
    #expect(child.lines == ["waiting"])
    let long = try ChildProcess(
      "attached-harness", ["linked", "", "3"], socket: "/tmp/" + String(repeating: "x", count: 120))
    #expect(long.wait() == 0)
    #expect(long.lines == ["waiting"])
  }

  @Test func whatChangesTheWholeProcess() throws {
    let child = try ChildProcess("attached-harness", ["code"])
    #expect(child.wait() == 0)
    #expect(
      child.lines == [
        "bare: error -1004 error -1004",
        "a: 200 7",
        "b: error -1001",
        "strict: error 0 No stub takes GET http://a.example/b, and strict mode lets nothing through: add a stub, or set Patchbay.isStrict to false.",
        "log: GET http://a.example/a code, GET http://a.example/b code, GET http://a.example/b code",
        "after reset: false 0",
        "native again: error -1004",
        "new: 200 3 200 3",
        "contents: 3",
        "contents: 3",
        "strict alone: error 0 No stub takes GET http://127.0.0.1:9/",
      ])
  }

  /// For all sessions, so in a process of its own; for those of a scope see `ScopeDeclarationTests`.
  @Test func eachWayToDeclareAStubForAllSessions() throws {
    let child = try ChildProcess("attached-harness", ["declarations"])
    #expect(child.wait() == 0)
    #expect(
      child.lines == [
        "respond 201 1, then error No stub",
        "fail error -1001, then error No stub",
        "late error -1001, then error No stub",
        "error error own, then error No stub",
        "matching 202 2, then error No stub",
        "closure 203 3, then error No stub",
        "responder 209 4, then error No stub",
        "pass error -1004, then error No stub",
        "predicate 205 5, then error No stub",
        "stub 206 0, then error No stub",
        "unnamed: GET */a, GET */b, GET */c, GET */d, GET */e, predicate (2), GET */f, GET */f (2)",
        "handler 207 9",
        "handler 209 0",
        "replaced: 209 0",
        "removed: error No stub",
        "* 299 0",
      ])
  }

  /// `_exit` calls no handlers: where the preload library is there, what was reported is sent all the same.
  @Test(.disabled(if: Harness.isSanitized, "a sanitizer's runtime cannot be preloaded beside ours"))
  func anEndWithoutHandlersIsToldToo() throws {
    let server = try LoopbackServer()
    let console = FakeConsole()
    // A busy machine may need longer than the 250 ms that a program gives at each end, but not each time.
    var recorded = 0
    for round in 1...5 {
      let seen = console.updates.count
      let child = try ChildProcess(
        "plain-harness", ["leave", server.url("/json").absoluteString], socket: console.path,
        environment: Harness.preload(socket: console.path))
      #expect(child.wait() == 0)
      #expect(console.waits { $0.ended == round })
      if console.updates.dropFirst(seen).last?.end?.outcome == .responded { recorded += 1 }
    }
    #expect(recorded >= 3)
    let hellos = console.heard.compactMap { if case .hello(let hello) = $0 { hello } else { nil } }
    #expect(!hellos.isEmpty && hellos.allSatisfy { $0.entry == .preload })
    #expect(hellos.allSatisfy { $0.executable.hasSuffix("/plain-harness") && $0.process.name == "plain-harness" })
  }

  /// A program that may open few files needs each of them itself.
  @Test(arguments: [(33, false), (300, true)]) func aProgramWithFewDescriptorsHasNoLink(_ limit: Int, _ isLinked: Bool)
    throws
  {
    let console = FakeConsole()
    let program = BuiltProduct.path("attached-harness")
    let script = "ulimit -n \(limit); exec '\(program)' linked x 5"
    let child = try ChildProcess("/bin/sh", ["-c", script], socket: console.path)
    #expect(child.wait() == 0)
    let sentence =
      "The hook stays out, because the process may open too few files (ulimit -n) for a link to the console: "
      + "raise the limit, which is \(limit)."
    #expect(child.lines.contains("refused(\"\(sentence)\")") == !isLinked, "\(child.lines)")
    #expect(console.heard.isEmpty != isLinked)
  }

  /// Files that the program opens have the numbers that they would have without a link, where there are enough.
  @Test(arguments: [(127, 95, false), (300, 268, true), (1_024, 992, true), (4_096, 992, true)])
  func theLinksDescriptorsLieAboveTheProgramsOwn(_ limit: Int, _ first: Int, _ isSo: Bool) throws {
    let console = FakeConsole()
    let program = BuiltProduct.path("attached-harness")
    let script = "ulimit -n \(limit); exec '\(program)' linked x 2000"
    let child = try ChildProcess("/bin/sh", ["-c", script], socket: console.path)
    defer {
      child.signal(SIGKILL)
      _ = child.wait()
    }
    #expect(console.hears(.applied(revision: 1)))
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.pid)/fd")
    // The two that wake the thread, which must come back under their numbers, and the connection.
    let own: Set = [first, first + 1, first + 8]
    #expect(own.isSubset(of: files.compactMap { Int($0) }) == isSo, "\(files)")
  }

  /// What its parent had opened for its own link is closed, and the child's has the same numbers.
  @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the thread sanitizer ends a forked child that starts a thread"))
  func aForkedChildKeepsNothingOfItsParentsLink() throws {
    let stubs = StubPush(set: StubSet(revision: 1, stubs: [Stub(name: "hold", then: .hold(.request))]))
    let program = BuiltProduct.path("attached-harness")
    let script = "ulimit -n 1024; exec '\(program)' fork http://nowhere.example/a"
    // There may be nothing to watch with.
    let own = [[992, 993, 1_000], [992, 993, 1_000, 1_001]]
    var numbers: [Int] = []
    // A busy machine may be late with the parent's link, or with the stubs that hold the child; but not each time.
    for _ in 0..<Patience.tries(5) where !own.contains(numbers) {
      let console = FakeConsole(push: stubs)
      let parent = try ChildProcess("/bin/sh", ["-c", script], socket: console.path)
      defer {
        parent.signal(SIGKILL)
        _ = parent.wait()
      }
      #expect(console.waits { $0.heard.count { $0 == .applied(revision: 1) } == 2 || $0.ended > 0 })
      let children = console.heard.compactMap { message -> pid_t? in
        guard case .hello(let hello) = message, hello.process.pid != parent.pid else { return nil }
        return hello.process.pid
      }
      guard let child = children.first else { continue }
      defer { kill(child, SIGKILL) }
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child)/fd")) ?? []
      numbers = files.compactMap { Int($0) }.filter { $0 >= 992 }.sorted()
    }
    #expect(own.contains(numbers), "\(numbers)")
  }

  @Test(arguments: [("1", true), ("0", false), ("", false)])
  func howTheLinkStandsIsPrintedWhereThatIsWanted(_ debug: String, _ isPrinted: Bool) throws {
    let console = FakeConsole()
    let child = try ChildProcess(
      "attached-harness", ["linked", "", "2000"], socket: console.path, environment: ["PATCHBAY_DEBUG": debug])
    #expect(console.hears(.applied(revision: 1)))
    child.signal(SIGKILL)
    _ = child.wait()
    #expect(child.lines.contains("patchbay: link to \(console.path): linked") == isPrinted, "\(child.lines)")
  }
}
