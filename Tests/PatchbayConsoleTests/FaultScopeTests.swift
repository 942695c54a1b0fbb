import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// For which requests a fault is.
@Suite(.bounded) struct FaultScopeTests {
  private let plain = Exchange.make(1, "GET", "https://api.example.com:8443/v1/users?page=2").summary
  private let item = Exchange.make(2, "PUT", "http://api.example.com/v1/users/7").summary

  @Test func aRequestWithAnIDHasOneReachMore() {
    #expect(FaultScope.reaches(from: nil) == [.everything])
    #expect(FaultScope.reaches(from: plain) == [.endpoint, .host, .process, .program, .everything])
    #expect(FaultScope.reaches(from: item) == [.endpoint, .host, .process, .program, .everything, .thisID])
  }

  @Test func theReachGoesRoundBothWays() {
    var scope = FaultScope.endpoint
    let steps = (0..<7).map { _ in
      scope.nextReach(by: 1, from: item)
      return scope.reach
    }
    #expect(steps == [.host, .process, .program, .everything, .thisID, .endpoint, .host])
    scope.nextReach(by: -1, from: item)
    scope.nextReach(by: -1, from: item)
    #expect(scope.reach == .thisID)
    // Of another request, which has no ids: as if from the first.
    scope.nextReach(by: 1, from: plain)
    #expect(scope.reach == .host)
    scope.nextReach(by: 1, from: nil)
    #expect(scope.reach == .everything)
    var held = FaultScope.held
    held.nextReach(by: 1, from: item)
    #expect(held == .held)
  }

  @Test func countsAndSharesHaveTheirSteps() {
    var scope = FaultScope.endpoint
    var counts: [Int?] = []
    for _ in 0..<10 {
      scope.changeCount(by: 1)
      counts.append(scope.times)
    }
    #expect(counts == [1, 2, 3, 5, 10, 20, 50, 100, 100, 100])
    for _ in 0..<9 { scope.changeCount(by: -1) }
    #expect(scope.times == nil)
    // One that was typed and is none of the steps begins them anew.
    scope.times = 7
    scope.changeCount(by: 1)
    #expect(scope.times == 1)
    var shares: [Double?] = []
    for _ in 0..<6 {
      scope.nextShare()
      shares.append(scope.chance)
    }
    #expect(shares == [0.5, 0.25, 0.1, 0.05, nil, 0.5])
    scope.chance = 0.7
    scope.nextShare()
    #expect(scope.chance == 0.5)
  }

  @Test(arguments: [
    (FaultScope.endpoint, "this endpoint · all of them"), (.everything, "every request · all of them"),
    (.held, "this held request"), (FaultScope(reach: .held, times: 3, chance: 0.5), "this held request"),
    (FaultScope(reach: .host, times: 1), "this host · the next one of each process"),
    (FaultScope(reach: .process, times: 1), "this process · the next one"),
    (
      FaultScope(reach: .program, times: 20, chance: 0.25),
      "this program · the next 20 of each process · a share of 25 %"
    ),
    (FaultScope(reach: .thisID, chance: 0.05), "only this id · all of them · a share of 5.0 %"),
  ])
  func whatIsChosenIsSaid(_ scope: FaultScope, _ sentence: String) {
    #expect(scope.sentence == sentence)
  }

