import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What is decided for many stubs at once: files, sets, marks, and what none of them takes.
@Suite(.bounded) struct WholeStubsTests {
  private func stub(_ name: String, enabled: Bool = true) -> Stub {
    Stub(
      name: name, enabled: enabled, when: RequestPattern(path: .glob("/\(name)")),
      then: .respond(CannedResponse(status: 200)))
  }

  private func driver(_ width: Int = 80, _ height: Int = 24) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    let file = StubBoard.Origin.file("/tmp/本/offline.yaml")
    var entries: [StubBoard.Entry] = [.init(stub: stub("mine"), origin: .console)]
    entries += [stub("books"), stub("orders", enabled: false), stub("注文")].map {
      .init(stub: $0, origin: file, baseline: $0)
    }
    driver.board = StubBoard(revision: 2, entries: entries)
    driver.board.files = ["/tmp/本/offline.yaml"]
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    return driver
  }

  // MARK: Files

  @Test func aFileIsLoadedWithItsPathCompleted() {
    var driver = driver()
    driver.press("l")
    #expect(driver.lines.last?.contains("load stubs") == true && driver.shows("the path of a stub file"))
    driver.type("/tmp/off")
    driver.press("tab")
    #expect(driver.effects.last == .completePath("/tmp/off", isStubFile: true))
    driver.send(.pathCompletions(of: "/tmp/off", ["/tmp/offline.yaml"]))
    driver.press("enter")
    #expect(driver.effects.last == .loadStubFile("/tmp/offline.yaml"))
    driver.send(.stubFileLoaded(path: "/tmp/offline.yaml", count: 828, isNew: true))
    #expect(driver.shows("Loaded 828 stubs of offline.yaml."), "\(driver.screen)")
    driver.press("u")
    #expect(driver.effects.last == .forgetStubFile("/tmp/offline.yaml"))
    driver.press("ctrl-r")
    #expect(driver.effects.last == .loadStubFile("/tmp/offline.yaml", isAgain: true))
  }

  @Test func whatWasRecordedIsPlayedOfflineInTwoKeysAndUndoneInOne() {
    var driver = driver(120, 36)
    driver.add([.make(1)])
    driver.press("1 X o")
    #expect(driver.effects.last == .playOffline(filter: ""))
    driver.send(.stubFileLoaded(path: "/tmp/patchbay-export.yaml", count: 12, isNew: true, isOffline: true))
    #expect(driver.shows("Offline: 12 stubs of patchbay-export.yaml answer, all else fails."), "\(driver.screen)")
    #expect(driver.effects.last == .setUnmatched(.fail) && driver.lines[0].contains("unmatched: fail"))
    driver.press("u")
    #expect(driver.effects.suffix(2) == [.setUnmatched(.pass), .forgetStubFile("/tmp/patchbay-export.yaml")])
    driver.press("ctrl-r")
    #expect(
      driver.effects.suffix(2) == [.loadStubFile("/tmp/patchbay-export.yaml", isAgain: true), .setUnmatched(.fail)])
  }

  @Test func oneThatWasThereIsNotUndone() {
    var driver = driver()
    driver.send(.stubFileLoaded(path: "/tmp/offline.yaml", count: 1, isNew: false))
    #expect(driver.shows("Read offline.yaml again: 1 stub."))
    driver.press("u")
    #expect(!driver.effects.contains(.forgetStubFile("/tmp/offline.yaml")))
  }

  @Test func noPathLoadsNothing() {
    var driver = driver()
    let before = driver.effects.count
    driver.press("l space enter l esc")
    #expect(!driver.effects[before...].contains { if case .loadStubFile = $0 { true } else { false } })
  }

  // MARK: The columns

  /// Each is as wide as what is widest in it, within bounds, whichever stub that is of.
  @Test func theColumnsAreAsWideAsTheWidest() {
    let long = Stub(
      name: "a name of 20 columns", when: RequestPattern(path: .glob("/a/long/path/*/items")), then: .hold(.request),
      chance: 0.25, times: 1_000)
    for names in [["mine", "long"], ["long", "mine"], ["mine", "long", "mine 2"]] {
      var driver = ConsoleDriver(width: 200, height: 24)
      let entries = names.map { name in
        StubBoard.Entry(
          stub: name == "long" ? long : stub(name), origin: name == "long" ? .file("/tmp/of a file.yaml") : .console)
      }
      driver.board = StubBoard(revision: 2, entries: entries)
      driver.send(.board(driver.board, by: nil))
      let table = driver.state.stubs.table(width: 200)
      #expect(table.columns.map(\.title) == ["#", "on", "name", "when", "then", "limits", "hits", "from"])
      #expect(table.columns.map(\.width) == [3, 3, 20, 18, 14, 18, 6, 14], "\(names)")
      #expect(table.columns.map(\.want) == [nil, nil, 20, 20, 14, nil, nil, nil], "\(names)")
      #expect(table.columns.map(\.isEmpty) == [false, false, false, false, false, false, false, false])
    }
  }

  @Test func aTableOfNoLimitsHasNoColumnForThem() {
    var driver = ConsoleDriver(width: 200, height: 24)
    for count in [0, 1, 200, 201] {
      let last = Stub(name: "the two hundred and first", then: .hold(.request), times: 2)
      let entries = (0..<count).map { StubBoard.Entry(stub: $0 == 200 ? last : stub("\($0)"), origin: .console) }
      driver.board = StubBoard(revision: UInt64(count), entries: entries)
      driver.send(.board(driver.board, by: nil))
      let table = driver.state.stubs.table(width: 200)
      #expect(table.columns[5].isEmpty && table.columns[5].width == 6)
      #expect(table.columns[2].width == 12 && table.columns[2].want == [0: 0, 1: 1][count] ?? 3)
      #expect(table.columns[7].width == (count == 0 ? 6 : 12))
    }
  }

  // MARK: What no stub takes

  @Test(arguments: [("f", StubSet.Unmatched.fail, "unmatched: fail"), ("h", .hold, "unmatched: hold")])
  func unmatchedIsSwitchedInThreeKeys(_ key: String, _ what: StubSet.Unmatched, _ badge: String) {
    var driver = driver(120, 36)
    driver.press("1 2 n \(key)")
    #expect(driver.effects.last == .setUnmatched(what) && driver.lines[0].contains(badge), "\(driver.screen)")
    driver.press("n")
    #expect(driver.shows("Requests that no stub takes"))
    driver.press("esc u")
    #expect(driver.effects.last == .setUnmatched(.pass) && !driver.lines[0].contains("unmatched"))
  }

  /// What goes on to the network is as usual; what does not stays to be read for longer.
  @Test(arguments: [
    (StubSet.Unmatched.pass, Notice(.good, "What no stub takes goes to the network.")),
    (.fail, Notice(.warning, "What no stub takes fails: nothing leaves the program.")),
    (.hold, Notice(.warning, "What no stub takes is held.")),
  ])
  func whatBecomesOfWhatNoStubTakesIsSaid(_ unmatched: StubSet.Unmatched, _ notice: Notice) {
    var driver = driver()
    driver.press(unmatched == .pass ? "n f" : "n p")
    driver.press("n \(unmatched.rawValue.prefix(1))")
    #expect(driver.state.toast == Toast(notice, undoable: true, isAboutHeld: false, at: driver.now))
    driver.press("n \(unmatched.rawValue.prefix(1))")
    let again = Toast(Notice(.info, notice.text), undoable: false, isAboutHeld: false, at: driver.now)
    #expect(driver.state.toast == again)
  }

  @Test func whatIsSoAlreadyIsNoStepToUndo() {
    var driver = driver()
    driver.press("n p")
    #expect(!driver.effects.contains(.setUnmatched(.pass)))
    #expect(driver.shows("What no stub takes goes to the network."))
  }

  // MARK: Sets

  @Test func aSetIsOffAndOnAgainWithItsOwnSwitches() {
    var driver = driver(100, 30)
    let before = driver.board.entries
    driver.press("o")
    #expect(
      driver.shows("this console") && driver.shows("offline.yaml") && driver.shows("2 of 3 on"), "\(driver.screen)")
    driver.press("2")
    #expect(driver.board.stubsInForce.filter(\.enabled).map(\.name) == ["mine"] && driver.board.entries == before)
    #expect(driver.shows("offline.yaml is off, o turns it on.") && driver.shows("1 of 4 on"), "\(driver.screen)")
    driver.press("j")
    #expect(driver.shows("Its set is off: o turns it on."))
    driver.press("u")
    #expect(driver.board.stubsInForce == before.map(\.stub))
    driver.press("o 2 o 2")
    #expect(driver.board.stubsInForce == before.map(\.stub) && driver.board.pausedSets.isEmpty)
  }

  @Test func withoutStubsThereIsNoSet() {
    var driver = ConsoleDriver(width: 80, height: 24)
    driver.press("2 o")
    #expect(driver.shows("There are no stubs to switch: l loads a file of"), "\(driver.screen)")
  }

  // MARK: The filter

  @Test func theListIsFilteredAsOneTypes() {
    var driver = driver()
    driver.press("/")
    driver.type("注文")
    #expect(driver.shows("1 of 4") && !driver.shows("books"), "\(driver.screen)")
    driver.press("enter space")
    #expect(driver.board["注文"]?.stub.enabled == false && driver.board["mine"]?.stub.enabled == true)
    driver.press("/ ctrl-u")
    driver.type("is:off offline")
    driver.press("enter")
    #expect(driver.shows("2 of 4") && driver.shows("orders") && driver.shows("注文"))
    driver.press("J")
    #expect(driver.board.stubs.map(\.name).firstIndex(of: "注文") == 3)
    driver.press("/ ctrl-u")
    driver.type("nowhere")
    driver.press("enter")
    #expect(driver.shows("No stub has “nowhere”."))
    driver.press("space d J c W r s y e f")
    #expect(driver.board.entries.count == 4)
    driver.press("esc")
    #expect(driver.shows("books") && driver.shows("mine"))
  }

  @Test func whatIsMadeIsSeenWhateverTheFilterSays() {
    var driver = driver()
    driver.press("/")
    driver.type("books")
    driver.press("enter")
    driver.perform(.editStubs([.add(stub("new one"), at: nil)]))
    #expect(driver.state.stubs.selected?.stub.name == "new one" && driver.shows("mine"))
  }

  // MARK: Marks

  @Test func theMarkedAreSwitchedAndDeletedTogether() {
    var driver = driver()
    driver.press("m j m")
    #expect(driver.shows("2 marked, space switches them.") && driver.shows("◆"), "\(driver.screen)")
    driver.press("space")
    #expect(driver.board["mine"]?.stub.enabled == true && driver.board["orders"]?.stub.enabled == true)
    driver.press("space")
    #expect(driver.board["mine"]?.stub.enabled == false && driver.board["orders"]?.stub.enabled == false)
    driver.press("u u")
    #expect(driver.board["mine"]?.stub.enabled == true && driver.board["orders"]?.stub.enabled == false)
    let before = driver.board.entries
    driver.press("y")
    #expect(driver.effects.last == .copyStubs([stub("mine"), stub("orders", enabled: false)]))
    driver.press("d")
    #expect(driver.board.stubs.map(\.name) == ["books", "注文"] && driver.shows("Deleted 2 stubs."))
    driver.press("u")
    #expect(driver.board.entries == before)
    driver.press("m esc")
    #expect(!driver.shows("marked,"))
  }

  /// The file is what one goes back to, as it is by then.
  @Test func anEditThatIsUndoneIsAsTheFileHasIt() {
    var driver = driver()
    guard let entry = driver.board.entries.first(where: { $0.baseline != nil && !$0.edited }),
      case .file(let path) = entry.origin
    else { return #expect(Bool(false), "none is of a file") }
    var edited = entry.stub
    edited.then = .fail(Fault(.named("timedOut")))
    driver.perform(.stubs(.put(edited, inPlaceOf: entry.stub, note: "", isForm: false)))
    #expect(driver.board[entry.stub.name]?.edited == true)
    let saved = driver.board.entries.filter { $0.origin == .file(path) }.compactMap(\.baseline).map { stub in
      var stub = stub
      if stub.name == entry.stub.name { stub.then = .respond(CannedResponse(status: 555)) }
      return stub
    }
    driver.board = (try? driver.board.apply(.fileLoaded(path: path, saved))) ?? driver.board
    driver.send(.board(driver.board, by: nil))
    driver.press("u")
    #expect(driver.board[entry.stub.name]?.stub.then == .respond(CannedResponse(status: 555)))
    #expect(driver.board[entry.stub.name]?.edited == false)
  }

  /// What others did meanwhile stays.
  @Test func whatWasDeletedComesBackBesideWhatOthersMadeSince() {
    var driver = driver()
    driver.press("m j m d")
    let gone = driver.board.stubs.count
    driver.board = (try? driver.board.apply(.add(stub("script"), at: nil))) ?? driver.board
    driver.send(.board(driver.board, by: nil))
    driver.press("u")
    #expect(driver.board.stubs.count == gone + 3 && driver.board["script"] != nil && driver.board["mine"] != nil)
  }

  // MARK: The detail

  @Test(arguments: [(80, 24), (120, 36), (200, 60)])
  func theDetailHasItsTextAndWhatItTookLast(_ width: Int, _ height: Int) {
    var driver = driver(width, height)
    driver.add([.make(1, "GET", "http://h/books", status: 201, stub: "books"), .make(2, "GET", "http://h/x")])
    driver.press("j")
    #expect(driver.shows("name: books") && driver.shows("Took last") && driver.shows("#1  "), "\(driver.screen)")
    #expect(!driver.shows("#2  "))
    guard case .loadStubDetail(_, let text)? = driver.effects.last, let filter = try? Filter(parsing: text) else {
      return #expect(Bool(false), "\(driver.effects)")
    }
    #expect(driver.exchanges.map { filter.matches($0, now: driver.now) } == [true, false])
  }

  @Test func whatItTookLastStandsInColumns() {
    let requests: [Exchange] = [
      .make(7, "GET", "http://h/a", status: 201, stub: "books"),
      .make(1_234, "DELETE", "http://h/b", error: RecordedError(domain: "d", code: 1, name: "n"), stub: "books"),
    ]
    let detail = StubDetail(stub: stub("books"), yaml: "", last: requests.map(\.summary))
    let lines = detail.hits(width: 80, driver().state.context).map(\.text)
    #expect(lines.map { $0.prefix(7) } == ["   #7  ", "#1234  "])
    let paths = zip(lines, ["/a", "/b"]).map { line, path in textWidth(String(line.prefix(line.count - path.count))) }
    #expect(zip(lines, ["/a", "/b"]).allSatisfy { $0.hasSuffix($1) } && Set(paths).count == 1, "\(lines)")
  }

  @Test func itIsAskedForAgainOnceASecondAtMost() {
    var driver = driver()
    func asked(_ driver: ConsoleDriver) -> Int {
      driver.effects.count { if case .loadStubDetail = $0 { true } else { false } }
    }
    let process = HarnessProcess(name: "demo", pid: 7)
    let first = asked(driver)
    for hits in 1...50 { driver.send(.progress(process, [StubProgress(name: "mine", hits: UInt64(hits))])) }
    #expect(asked(driver) == first)
    #expect(driver.state.nextTick != nil)
    driver.now.microseconds += 1_000_000
    driver.send(.tick)
    #expect(asked(driver) == first + 1)
    #expect(driver.state.stubs.nextTick(in: driver.state.context.body) == nil)
  }

  @Test func itSaysWhyItTakesNothing() {
    var driver = driver()
    var all = stub("all")
    all.when = RequestPattern()
    all.times = 2
    driver.perform(.editStubs([.add(all, at: 0)]))
    driver.send(.progress(HarnessProcess(name: "demo", pid: 7), [StubProgress(name: "all", hits: 2)]))
    #expect(driver.shows("Used up: it has taken 2 of 2. r begins again."), "\(driver.screen)")
    all.times = nil
    driver.perform(.editStubs([.replace(name: "all", with: all)]))
    driver.press("j")
    #expect(driver.shows("Never reached: “all”, number 1, takes all that it could."), "\(driver.screen)")
    driver.press("j j")
    #expect(driver.shows("Off: space turns it on."))
  }
}
