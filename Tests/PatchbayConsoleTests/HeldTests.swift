import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct HeldTests {
  private func driver(_ phase: Exchange.Phase = .heldRequest) -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2, "POST", "https://api.example.com/v1/login", phase: phase), .make(3)])
    driver.press("c")
    return driver
  }

  @Test func itIsAnnouncedAndCounted() {
    let driver = driver()
    #expect(driver.shows("1 held"))
    #expect(driver.shows("‖ held"))
    #expect(driver.state.requests.list.selectedID == 2)
  }

  @Test func cLetsItGoOn() {
    var driver = driver()
    driver.press("c")
    #expect(driver.effects.last == .decide([HeldDecision(id: 2, decision: .continue(request: nil, response: nil))]))
    driver.add([.make(2, "POST", "https://api.example.com/v1/login")])
    #expect(!driver.shows("1 held"))
  }

  @Test func theRequestIsEditedBeforeItGoesOn() throws {
    var driver = driver()
    driver.press("e tab")
    driver.type("?x=1")
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .continue(let request, _) = decisions.first?.decision
    else { return #expect(Bool(false), "no decision") }
    #expect(request?.url == "https://api.example.com/v1/login?x=1")
    #expect(request?.body == Data("{\"name\":\"花子\"}".utf8))
  }

  /// What a held request goes on with when a `2` was typed where these keys lead.
  private func typed(in exchange: Exchange, _ keys: String) -> RecordedRequest? {
    var driver = ConsoleDriver()
    driver.add([exchange])
    driver.press("c")
    driver.press(keys)
    driver.type("2")
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .continue(let request, _) = decisions.first?.decision
    else {
      Issue.record("no decision")
      return nil
    }
    return request
  }

  @Test func aBodyThatWasToldInPartIsKeptUnlessItIsEdited() throws {
    for (keys, truncated) in [("e tab", true), ("e tab tab tab", false)] {
      var exchange = Exchange.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)
      exchange.request.truncated = true
      #expect(typed(in: exchange, keys)?.truncated == truncated, "\(keys)")
    }
  }

  @Test(arguments: [("e tab", "a\r\nb\r\n"), ("e tab tab tab", "2a\r\nb\r\n")])
  func lineEndsOfABodyAreKept(_ keys: String, _ expected: String) throws {
    var exchange = Exchange.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)
    exchange.request.body = Data("a\r\nb\r\n".utf8)
    #expect(typed(in: exchange, keys)?.body == Data(expected.utf8))
  }

  @Test(arguments: [Exchange.Phase.heldRequest, .heldResponse])
  func leavingTheFormUnchangedLetsItGoOnAsItWas(_ phase: Exchange.Phase) {
    var driver = driver(phase)
    driver.press("e ctrl-s")
    #expect(driver.effects.last == .decide([HeldDecision(id: 2, decision: .continue(request: nil, response: nil))]))
  }

  @Test func ofABodyInPartsItIsSaidThatTheRestIsKept() {
    var exchange = Exchange.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)
    exchange.request.truncated = true
    var driver = ConsoleDriver()
    driver.add([exchange])
    driver.press("c e")
    #expect(driver.shows("the whole goes on unless you change it"))
    driver.press("esc")
    exchange.request.body = Data()
    driver.add([exchange])
    driver.press("e")
    #expect(driver.shows("a stream, sent as it is unless you type here"))
    driver.press("esc")
    exchange.request.body = Data("日本".utf8.dropLast())
    driver.add([exchange])
    driver.press("e")
    #expect(driver.shows("日"))
  }

  @Test func theLengthOfAnEditedResponseIsSetAnew() {
    var exchange = Exchange.make(2, phase: .heldResponse)
    exchange.response?.headers = [HeaderField("Content-Length", "99"), HeaderField("X-A", "1")]
    for (keys, length) in [("e tab tab ctrl-a", "2"), ("e tab tab ctrl-a ctrl-x tab", "0")] {
      var driver = ConsoleDriver()
      driver.add([exchange])
      driver.press("c")
      driver.press(keys)
      if length != "0" { driver.type("{}") }
      driver.press("ctrl-s")
      guard case .decide(let decisions) = driver.effects.last,
        case .continue(_, let response) = decisions.first?.decision
      else { return #expect(Bool(false), "no decision") }
      #expect(response?.headers == [HeaderField("Content-Length", length), HeaderField("X-A", "1")])
    }
  }

  @Test func whatAMenuIsAboutStaysSelectedWhileMoreComes() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .heldRequest)])
    driver.press("x")
    driver.add([.make(2, phase: .heldRequest), .make(3)])
    driver.press("enter")
    #expect(driver.effects.last == .decide([HeldDecision(id: 1, decision: .fail(Fault(.named("timedOut"))))]))
    driver.press("y")
    driver.add([.make(4)])
    #expect(driver.state.requests.list.selectedID != 4)
    let chosen = driver.state.requests.list.selectedID ?? 0
    driver.press("u")
    #expect(driver.effects.contains(.fetch([chosen], for: .copy(.url))))
    driver.add([.make(5)])
    #expect(driver.state.requests.list.selectedID == 5)
  }

  @Test func onlyFaultsThatEndARequestAreOfferedForOneThatIsHeld() {
    var driver = ConsoleDriver(height: 50)
    driver.add([.make(1, phase: .heldRequest)])
    driver.press("x")
    #expect(driver.shows("Fail: this held request"))
    #expect(!driver.shows("Slow: 2 s"))
    #expect(!driver.shows("% chance"))
    driver.press("r e s e t enter")
    guard case .decide(let decisions) = driver.effects.last, case .fail = decisions.first?.decision else {
      return #expect(Bool(false), "not failed")
    }
  }

  @Test func itIsAnnouncedWithWhatCanBeDoneAndNoLongerThanItLasts() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.add([.make(2, phase: .heldRequest)])
    #expect(driver.shows("e edits it  c lets it go on"))
    driver.press("g")
    driver.add([.make(3, phase: .heldRequest)])
    #expect(driver.shows("c goes there"))
    driver.add([.make(2), .make(3)])
    #expect(!driver.shows("Held:"))
  }

  @Test func releasingWhatTheFilterHidesIsAsked() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .heldRequest)])
    driver.press("/")
    driver.type("nothing")
    driver.press("enter A")
    #expect(driver.shows("the list does not show them"))
    driver.press("A")
    #expect(driver.effects.last == .decide([HeldDecision(id: 1, decision: .continue(request: nil, response: nil))]))
  }

  @Test func theResponseIsEditedBeforeItIsDelivered() {
    var driver = driver(.heldResponse)
    driver.press("e ctrl-u")
    driver.type("418")
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .continue(_, let response) = decisions.first?.decision
    else { return #expect(Bool(false), "no decision") }
    #expect(response?.status == 418)
  }

  @Test func onesOwnAnswerAFaultAndADrop() {
    var driver = driver()
    driver.press("a ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .respond(let response) = decisions.first?.decision
    else { return #expect(Bool(false), "no answer") }
    #expect(response.status == 200)
    driver.press("x enter")
    #expect(driver.effects.last == .decide([HeldDecision(id: 2, decision: .fail(Fault(.named("timedOut"))))]))
    driver.press("d")
    #expect(driver.effects.last == .decide([HeldDecision(id: 2, decision: .drop)]))
  }

  @Test func anAnswerOfOnesOwnBeginsWithTheLastRealOne() throws {
    var driver = ConsoleDriver()
    let login = "https://api.example.com/v1/login"
    let type = HeaderField("Content-Type", "application/json")
    driver.add([
      .make(
        1, "POST", login, status: 201, headers: [type, HeaderField("Content-Length", "9")], body: "{\"t\":\"日本\"}"),
      .make(2, "POST", login, status: 500, stub: "down"), .make(3, "POST", login, phase: .heldRequest),
    ])
    driver.press("c a")
    #expect(driver.shows("from the answer of 1"))
    driver.type("401")
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .respond(let canned) = decisions.first?.decision
    else { return #expect(Bool(false), "no decision") }
    #expect(decisions.map(\.id) == [3])
    #expect(canned.status == 401)
    #expect(canned.headers == [type])
    #expect(canned.body == .data(Data("{\n  \"t\": \"日本\"\n}".utf8)))
  }

  @Test(arguments: [("401", 401), ("Unauthorized", 401), ("unauth", 401), ("teapot", 418)])
  func whatItWasAnsweredWithIsSaidByItsNumber(_ typed: String, _ status: Int) {
    var driver = driver()
    driver.press("a")
    driver.type(typed)
    driver.press("ctrl-s")
    guard case .decide(let decisions) = driver.effects.last, case .respond(let response) = decisions.first?.decision
    else { return #expect(Bool(false), "no answer") }
    #expect(response.status == status)
    #expect(driver.shows("Answered with \(status)."), "\(driver.screen)")
  }

  @Test(arguments: [StubBoard.Origin.file("/s.yaml"), .code("shop 7")])
  func aHoldOfAFileOrOfCodeIsSwitchedOff(_ origin: StubBoard.Origin) {
    var driver = driver()
    driver.press("h")
    let hold = driver.board.stubs[0]
    driver.board = StubBoard(
      revision: 9,
      entries: [
        .init(stub: Stub(name: "a", then: .hold(.both)), origin: origin, baseline: Stub(name: "a", then: .hold(.both))),
        .init(stub: hold, origin: origin, baseline: hold),
      ])
    let before = driver.board.entries
    driver.send(.board(driver.board, by: nil))
    driver.press("h")
    #expect(
      driver.shows("“\(hold.name)” is off: no more requests like this are held. 1 still waits"), "\(driver.screen)")
    #expect(driver.board.entries.map(\.stub.name) == before.map(\.stub.name))
    #expect(driver.board.entries.map(\.stub.enabled) == [true, false])
    driver.press("u")
    #expect(driver.board.entries == before)
  }

  /// One for the endpoint alone would change nothing: the request is held already.
  @Test func aHoldOfMoreThanTheEndpointIsSwitchedOff() {
    var driver = ConsoleDriver()
    let wide = Stub(name: "all", when: RequestPattern(url: "*"), then: .hold(.both))
    driver.board = StubBoard(revision: 9, entries: [.init(stub: wide, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    var held = Exchange.make(1, phase: .heldRequest)
    held.stub = "all"
    driver.add([held])
    driver.press("h")
    #expect(driver.shows("“all” is off: no more requests that it takes are held. 1 still waits"), "\(driver.screen)")
    #expect(driver.board.entries.map(\.stub.enabled) == [false])
    driver.press("u")
    #expect(driver.shows("Undone: Switched “all” off") && driver.board.entries == [.init(stub: wide, origin: .console)])
    // One that is off holds nothing.
    driver.press("h h")
    #expect(driver.board.entries.map(\.stub.enabled) == [true, false], "\(driver.screen)")
  }

  @Test func endingTheHoldSaysWhatStillWaitsAndHowItGoesOn() {
    var driver = driver()
    driver.press("h h")
    #expect(driver.board.entries.isEmpty)
    #expect(driver.shows("No more requests like this are held. 1 still waits: A lets it go on."))
    driver.add([.make(4, phase: .heldRequest)])
    driver.press("H H")
    #expect(driver.shows("2 still wait: A lets them go on."))
    driver.add([.make(2, "POST", "https://api.example.com/v1/login"), .make(4)])
    driver.press("H H")
    #expect(driver.shows("Not everything is held any more."))
    #expect(!driver.shows("still wait"))
  }

  /// The request of id 2 as the person let it go on: another body, another header.
  private func edited() -> Exchange {
    var exchange = Exchange.make(2, "POST", "https://api.example.com/v1/login")
    exchange.request.body = Data("{\"password\":\"hunter2\"}".utf8)
    exchange.sent = exchange.request
    exchange.sent?.body = Data("{\"password\":\"間違い\"}".utf8)
    exchange.sent?.headers.append(HeaderField("X-Edited", "1"))
    exchange.timing.held = 2_000_000
    return exchange
  }

  @Test func whatThePersonEditedIsSaidToBeTheirsWithBothBodies() {
    var driver = ConsoleDriver(width: 120, height: 40)
    driver.add([.make(1), edited()])
    #expect(driver.lines.contains { $0.contains("/v1/login") && $0.contains("you edited") })
    driver.press("G enter right")
    #expect(driver.shows("→ sent as you edited it"))
    #expect(driver.shows("+ X-Edited: 1"))
    #expect(driver.shows("− {\"password\":\"hunter2\"}"))
    #expect(driver.shows("\"password\": \"間違い\""))
    driver.press("D")
    #expect(driver.shows("2  as the program asked") && driver.shows("2  as it was sent"))
    #expect(driver.lines.contains { $0.contains("hunter2") && $0.contains("間違い") })
    driver.press("esc right right")
    #expect(driver.shows("From the network, to the request as you edited it"))
  }

  @Test func whatARuleChangedIsNotSaidToBeThePersons() {
    var driver = ConsoleDriver(width: 120, height: 40)
    var byRule = edited()
    byRule.timing.held = 0
    driver.add([byRule])
    #expect(!driver.shows("you edited"))
    byRule.timing.held = 5
    byRule.stub = "to staging"
    driver.add([byRule])
    #expect(!driver.shows("you edited") && driver.shows("◆ to staging"))
  }

  @Test func aCancelledHoldCannotBeSent() {
    var driver = driver()
    driver.press("e")
    driver.add([.make(2, "POST", "https://api.example.com/v1/login")])
    driver.press("ctrl-s")
    #expect(driver.shows("no longer held"))
  }

  @Test func allAreReleasedInTheirOrder() {
    var driver = ConsoleDriver()
    driver.add((1...100).map { .make($0, phase: .heldRequest) })
    #expect(driver.shows("100 held"))
    driver.press("A")
    guard case .decide(let decisions) = driver.effects.last else { return #expect(Bool(false), "nothing released") }
    #expect(decisions.map(\.id) == Array(1...100))
  }

  @Test(arguments: [("A A", Array(1...10)), ("A f", [2, 4, 6, 8, 10])])
  func withAFilterOnOneSaysWhichAreReleased(_ keys: String, _ expected: [Int64]) {
    var driver = ConsoleDriver()
    driver.add(
      (1...10).map {
        .make($0, "GET", "https://api.example.com/\($0 % 2 == 0 ? "even" : "odd")/\($0)", phase: .heldRequest)
      })
    driver.press("/")
    driver.type("even")
    driver.press("enter")
    driver.press(keys)
    guard case .decide(let decisions) = driver.effects.last else { return #expect(Bool(false), "nothing released") }
    #expect(decisions.map(\.id) == expected)
  }

  @Test func leavingWithSomethingHeldAsks() {
    var driver = driver()
    driver.press("q")
    #expect(driver.shows("1 request held, to be released"))
    driver.press("q")
    #expect(driver.effects.last != .quit && !driver.shows("to be released"), "the key that asked is no answer")
    driver.press("q y")
    #expect(driver.effects.last == .quit)
  }

  @Test func replayedAsItWasAndEdited() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("r")
    #expect(driver.effects.last == .replay(1, nil))
    driver.press("R")
    driver.press("ctrl-u")
    driver.type("PUT")
    driver.press("ctrl-s")
    guard case .replay(1, let request) = driver.effects.last else { return #expect(Bool(false), "not replayed") }
    #expect(request?.method == "PUT")
  }
}

@Suite(.bounded) struct ReplayTests {
  @Test func aBodyThatWasRecordedInPartIsNotSentAsIfItWereWholeAndWhatWasTypedStays() {
    var driver = ConsoleDriver()
    var exchange = Exchange.make(1, "POST", "https://api.example.com/v1/files")
    exchange.request.body = Data("half".utf8)
    exchange.request.truncated = true
    driver.add([exchange])
    driver.press("R ctrl-u")
    driver.type("PUT")
    driver.press("ctrl-s")
    #expect(driver.shows("only a part of its body was recorded") && driver.shows("PUT"))
    #expect(!driver.effects.contains { if case .replay = $0 { true } else { false } })
    driver.type("x")
    driver.press("ctrl-s")
    guard case .replay(1, let request?) = driver.effects.last else { return #expect(Bool(false), "not replayed") }
    #expect(request.method == "PUT" && request.body == Data("xhalf".utf8) && !request.truncated)
  }

  private func replay(status: Int) -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("r")
    var again = Exchange.make(2, status: status, took: 99_000)
    again.replayOf = 1
    driver.add([again])
    return driver
  }

  @Test func itIsLinkedToItsOriginalAndComparedWithIt() {
    var driver = replay(status: 201)
    #expect(driver.shows("↻1 network"))
    #expect(driver.shows("Request 1, sent again as 2: 201, 1 difference, D compares."))
    driver.press("G D")
    #expect(driver.shows("Compare"))
    #expect(driver.lines.contains { $0.contains("≠") && $0.contains("200 OK") && $0.contains("201 Created") })
    driver.press("esc g D")
    #expect(driver.shows("201 Created"))
  }

  @Test func itIsSaidThatTheConsoleHasSentItForAProcessThatHasGone() {
    var driver = ConsoleDriver(width: 160)
    driver.add([.make(1)])
    driver.press("r")
    var again = Exchange.make(2, process: "patchbay")
    again.replayOf = 1
    driver.add([again])
    #expect(driver.shows("sent again as 2 by the console, for demo has gone: 200, answered the same."))
  }

  @Test func theSameAnswerIsSaid() {
    #expect(replay(status: 200).shows("200, answered the same."))
  }

  @Test func whatIsHeldAfterThePauseIsSaidToBe() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2)])
    driver.press("p")
    driver.add([.make(3, phase: .heldRequest)])
    driver.press("c")
    #expect(driver.shows("What is held came after the pause; p shows it."))
    driver.press("p c")
    #expect(driver.state.requests.list.selectedID == 3)
  }
}