  @Test(arguments: [
    (
      FaultScope.endpoint, #"{"method":"PUT","host":"api.example.com","path":{"matches":"^/v1/users/[^/]+$"}}"#,
      "PUT /v1/users/{id}", "PUT /v1/users/{id}"
    ),
    (
      FaultScope(reach: .thisID, times: 2), #"{"method":"PUT","host":"api.example.com","path":"/v1/users/7"}"#,
      "PUT /v1/users/7", "PUT /v1/users/7, the next 2 of each process"
    ),
    (FaultScope(reach: .host), #"{"host":"api.example.com"}"#, "api.example.com", "api.example.com"),
    (FaultScope(reach: .process, times: 5), #"{"process":"demo 4121"}"#, "demo 4121", "demo 4121, the next 5"),
    (FaultScope(reach: .program), #"{"process":"demo"}"#, "every demo", "every demo"),
    (.everything, "{}", "everything", "everything"), (.held, "none", "PUT /v1/users/{id}", "PUT /v1/users/{id}"),
  ])
  func eachReachHasItsPatternAndItsWords(_ scope: FaultScope, _ pattern: String, _ place: String, _ words: String) {
    #expect((scope.pattern(from: item)?.json.compact ?? "none") == pattern)
    #expect(scope.place(from: item) == place && scope.words(from: item) == words)
  }

  @Test func aHostIsMeantWithItsPort() {
    #expect(
      FaultScope(reach: .host).pattern(from: plain) == RequestPattern(host: .glob("api.example.com"), port: 8443))
  }

  @Test(arguments: FaultScope.Reach.allCases) func withoutARequestOnlyEverythingHasAPattern(_ reach: FaultScope.Reach) {
    let scope = FaultScope(reach: reach)
    #expect(scope.pattern(from: nil) == (reach == .everything ? RequestPattern() : nil))
    #expect(scope.place(from: nil) == "everything")
  }

  // MARK: In the menu

  /// What the title of the fault menu says after these keys.
  private func title(_ keys: String, from start: String = "x") -> String {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k " + start + " " + keys)
    let line = driver.lines.first { $0.contains("Fail: ") } ?? ""
    return line.split(separator: "Fail: ").last?.split(separator: " ─").first.map(String.init) ?? ""
  }

  @Test(arguments: [
    ("1", "the next one of each process"), ("3", "the next 3 of each process"), ("6", "the next 6 of each process"),
    ("9", "the next 9 of each process"), ("1 0", "the next 10 of each process"),
    ("9 0 0", "the next 900 of each process"),
    ("1 0 0 0", "the next 100 of each process"), ("1 0 0 backspace backspace", "all of them"),
    ("+", "the next one of each process"),
    ("= =", "the next 2 of each process"), ("right right right", "the next 3 of each process"),
    ("right right left", "the next one of each process"), ("+ -", "all of them"), ("-", "all of them"),
    ("4", "all of them"), ("5", "all of them"), ("0", "all of them"), ("%", "all of them · a share of 50 %"),
    ("% %", "all of them · a share of 25 %"), ("a 1", "all of them"), ("2 3", "the next 2 of each process"),
  ])
  func keysSayHowMany(_ keys: String, _ limits: String) {
    #expect(title(keys) == "this endpoint · \(limits)")
  }

  @Test func theMenuForEverythingBeginsThere() {
    #expect(title("", from: "!") == "every request · all of them")
    #expect(title("tab", from: "!") == "only this id · all of them")
    #expect(title("shift-tab", from: "!") == "this program · all of them")
  }

  /// The line with what is typed.
  private func typed(_ keys: String) -> String {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k x " + keys)
    return driver.lines.first { $0.contains("› ") || $0.contains("Type to find") } ?? ""
  }

  @Test func lettersAreTypedTakenBackAndBounded() {
    #expect(typed("").contains("Type to find: 503, time, slow …"))
    #expect(typed("t i m e").contains("› time "))
    #expect(typed("t i m e backspace backspace").contains("› ti "))
    #expect(typed("t i m e ctrl-u").contains("Type to find"))
    #expect(typed("5 0 3").contains("› 503 "))
    #expect(typed("a ctrl-x f2").contains("› a "))
    let long = typed(String(repeating: "z ", count: 45))
    #expect(long.contains("› " + String(repeating: "z", count: 40) + " "))
    var driver = Sample.driver(120, 40)
    driver.press("1 G k x")
    driver.send(.input(.paste("ti\nme\r\n")))
    #expect(driver.shows("› time "))
    driver.send(.input(.paste(String(repeating: "y", count: 50))))
    #expect(driver.shows("› time" + String(repeating: "y", count: 40) + " ") && driver.shows("No fault matches."))
  }

  @Test func whatBeginsAWordStandsBeforeWhatHoldsIt() throws {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k x")
    func row(_ text: String) throws -> Int { try #require(driver.lines.firstIndex { $0.contains("· " + text) }) }
    #expect(try row("503 Service Unavailable") < row("Slow network: 20 kB/s and 2 s"))
    driver.press("a")
    #expect(try row("Slow network: 20 kB/s and 2 s") < row("418 I'm a teapot"))
    #expect(try row("418 I'm a teapot") < row("503 Service Unavailable"))
  }

  @Test func escClosesTheMenuAndEnterOnNothingDoesNot() {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k x z z z z enter")
    #expect(driver.shows("No fault matches."))
    for way in ["esc", "ctrl-c"] {
      var other = driver
      other.press(way)
      #expect(other.state.boxes.isEmpty)
    }
    driver.press("ctrl-u esc")
    #expect(driver.state.boxes.isEmpty)
  }

  // MARK: Used up

  @Test func aStubIsUsedUpWhereAllThatAreLinkedHaveHadTheirShare() {
    var driver = Sample.driver(120, 40)
    let stub = Stub(name: "s", then: .hold(.request), times: 2)
    let (one, two) = (Sample.links()[0].process, Sample.links()[1].process)
    func isUsedUp(_ process: HarnessProcess?) -> Bool { driver.state.context.isUsedUp(stub, in: process) }
    #expect(!isUsedUp(nil) && !isUsedUp(one))
    driver.send(.progress(one, [StubProgress(name: "s", hits: 2)]))
    // The board has no stub of that name and forgets what was counted only with the next board.
    #expect(!isUsedUp(nil) && isUsedUp(one) && !isUsedUp(two))
    driver.send(.progress(two, [StubProgress(name: "s", hits: 2)]))
    #expect(isUsedUp(nil))
    driver.send(.progress(two, [StubProgress(name: "s", hits: 1)]))
    var links = Sample.links()
    links[1].ended = driver.now
    driver.send(.links(links))
    #expect(isUsedUp(nil), "one that is gone does not count")
    links[0].ended = driver.now
    driver.send(.links(links))
    #expect(!isUsedUp(nil), "nobody is linked")
  }
}
