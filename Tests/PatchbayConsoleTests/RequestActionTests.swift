import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What is done with requests: what can be done, what the runtime is asked for, and what is said of what comes back.
@Suite(.bounded) struct RequestActionTests {
  private func driver(_ exchanges: [Exchange], width: Int = 160) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: 30)
    driver.add(exchanges)
    return driver
  }

  private func items(_ driver: ConsoleDriver) -> [String] {
    (driver.state.boxes.last as? MenuBox)?.menu.items.map { item in
      "\(item.key?.description ?? "-") \(item.label)\(item.detail.isEmpty ? "" : " (\(item.detail))")"
    } ?? []
  }

  // MARK: What can be done

  @Test func whatIsPossibleGoesByWhatIsThere() {
    func possible(_ driver: ConsoleDriver) -> Set<RequestsCommand> {
      Set(RequestsCommand.allCases.filter { driver.state.requests.isPossible($0) })
    }
    let always: Set<RequestsCommand> = [
      .filter, .clearFilter, .savedFilters, .nextFailed, .previousFailed, .unmarkAll, .columns, .follow,
      .splitDirection,
      .growList, .shrinkList, .exportRequests, .importRequests, .releaseFiltered, .sequenceFromMarked, .editExternally,
      .replayEdited,
    ]
    let ofList: Set<RequestsCommand> = [.sort, .reverseSort, .pause, .clear, .switchPane]
    let ofRow: Set<RequestsCommand> = [
      .filterByValue, .filterOutValue, .tag, .note, .saveBody, .viewBody, .stubFromRequest, .faults, .hold, .replay,
      .copy, .mark, .delete,
    ]
    #expect(possible(driver([])) == always)
    var one = driver([.make(1, phase: .waiting)])
    #expect(possible(one) == always.union(ofList).union(ofRow).union([.open, .compare]))
    one.press("enter")
    let ofDetail: Set<RequestsCommand> = [.nextDetailTab, .previousDetailTab, .close]
    #expect(possible(one) == always.union(ofList).union(ofRow).union(ofDetail).union([.compare]))
    one.add([.make(1)])
    #expect(possible(one).contains(.editStub))
    one.add([.make(1, phase: .waiting), .make(2, stub: "a", phase: .heldRequest)])
    one.press("esc G")
    #expect(possible(one).isSuperset(of: [.editStub, .nextHeld]))
    one.press("m")
    #expect(!possible(one).contains(.compare), "one mark")
    one.press("k m")
    #expect(possible(one).contains(.compare), "two marks")
    one.add([.make(3)])
    one.press("G m")
    #expect(!possible(one).contains(.compare), "three marks")
  }

  // MARK: Held requests

  @Test func oneThatIsHeldIsAnnouncedWithTheKeysThatThereAre() throws {
    let held = Exchange.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)
    let notice = "Held: POST api.example.com/v1/login"
    #expect(driver([.make(1), held]).shows("\(notice)  e edits it  c lets it go on"))
    var elsewhere = driver([.make(1)])
    elsewhere.press("2")
    elsewhere.add([held])
    #expect(elsewhere.shows("\(notice)  c goes there"))
    var inMenu = driver([.make(1)])
    inMenu.press("y")
    inMenu.add([held])
    #expect(!inMenu.shows("Held:"), "who chooses something is not disturbed")
    var without = ConsoleDriver(
      width: 160, height: 30, keys: try KeyMap(overriding: ["edit-held": [], "continue-held": []]))
    without.add([held])
    #expect(without.shows(notice) && !without.shows("edits it") && !without.shows("lets it go on"))
    // Over an offer it is announced, and the offer goes.
    var offered = driver([.make(1)])
    offered.press("h")
    #expect(!offered.state.boxes.isEmpty)
    offered.add([held])
    #expect(offered.state.boxes.isEmpty && offered.shows("Held:"))
  }

  @Test func allThatIsHeldOrWhatTheFilterShows() {
    func held(_ filter: String) -> ConsoleDriver {
      func row(_ id: Int64, _ phase: Exchange.Phase) -> Exchange {
        .make(id, "GET", id == 1 ? "https://b.example/y" : "https://a.example/\(id)", phase: phase)
      }
      var driver = self.driver([row(1, .waiting), row(2, .waiting), row(3, .heldRequest), .make(4)])
      driver.add([row(1, .heldResponse), row(2, .heldRequest)])
      driver.perform(.requests(.applyFilter(filter)))
      driver.press("A")
      return driver
    }
    let all = [3, 1, 2] as [Int64]
    func released(_ ids: [Int64]) -> ConsoleEffect {
      .decide(ids.map { HeldDecision(id: $0, decision: .continue(request: nil, response: nil)) })
    }
    var driver = held("")
    #expect(driver.effects.last == released(all) && driver.shows("3 requests released."))
    driver = held("a.example")
    #expect(items(driver) == ["A All 3", "f Only the 2 that the filter shows"])
    #expect(driver.shows("in their order · esc: they stay held"))
    var other = driver
    driver.press("A")
    #expect(driver.effects.last == released(all))
    other.press("f")
    #expect(other.effects.last == released([3, 2]) && other.shows("2 requests released."))
    driver = held("nothing")
    #expect(items(driver) == ["A All 3"] && driver.shows("the list does not show them · esc: they stay held"))
    driver.press("esc")
    #expect(driver.state.requests.recorded.held.ids == all && driver.state.boxes.isEmpty)
    var one = held("b.example")
    one.press("esc")
    one.perform(.run(.requests(.releaseFiltered)))
    #expect(one.effects.last == released([1]) && one.shows("1 request released."))
    one.perform(.requests(.release([4, 9])))
    #expect(one.effects.last == released([1]) && one.shows("Nothing is held."))
    var none = self.driver([.make(1)])
    none.press("A")
    #expect(none.shows("Nothing is held."))
  }

  @Test func heldRequestsAreGoneToRoundAndRound() {
    var driver = driver([.make(1, phase: .heldRequest), .make(2), .make(3, phase: .heldResponse), .make(4)])
    driver.press("G")
    var seen: [Int64] = []
    for _ in 0..<3 {
      driver.perform(.run(.requests(.nextHeld)))
      seen.append(driver.state.requests.list.selectedID ?? 0)
    }
    #expect(seen == [1, 3, 1] && !driver.state.requests.list.follows)
    driver.perform(.requests(.applyFilter("id:2")))
    driver.perform(.run(.requests(.nextHeld)))
    #expect(driver.shows("The filter hides what is held."))
    driver.add([.make(1), .make(3)])
    driver.perform(.run(.requests(.nextHeld)))
    #expect(driver.shows("Nothing is held."))
  }

  @Test func aHeldRequestIsAnsweredAsAStubWould() {
    var driver = driver([.make(1, "GET", "https://api.example.com/v1/users?page=7", phase: .heldRequest)])
    driver.press("w")
    #expect(driver.shows("There is no stub that answers; a answers by hand."))
    let answers = CannedResponse(
      status: 404, headers: [HeaderField("X", "{{request.query.page}}")], body: .text("n {{count}}"))
    driver.board = StubBoard(
      revision: 1,
      entries: [
        .init(stub: Stub(name: "hold", then: .hold(.request)), origin: .console),
        .init(
          stub: Stub(
            name: "steps", enabled: false,
            then: .sequence([.fail(Fault(.named("timedOut"))), .respond(answers)], afterwards: .repeat)),
          origin: .console),
        .init(stub: Stub(name: "gone", then: .respond(CannedResponse(status: 410))), origin: .console),
      ])
    driver.send(.board(driver.board, by: nil))
    driver.press("w")
    #expect(items(driver).map { $0.prefix { $0 != "(" } } == ["- steps, step 1 ", "- steps, step 2 ", "- gone "])
    #expect(driver.shows("Answer with the stub") && driver.shows("this request only"))
    var other = driver
    driver.press("enter")
    #expect(driver.effects.last == .decide([HeldDecision(id: 1, decision: .fail(Fault(.named("timedOut"))))]))
    #expect(driver.shows("Answered as “steps” would."))
    other.press("j j enter")
    #expect(other.effects.last == .decide([HeldDecision(id: 1, decision: .respond(CannedResponse(status: 410)))]))
    other.add([.make(1)])
    other.send(.fetched([.make(1)], for: .answer(stub: "gone", .respond(CannedResponse(status: 410)))))
    #expect(other.shows("That request is no longer held; the program went on or cancelled it."))
  }

  // MARK: What is fetched

  @Test func whatIsNoLongerRecordedIsSaid() {
    for purpose in [
      .stubs, .sequence, .compare, .compareSent, .copy(.url), .replay, .editHeld, .answerHeld,
      .answer(stub: "a", .hold(.request)),
    ] as [FetchPurpose] {
      var driver = driver([])
      driver.send(.fetched([], for: purpose))
      #expect(driver.shows("That request is no longer recorded."), "\(purpose)")
    }
    for purpose in [.sample(token: 1), .replayed] as [FetchPurpose] {
      var driver = driver([])
      driver.send(.fetched([], for: purpose))
      #expect(!driver.shows("no longer recorded"), "\(purpose)")
    }
    var driver = driver([.make(1)])
    driver.send(.fetched([.make(1)], for: .compare))
    #expect(driver.shows("One of the two requests is no longer recorded.") && driver.state.boxes.isEmpty)
    driver.send(.fetched([.make(1)], for: .editHeld))
    #expect(driver.shows("That request is no longer held") && driver.state.boxes.isEmpty)
    driver.send(.fetched([.make(1)], for: .answerHeld))
    #expect(driver.state.boxes.isEmpty)
    driver.send(.fetched([.make(1)], for: .replay))
    #expect(driver.state.boxes.last is ExchangeForm)
  }

  @Test func theStubThatAnsweredIsEditedOrSaidToBeGone() {
    let stub = Stub(name: "a", then: .respond(CannedResponse(status: 404)))
    func driver(_ exchange: Exchange) -> ConsoleDriver {
      var driver = self.driver([exchange])
      driver.board = StubBoard(revision: 1, entries: [.init(stub: stub, origin: .console)])
      driver.send(.board(driver.board, by: nil))
      return driver
    }
    var answered = driver(.make(1, status: 404, stub: "a"))
    answered.press("E")
    guard case .openEditor(let job)? = answered.effects.last else { return #expect(Bool(false), "no editor") }
    #expect(job.content == .stub(stub) && job.draft == nil)
    answered.press("e")
    #expect((answered.state.boxes.last as? StubForm) != nil)
    var gone = driver(.make(1, status: 404, stub: "b"))
    for key in ["e", "E"] {
      gone.press(key)
      #expect(gone.shows("The stub “b” is no longer there; s makes one of it.") && gone.state.boxes.isEmpty)
    }
    var none = driver(.make(1))
    none.press("E")
    #expect(none.shows("No stub answered this request; s makes one of it."))
    var waiting = driver(.make(1, phase: .waiting))
    waiting.press("e")
    #expect(waiting.shows("No stub answered this request; s makes one of it.") && !waiting.state.requests.detail.isOpen)
  }

  // MARK: Comparing

  @Test func whichTwoAreCompared() {
    func again(_ id: Int64, of original: Int64) -> Exchange {
      var exchange = Exchange.make(id, status: 201)
      exchange.replayOf = original
      return exchange
    }
    func asked(_ driver: ConsoleDriver) -> ConsoleEffect? {
      driver.effects.last {
        switch $0 {
        case .fetch, .fetchWithPrevious: true
        default: false
        }
      }
    }
    let all = [Exchange.make(1), .make(2), .make(3), again(4, of: 2)]
    var driver = driver(all)
    driver.press("G D")
    #expect(asked(driver) == .fetch([2, 4], for: .compare))
    driver.press("esc k D")
    #expect(asked(driver) == .fetchWithPrevious(3, for: .compare))
    driver.press("esc G m g m D")
    #expect(asked(driver) == .fetch([1, 4], for: .compare), "by their numbers, not by the order of the marks")
    var one = self.driver(all)
    one.press("g m k D")
    #expect(one.shows("Mark two requests with m, then compare them (1 marked).") && asked(one) == nil)
    var three = self.driver(all)
    three.press("g m m m g D")
    #expect(three.shows("(3 marked)"))
    var none = self.driver([])
    none.press("D")
    #expect(none.shows("(0 marked)"))
    // The original of one that was sent again from here is compared with its answer.
    var original = self.driver([.make(1), .make(2)])
    original.press("g r")
    original.add([again(3, of: 1)])
    original.press("g D")
    #expect(asked(original) == .fetch([1, 3], for: .compare))
    original.press("esc j D")
    #expect(asked(original) == .fetchWithPrevious(2, for: .compare))
  }

  @Test func whatWasSentInsteadIsComparedOnTheRequestTabOnly() {
    var exchange = Exchange.make(1)
    exchange.sent = exchange.request
    exchange.sent?.method = "PUT"
    var driver = driver([exchange])
    driver.press("enter D")
    #expect(driver.effects.last { if case .fetchWithPrevious = $0 { true } else { false } } != nil)
    driver.press("right D")
    #expect(driver.effects.contains(.fetch([1], for: .compareSent)) && driver.shows("as it was sent"))
  }

  /// What comes while a menu is open opens nothing over it; over an offer it does.
  @Test func aComparisonThatComesLateDisturbsNobody() {
    let page = ComparePage(.make(1), .make(2))
    var busy = driver([.make(1), .make(2)])
    busy.press("y")
    busy.send(.compared(page, [.make(1), .make(2)], for: .compare))
    #expect(busy.state.boxes.count == 1 && busy.state.boxes.last is MenuBox)
    var offered = driver([.make(1), .make(2)])
    offered.press("h")
    offered.send(.compared(page, [.make(1), .make(2)], for: .compare))
    #expect(offered.state.boxes.count == 1 && offered.state.boxes.last is ComparePage)
    #expect(!offered.shows("The next request like this is held."), "the notice of the offer goes too")
    var quiet = driver([.make(1), .make(2)])
    quiet.send(.compared(page, [.make(1), .make(2)], for: .stubs))
    #expect(quiet.state.boxes.isEmpty)
  }

  @Test func largeOnesAreComparedAwayFromTheKeys() {
    let body = String(repeating: "x", count: ComparePage.quickLimit)
    for (more, isSlow) in [("", false), ("x", true)] {
      let pair = [Exchange.make(1, body: body + more), .make(2)]
      #expect(ComparePage.isSlow(pair) == isSlow && ComparePage.isSlow(pair.reversed()) == isSlow)
      var asked = Exchange.make(3, "POST")
      asked.request.body = Data((body + more).utf8)
      #expect(ComparePage.isSlow([asked]) == isSlow)
      var driver = driver([])
      driver.send(.fetched(pair, for: .compare))
      #expect(driver.effects.contains { if case .compare = $0 { true } else { false } } == isSlow)
      driver = self.driver([])
      driver.send(.fetched(pair, for: .replayed))
      #expect(driver.effects.contains(.compare(pair, for: .replayed)) == isSlow && !driver.shows("Comparing…"))
    }
  }

  @Test(arguments: [
    ("demo", 4121, 200, "Request 1, sent again as 2: 200, answered the same.", "✓"),
    ("demo", 4121, 500, "Request 1, sent again as 2: 500, 1 difference, D compares.", "!"),
    ("demo", 99, 200, "Request 1, sent again as 2 by demo 99: 200, answered the same.", "✓"),
    ("patchbay", 7, 404, "Request 1, sent again as 2 by the console, for demo has gone: 404, 1 difference", "!"),
  ])
  func howWhatWasSentAgainDiffersIsSaid(_ name: String, _ pid: Int32, _ status: Int, _ text: String, _ sign: String) {
    var driver = driver([.make(1)])
    driver.press("r")
    #expect(driver.shows("Sent again: GET /v1/users?page=2"))
    var again = Exchange.make(2, status: status)
    again.process = HarnessProcess(name: name, pid: pid)
    again.replayOf = 1
    driver.add([again])
    #expect(driver.shows(text) && driver.shows("\(sign) Request 1"), "\(driver.screen)")
  }

  // MARK: Menus

  @Test func theMenuOfOrdersMarksTheOneInForce() {
    var driver = driver([.make(1)])
    driver.press("o")
    #expect(
      items(driver) == [
        "1 order of arrival (↑)", "2 time", "3 process", "4 method", "5 status", "6 host", "7 path", "8 type", "9 size",
        "- took", "- by",
      ])
    driver.press("9 o")
    #expect(items(driver)[8] == "9 size (↓)" && items(driver)[0] == "1 order of arrival")
    #expect(driver.query.sort == SortOrder(.size, descending: true), "the largest first")
    driver.press("9")
    #expect(driver.query.sort == SortOrder(.size))
    driver.press("o 6")
    #expect(driver.query.sort == SortOrder(.host))
    driver.press("o 6")
    #expect(driver.query.sort == SortOrder(.host, descending: true))
    driver.press("o 1")
    #expect(driver.query.sort == .arrival)
    driver.press("o 1")
    #expect(driver.query.sort == SortOrder(.number, descending: true))
    driver.press("o G k enter")
    #expect(driver.query.sort == SortOrder(.duration, descending: true))
    #expect(driver.effects.filter { if case .runQuery = $0 { true } else { false } }.count == 8)
  }

  @Test func theMenuOfCopiesHasWhatIsUnderTheCursor() {
    let usual = [
      "c cURL command", "u URL", "b Response body", "r Request body", "h Response headers", "H Request headers",
      "s Stub as YAML", "t Swift test", "a HAR entry",
    ]
    var driver = driver([.make(1, body: "{\"a\":[{\"b\":\"\(String(repeating: "x", count: 70))\"}]}")])
    driver.press("y")
    #expect(items(driver) == usual)
    driver.press("esc enter enter y")
    #expect(items(driver) == usual + ["l This line"])
    driver.press("esc G k k k y")
    let value = "\"\(String(repeating: "x", count: 70))\""
    #expect(
      items(driver) == ["v JSON value (\(value.prefix(60)))", "p JSON path ($.a[0].b)"] + usual + ["l This line"])
    driver.press("v")
    #expect(driver.effects.last == .copy(text: value, label: "the JSON value"))
    driver.press("y p")
    #expect(driver.effects.last == .copy(text: "$.a[0].b", label: "the JSON path"))
    driver.press("y l")
    #expect(driver.effects.last == .copy(text: "      \"b\": \(value)", label: "the line"))
    var none = self.driver([])
    none.press("y")
    #expect(none.state.boxes.isEmpty)
  }

  @Test func eachCopyHasItsText() {
    var exchange = Exchange.make(
      1, "POST", "https://a.example/x?y=%20", headers: [HeaderField("A", "1"), HeaderField("B", "2")], body: "日本")
    var driver = driver([exchange])
    func copied(_ key: String) -> ConsoleEffect? {
      driver.press("y \(key)")
      return driver.effects.last
    }
    #expect(copied("c") == .copyExchange(1, .curl) && copied("t") == .copyExchange(1, .swift))
    #expect(copied("a") == .copyExchange(1, .har))
    #expect(copied("u") == .copy(text: "https://a.example/x?y=%20", label: "the URL"))
    #expect(copied("b") == .copy(text: "日本", label: "the response's body"))
    #expect(copied("r") == .copy(text: "{\"name\":\"花子\"}", label: "the request's body"))
    #expect(copied("h") == .copy(text: "A: 1\nB: 2", label: "the response's headers"))
    #expect(
      copied("H") == .copy(text: "Accept: application/json\nUser-Agent: demo/1.0", label: "the request's headers"))
    guard case .copyStubs(let stubs)? = copied("s") else { return #expect(Bool(false), "no stub") }
    #expect(stubs.map(\.then.response?.status) == [200])
    exchange.response?.body = Data([0xFF, 0x00, 0xC3])
    exchange.response?.headers = []
    exchange.request.body = Data()
    driver.add([exchange])
    #expect(copied("b") == .copy(text: "/wDD", label: "the response's body as base64"))
    _ = copied("r")
    #expect(driver.shows("There is no body to copy."))
    exchange.response?.body = Data([0x93, 0xFA, 0x96, 0x7B])
    exchange.response?.headers = [HeaderField("Content-Type", "text/plain; charset=Shift_JIS")]
    driver.add([exchange])
    #expect(copied("b") == .copy(text: "日本", label: "the response's body"))
    exchange.response = nil
    exchange.phase = .waiting
    driver.add([exchange])
    _ = copied("s")
    #expect(driver.shows("That request has no answer yet."))
    _ = copied("b")
    #expect(driver.shows("There is no body to copy."))
    #expect(copied("h") == .copy(text: "", label: "the response's headers"))
  }

  @Test func exportsAreOfWhatTheFilterShows() {
    for (mode, secrets) in [(ConsoleSetup.Mode.listen, false), (.open(file: "a.har"), true)] {
      var driver = ConsoleDriver(setup: ConsoleSetup(mode: mode, withSecrets: secrets))
      driver.add([.make(1), .make(2, status: 500), .make(3)])
      driver.perform(.requests(.applyFilter("status:200")))
      driver.press("X")
      #expect(driver.shows("Export 2 requests") && driver.shows(secrets ? "with secrets" : "secrets are masked"))
      let formats = ExportFormat.allCases.map { "\($0.key) \($0.title)\($0.detail.isEmpty ? "" : " (\($0.detail))")" }
      #expect(items(driver) == formats + (secrets ? [] : ["o Play them offline (as stubs; all else fails)"]))
      for format in ExportFormat.allCases {
        var chosen = driver
        chosen.press("\(format.key)")
        #expect(chosen.effects.last == .export(format, filter: "status:200"))
      }
      if !secrets {
        driver.press("o")
        #expect(driver.effects.last == .playOffline(filter: "status:200"))
      }
    }
  }

  // MARK: What changes the list

  @Test func whatWasImportedIsThereAndCanBeTakenOut() {
    func told(_ report: ImportReport) -> ConsoleDriver {
      var driver = self.driver([.make(1)])
      driver.exchanges += report.ids.map { .make($0) }
      driver.send(.imported(report))
      return driver
    }
    var driver = told(ImportReport(name: "a.har", ids: [5, 6]))
    #expect(driver.shows("✓ Recorded 2 requests of a.har.  u undoes") && driver.state.requests.list.order.count == 3)
    #expect(driver.state.requests.recorded.count == 3 && driver.state.requests.recorded.newest == 6)
    driver.press("u")
    #expect(driver.effects.contains(.setDeleted([5, 6], true)) && driver.shows("Undone: Imported 2 requests of a.har"))
    #expect(driver.state.requests.recorded.count == 1)
    driver = told(ImportReport(name: "a.har", ids: [5], leftOut: 2))
    #expect(driver.shows("! Recorded 1 request of a.har, 2 left out.  u undoes"))
    driver = told(ImportReport(name: "a.har", ids: [5], problem: "It is odd."))
    #expect(driver.shows("! Recorded 1 request of a.har: It is odd.  u undoes"))
    driver = told(ImportReport(name: "a.har", ids: [5], leftOut: 1, problem: "It is odd."))
    #expect(driver.shows("! Recorded 1 request of a.har, 1 left out: It is odd."))
    driver = told(ImportReport(name: "a.har", ids: [], leftOut: 1, problem: "It is odd."))
    #expect(driver.shows("! Nothing of a.har was recorded: It is odd.") && !driver.shows("u undoes"))
    driver.press("u")
    #expect(driver.shows("There is nothing to undo."))
  }

  @Test func manyThatAreDeletedAtOnceAreSearchedAnew() {
    for (count, searches) in [(1_000, 0), (1_001, 1)] {
      var driver = ConsoleDriver()
      driver.exchanges = (1...1_500).map { .make($0) }
      driver.press("/ esc")
      driver.send(.recorded(1_500))
      driver.perform(.requests(.applyFilter("api")))
      let before = driver.effects.filter { if case .runQuery = $0 { true } else { false } }.count
      driver.perform(.requests(.setDeleted(Array(1...Int64(count)), true)))
      let after = driver.effects.filter { if case .runQuery = $0 { true } else { false } }.count
      #expect(after - before == searches && driver.state.requests.list.order.count == 1_500 - count, "\(count)")
      #expect(driver.state.requests.recorded.count == 1_500 - count)
      driver.perform(.requests(.setDeleted(Array(1...Int64(count)), false)))
      #expect(driver.state.requests.recorded.count == 1_500 && driver.state.requests.list.order.count == 1_500)
    }
  }

  @Test func theSizeOfTheListHasItsBounds() {
    var driver = driver([.make(1)])
    var seen: [Int] = []
    for _ in 0..<9 {
      driver.press(">")
      seen.append(driver.state.view.listShare)
    }
    #expect(seen == [55, 60, 65, 70, 75, 80, 85, 85, 85])
    for _ in 0..<16 { driver.press("<") }
    #expect(driver.state.view.listShare == 15 && driver.effects.last == .saveView(driver.state.view))
  }

  // MARK: Tags and notes

  @Test func tagsAreSetForOneAndAddedToSeveral() {
    var one = driver([.make(1), .make(2)])
    func tag(_ text: String, _ ids: [Int64]) -> [ConsoleEffect] {
      let before = one.effects.count
      one.perform(.answer(.tags(ids), text, isFinal: false))
      #expect(one.effects.count == before)
      one.perform(.answer(.tags(ids), text, isFinal: true))
      return one.effects.dropFirst(before).filter { if case .setRemarks = $0 { true } else { false } }
    }
    #expect(tag("a b", [1]) == [.setRemarks([1: Remark(tags: ["a", "b"], note: nil)])])
    #expect(one.shows("Tagged GET /v1/users?page=2.  u undoes"))
    #expect(tag("a b", [1]) == [], "nothing changed")
    #expect(tag("c", [1]) == [.setRemarks([1: Remark(tags: ["c"], note: nil)])])
    #expect(
      tag("d", [1, 2]) == [
        .setRemarks([1: Remark(tags: ["c", "d"], note: nil), 2: Remark(tags: ["d"], note: nil)])
      ])
    #expect(one.shows("Tagged 2 requests."))
    #expect(tag("", [1]) == [.setRemarks([1: Remark(tags: [], note: nil)])])
    #expect(one.shows("Removed the tags from GET /v1/users?page=2."))
    one.press("u")
    #expect(one.effects.last == .setRemarks([1: Remark(tags: ["c", "d"], note: nil)]))
    one.perform(.answer(.note(2), "看て", isFinal: true))
    #expect(one.shows("Noted GET /v1/users?page=2.") && one.exchanges[1].note == "看て" && one.exchanges[1].tags == ["d"])
    one.perform(.answer(.note(2), " ", isFinal: true))
    #expect(one.shows("Removed the note from GET /v1/users?page=2.") && one.exchanges[1].note == nil)
    one.perform(.answer(.note(9), "x", isFinal: true))
    #expect(one.shows("That request is no longer recorded."))
  }

  /// What the person says of a request stands in its detail before anything comes back of it.
  @Test func remarksStandInTheOpenDetailAtOnce() {
    var open = driver([.make(1), .make(2)])
    open.press("enter")
    open.perform(.requests(.setRemarks([2: Remark(tags: ["odd"], note: "a note")])))
    #expect(open.shows("#odd") && open.shows("✎ a note"))
    #expect(open.state.requests.detail.exchange?.tags == ["odd"])
    open.perform(.requests(.setRemarks([1: Remark(tags: ["other"], note: nil)])))
    #expect(open.shows("#odd") && !open.shows("#other"), "those of another are not its own")
    open.perform(.requests(.setRemarks([2: Remark(tags: [], note: nil)])))
    #expect(!open.shows("#odd") && !open.shows("✎ a note"))
  }

  @Test func theAnswerIsEditedWhicheverTabIsShown() {
    for keys in ["e", "enter right right e", "enter right tab tab e", "2 1 e"] {
      var driver = driver([.make(1, body: "{\"a\":1}")])
      driver.press(keys)
      #expect(driver.state.requests.detail.tab == .response && driver.state.requests.detail.hasKeys, "\(keys)")
      #expect(driver.state.requests.detail.edit?.editor.text == "1", "\(keys)")
    }
  }

  /// A row that changes while the list is sorted is shown as it is now; its place is another at the next sorting.
  @Test func aSortedRowChangesInItsPlace() {
    var driver = driver([.make(1, took: 5_000), .make(2, phase: .waiting)])
    driver.perform(.requests(.setSort(SortOrder(.duration, descending: true))))
    let rows = (0..<2).map { driver.state.requests.list.order[$0] }
    var changed = Exchange.make(2, status: 503, took: 9_000)
    changed.request.method = "PUT"
    driver.exchanges[1] = changed
    driver.send(.exchanges([ExchangeChange(changed.summary)], query: driver.query.token))
    #expect(driver.shows("✗ 503") && (0..<2).map { driver.state.requests.list.order[$0] } == rows)
    #expect(driver.state.requests.list.isStale)
    // Of a search that is no longer the one in force, too.
    driver.perform(.requests(.setSort(.arrival)))
    driver.send(.exchanges([ExchangeChange(Exchange.make(1, status: 418).summary, matches: false)], query: -1))
    #expect(driver.shows("! 418") && driver.state.requests.list.order.count == 2)
  }

  @Test func whatItHasIsProposed() {
    var exchange = Exchange.make(1)
    exchange.tags = ["one", "two"]
    exchange.note = "a note"
    var driver = driver([exchange, .make(2)])
    driver.press("g t")
    #expect((driver.state.boxes.last as? Prompt)?.editor.text == "one two")
    driver.press("esc ;")
    #expect((driver.state.boxes.last as? Prompt)?.editor.text == "a note")
    driver.press("esc m m t")
    #expect((driver.state.boxes.last as? Prompt)?.editor.text == "", "to several they are added")
    var none = self.driver([])
    none.press("t ;")
    #expect(none.state.boxes.isEmpty)
  }
}
