import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the root does by itself: routes keys and clicks, keeps the time, asks before it ends, steps back and forth.
@Suite(.bounded) struct RootTests {
  private static let withoutTour: ViewSettings = {
    var view = ViewSettings()
    view.tourDone = true
    return view
  }()

  private func count(_ driver: ConsoleDriver, _ effect: ConsoleEffect) -> Int {
    driver.effects.filter { $0 == effect }.count
  }

  // MARK: What is known when it starts

  @Test(arguments: [
    (ConsoleSetup.Mode.run(command: "swift t\u{1B}"), "patchbay · swift t␛", "(1,200 held) patchbay · swift t␛"),
    (.attach(program: "app 7"), "patchbay · app 7", "(1,200 held) patchbay · app 7"),
    (.listen, "patchbay", "(1,200 held) patchbay"), (.demo, "patchbay demo", "(1,200 held) patchbay demo"),
    (.open(file: "a\u{7}.har"), "a␇.har · patchbay", "a␇.har · patchbay"),
  ])
  func theTitleSaysWhatIsLookedAtAndWhatWaits(_ mode: ConsoleSetup.Mode, _ none: String, _ held: String) {
    let setup = ConsoleSetup(mode: mode)
    #expect(setup.title(held: 0) == none && setup.title(held: 1_200) == held)
    var isRun = false
    if case .run = mode { isRun = true }
    #expect(setup.hasCommandInput == isRun)
    if case .open(let file) = mode { #expect(setup.openedFile == file) } else { #expect(setup.openedFile == nil) }
    var driver = ConsoleDriver(setup: setup)
    #expect(driver.state.draw().title == none)
    driver.add([.make(1, phase: .heldRequest)])
    #expect(driver.state.draw().title == held.replacing("1,200", with: "1"))
  }

  @Test func theEmptyListSaysWhatToDo() throws {
    var out = ""
    for mode in [
      ConsoleSetup.Mode.run(command: "app\u{1B} x"), .attach(program: "app 7"), .listen, .demo,
      .open(file: "a\u{7}.har"),
    ] {
      for filter in ["", "run:last", "host:x", "is:failed x"] {
        for isLinked in [false, true] {
          var driver = ConsoleDriver(
            width: 90, height: 30, setup: ConsoleSetup(mode: mode, socket: "/run/\u{7}p.sock", filter: filter),
            view: Self.withoutTour)
          driver.send(.runs([]))
          if isLinked { driver.send(.links([Sample.links()[0]])) }
          out += "== \(mode) “\(filter)” \(isLinked)\n"
          out += driver.lines.dropFirst(3).dropLast().filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
        }
      }
    }
    var driver = ConsoleDriver(width: 90, height: 30)
    var gone = Sample.links()[0]
    gone.ended = driver.now
    driver.send(.links([gone]))
    #expect(driver.shows("No program is linked yet."), "one that has gone is linked no longer")
    #expect(PageLine.hint("esc", "x").text == "esc  x" && PageLine.hint("is:bad", "x").text == "is:bad x")
    driver.add([.make(1)])
    driver.press("z")
    #expect(driver.shows("The list is cleared.") && driver.shows("brings it back"))
    // A search that takes long is announced, one that does not is not.
    driver.perform(.requests(.applyFilter("")))
    try expectRecorded(out, "Walks/empty-lists.txt")
  }

  @Test(arguments: [("", "Reading…"), ("is:bad", "Searching…")])
  func aSearchIsAnnouncedWhereItTakesLong(_ filter: String, _ text: String) {
    var state = ConsoleState(
      size: Size(width: 80, height: 24), now: Timestamp(microseconds: 1_000_000), setup: ConsoleSetup(filter: filter))
    let effects = state.start()
    guard case .runQuery(let query)? = effects.first else { return #expect(Bool(false), "no query") }
    #expect(query.filter == filter)
    func shows(_ text: String) -> Bool { state.draw().grid.text.contains(text) }
    #expect(!shows(text) && !shows("No program is linked") && shows("searching…"))
    #expect(state.nextTick == Timestamp(microseconds: 1_150_000))
    _ = state.update(.tick, at: Timestamp(microseconds: 1_149_999))
    #expect(!shows(text))
    _ = state.update(.tick, at: Timestamp(microseconds: 1_150_000))
    #expect(shows(text) && state.nextTick == nil)
    _ = state.update(.ids(IDBatch(token: query.token, ids: [], isLast: false)), at: Timestamp(microseconds: 1_200_000))
    #expect(shows(text), "more may come")
    _ = state.update(
      .ids(IDBatch(token: query.token, ids: [], failure: "It went wrong.")), at: Timestamp(microseconds: 1_300_000))
    #expect(!shows(text) && shows("! It went wrong.") && !shows("searching…"))
  }

  // MARK: Keys

  /// `alt` with a key is esc and that key, but in a box into which letters are typed it is that box's.
  @Test func altIsEscAndAKeyWhereNothingIsTyped() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2)])
    driver.press("enter")
    driver.press("alt-2")
    #expect(driver.state.tab == .stubs && !driver.state.requests.detail.isOpen)
    driver.press("1 y alt-k")
    #expect(driver.state.boxes.isEmpty && driver.state.requests.list.selectedID == 1)
    driver.press(": alt-2")
    #expect(driver.state.boxes.count == 1 && driver.state.tab == .requests)
    driver.press("esc alt-%")
    #expect(driver.state.tab == .requests && driver.state.boxes.isEmpty)
  }

  @Test func escStopsTheNewestWorkFirst() {
    var driver = ConsoleDriver(width: 120)
    driver.add([.make(1)])
    driver.press("enter")
    driver.send(.work(token: 3, title: "Exporting", share: 0.5))
    driver.send(.work(token: 4, title: "Reading", share: nil))
    #expect(driver.shows("Reading, esc stops"))
    driver.press("esc")
    #expect(driver.effects.last == .cancelWork(4) && driver.state.requests.detail.isOpen)
    driver.send(.workEnded(token: 4))
    #expect(driver.shows("Exporting ▰▰▰▰▰▱▱▱▱▱ 50 %, esc stops"))
    driver.press("y esc")
    #expect(driver.effects.last != .cancelWork(3) && driver.state.boxes.isEmpty, "a menu is closed first")
    driver.press("esc")
    #expect(driver.effects.last == .cancelWork(3))
    driver.send(.workEnded(token: 3))
    driver.press("esc")
    #expect(!driver.state.requests.detail.isOpen && !driver.shows("esc stops"))
  }

  @Test(arguments: [(39, 24), (80, 8)]) func onAScreenThatIsTooSmallOneCanLeave(_ width: Int, _ height: Int) {
    var driver = ConsoleDriver(width: width, height: height)
    driver.add([.make(1)])
    #expect(driver.shows("Patchbay needs 40×9;"))
    driver.press("x 2 enter")
    #expect(driver.state.boxes.isEmpty && driver.state.tab == .requests && !driver.state.requests.detail.isOpen)
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 5, y: 3)))))
    #expect(count(driver, .quit) == 0)
    for key in ["q", "ctrl-c"] {
      var left = driver
      left.press(key)
      #expect(count(left, .quit) == 1)
    }
    driver.press("ctrl-l")
    #expect(driver.effects.last == .redraw)
    driver.send(.resized(Size(width: 40, height: 9)))
    #expect(!driver.shows("Patchbay needs"))
    #expect(Size(width: 40, height: 9).fitsConsole && !Size(width: width, height: height).fitsConsole)
  }

  @Test func tabsGoRoundAndTheFilterIsLeft() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    var seen: [Tab] = []
    for _ in 0..<6 {
      driver.press("}")
      seen.append(driver.state.tab)
    }
    #expect(seen == [.stubs, .traffic, .processes, .output, .requests, .stubs])
    driver.press("{ {")
    #expect(driver.state.tab == .output)
    for (key, tab) in [("1", Tab.requests), ("2", .stubs), ("3", .traffic), ("4", .processes), ("5", .output)] {
      driver.press(key)
      #expect(driver.state.tab == tab)
    }
    driver.press("1 /")
    driver.send(
      .input(.mouse(MouseEvent(.press(.left), at: Point(x: driver.state.header.column(of: .stubs) ?? 0, y: 0)))))
    #expect(driver.state.tab == .stubs && !driver.state.requests.bar.isOpen)
    #expect(driver.state.context.keyContexts == [.stubs, .global])
  }

  @Test func whatAKeyMeansGoesByWhereOneIs() {
    var driver = ConsoleDriver()
    #expect(driver.state.context.keyContexts == [.requests, .global])
    driver.add([.make(1), .make(2, phase: .heldRequest)])
    driver.press("G")
    #expect(driver.state.context.keyContexts == [.held, .requests, .global])
    driver.press("enter")
    #expect(driver.state.context.keyContexts == [.held, .requests, .global])
    driver.press("tab")
    #expect(driver.state.context.keyContexts == [.detail, .held, .requests, .global])
    driver.press("tab k")
    #expect(driver.state.context.keyContexts == [.requests, .global])
    for (key, context) in [("3", KeyContext.traffic), ("4", .processes), ("5", .output)] {
      driver.press(key)
      #expect(driver.state.context.keyContexts == [context, .global])
    }
  }

  @Test func aboutTheRowUnderTheCursorAreTheseOnly() {
    let all = Set(Binding.table.map(\.command))
    let rows: Set<RequestsCommand> = [
      .open, .switchPane, .mark, .delete, .stubFromRequest, .faults, .editStub, .editExternally, .hold, .replay,
      .replayEdited, .copy, .compare, .nextDetailTab, .previousDetailTab, .nextFailed, .previousFailed,
    ]
    for command in all {
      let isAboutRow: Bool =
        switch command {
        case .held, .detail: true
        case .move(let command): command == .up || command == .down
        case .requests(let command): rows.contains(command)
        default: false
        }
      #expect(command.isAboutRow == isAboutRow, "\(command.name)")
      #expect(Binding.table.contains { $0.command == command && $0.context == command.context })
    }
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (21, 10)])
  func aPageAndHalfOfIt(_ page: Int, _ half: Int) {
    #expect(MoveCommand.pageDown.step(page: page) == page && MoveCommand.pageUp.step(page: page) == -page)
    #expect(MoveCommand.halfDown.step(page: page) == half && MoveCommand.halfUp.step(page: page) == -half)
    #expect(MoveCommand.down.step(page: page) == 1 && MoveCommand.up.step(page: page) == -1)
    #expect(MoveCommand.first.step(page: page) == -MoveCommand.last.step(page: page))
    #expect(MoveCommand.last.step(page: page) > 1 << 30)
  }

  @Test(arguments: [20, 12]) func aPageIsOneRowLessThanIsSeen(_ height: Int) {
    var driver = ConsoleDriver(height: height)
    driver.add((1...200).map { .make($0) })
    let rows = driver.layout.rows.height
    driver.press("g pgdn")
    #expect(driver.state.requests.list.selectedID == Int64(rows))
    driver.press("ctrl-d")
    #expect(driver.state.requests.list.selectedID == Int64(rows + max(1, (rows - 1) / 2)))
    driver.press("ctrl-u pgup")
    #expect(driver.state.requests.list.selectedID == 1)
  }

  // MARK: The mouse

  @Test func theMouseCanBeTurnedOff() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2)])
    func click() { driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 20, y: 3))))) }
    #expect(driver.state.draw().mouse)
    driver.press("M")
    #expect(!driver.state.draw().mouse && driver.shows("The mouse is off: the terminal selects text."))
    #expect(driver.effects.last == .saveView(driver.state.view))
    click()
    #expect(driver.state.requests.list.selectedID == 2)
    driver.press("M")
    #expect(driver.state.draw().mouse && driver.shows("The mouse is on."))
    click()
    #expect(driver.state.requests.list.selectedID == 1)
  }

  @Test func aClickOnTheFootIsAsGoodAsItsKey() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2)])
    func click(_ text: String) {
      let row = driver.state.size.height - 1
      guard let range = driver.lines[row].range(of: text) else {
        Issue.record("no \(text) in \(driver.lines[row])")
        return
      }
      let x = textWidth(driver.lines[row][..<range.lowerBound])
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: row)))))
    }
    click("enter open")
    #expect(driver.state.requests.detail.isOpen)
    click("esc close")
    #expect(!driver.state.requests.detail.isOpen)
    click("y copy")
    #expect(driver.state.boxes.last is MenuBox)
    click("esc close")
    #expect(driver.state.boxes.isEmpty)
    // In a prompt the line is the prompt's.
    driver.press("t")
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 2, y: driver.state.size.height - 1)))))
    #expect(driver.state.boxes.last is Prompt)
  }

  @Test func aDividerThatIsDraggedStaysInItsBounds() {
    for (width, beside) in [(100, false), (160, true)] {
      var driver = ConsoleDriver(width: width, height: 40)
      driver.add([.make(1)])
      driver.press("enter")
      #expect(driver.layout.isBeside == beside)
      // Columns of 160 or rows of 37, and the share of them in percent.
      let steps =
        beside
        ? [(48, 30), (96, 60), (8, 15), (158, 85), (64, 40)] : [(10, 27), (20, 54), (1, 15), (36, 85), (15, 40)]
      func mouse(_ kind: MouseEvent.Kind, _ place: Int) {
        let point = beside ? Point(x: place, y: 20) : Point(x: width - 2, y: 2 + place)
        driver.send(.input(.mouse(MouseEvent(kind, at: point))))
      }
      mouse(.press(.left), beside ? driver.layout.divider.x : driver.layout.divider.y - 2)
      let saved = driver.effects.count
      for (place, share) in steps {
        mouse(.drag(.left), place)
        #expect(driver.state.view.listShare == share, "\(place)")
      }
      #expect(driver.effects.count == saved, "it is kept when it is let go")
      mouse(.release(.left), 9)
      #expect(driver.effects.last == .saveView(driver.state.view))
      let count = driver.effects.count
      mouse(.drag(.left), 30)
      mouse(.release(.left), 30)
      #expect(driver.state.view.listShare == 40 && driver.effects.count == count, "nothing is dragged any more")
    }
  }

  // MARK: Time and size

  @Test func whatWasChosenForANarrowScreenIsNotMeantForAWideOne() {
    for (from, to, isKept) in [(100, 149, true), (149, 150, false), (150, 149, false), (150, 220, true)] {
      var driver = ConsoleDriver(width: from, height: 30)
      driver.add([.make(1)])
      driver.press("v")
      let chosen = driver.state.view.detailBeside
      #expect(chosen != nil)
      driver.send(.resized(Size(width: to, height: 30)))
      #expect(driver.state.view.detailBeside == (isKept ? chosen : nil), "\(from) \(to)")
      #expect(driver.state.size.width == to)
    }
  }

  @Test func aNoticeGoesWhenItsTimeIsOverAndItsOfferWithIt() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.now.microseconds += 60_000_000
    driver.send(.tick)
    driver.press("h")
    #expect(driver.shows("The next request like this is held.") && driver.state.boxes.count == 1)
    driver.now.microseconds += 5_999_999
    driver.send(.tick)
    #expect(driver.state.boxes.count == 1 && driver.state.nextTick != nil)
    driver.now.microseconds += 1
    driver.send(.tick)
    #expect(driver.state.boxes.isEmpty && !driver.shows("The next request like this is held."))
    for (kind, seconds) in [(Notice.Kind.info, 6), (.good, 6), (.warning, 10), (.error, 10)] as [(Notice.Kind, Int64)] {
      driver.send(.notice(Notice(kind, "a notice")))
      driver.press("y")
      driver.now.microseconds += seconds * 1_000_000 - 1
      driver.send(.tick)
      #expect(driver.shows("a notice"), "\(kind)")
      driver.now.microseconds += 1
      driver.send(.tick)
      #expect(!driver.shows("a notice") && driver.state.boxes.count == 1, "\(kind): a menu stays")
      driver.press("esc")
    }
  }

  @Test func theNextTickIsTheFirstThatAnythingWants() {
    var driver = ConsoleDriver()
    let second: Int64 = 1_000_000
    driver.now.microseconds += 400
    driver.send(.tick)
    #expect(driver.state.nextTick == nil)
    // A row that goes on counts tenths of a second at first, then seconds.
    driver.add([.make(1, phase: .waiting)])
    driver.now = Timestamp(microseconds: 1_700_000_000_000_000 + 1_000 + 9_999_999)
    driver.send(.tick)
    #expect(driver.state.nextTick?.microseconds == 1_700_000_010_100_000)
    driver.now.microseconds += 1
    driver.send(.tick)
    #expect(driver.state.nextTick?.microseconds == 1_700_000_011_000_000)
    driver.press("2")
    #expect(driver.state.nextTick?.microseconds == 1_700_000_011_000_000, "the rate of the head")
    driver.now.microseconds += 60 * second
    driver.send(.tick)
    #expect(driver.state.nextTick == nil, "nobody looks at the row")
    driver.press("1")
    #expect(driver.state.nextTick?.microseconds == driver.now.microseconds / second * second + second)
    driver.add([.make(1)])
    #expect(driver.state.nextTick == nil)
    driver.send(.notice(Notice(.info, "x")))
    #expect(driver.state.nextTick?.microseconds == driver.now.microseconds + 6 * second)
  }

  // MARK: Leaving

  private func leave(_ mode: ConsoleSetup.Mode, edited: Int = 0, held: Int = 0, ended: Bool = false) -> ConsoleDriver {
    var driver = ConsoleDriver(width: 140, setup: ConsoleSetup(mode: mode), view: Self.withoutTour)
    driver.board = StubBoard(
      revision: 1,
      entries: (0..<3).map {
        .init(stub: Stub(name: "\($0)", then: .hold(.both)), origin: .file("/a.yaml"), edited: $0 < edited)
      })
    driver.send(.board(driver.board, by: nil))
    driver.add((0..<held).map { .make(Int64($0 + 1), phase: .heldRequest) })
    if ended { driver.send(.commandEnded("It has ended.")) }
    return driver
  }

  private func items(_ driver: ConsoleDriver) -> [String] {
    (driver.state.boxes.last as? MenuBox)?.menu.items.map { item in
      "\(item.key?.description ?? "-") \(item.label)\(item.detail.isEmpty ? "" : ": \(item.detail)")"
    } ?? []
  }

  @Test func leavingAsksOnlyWhereSomethingWouldEndOrBeLost() {
    let run = ConsoleSetup.Mode.run(command: "swift test")
    for (driver, menu) in [
      (leave(.listen), []), (leave(.demo, edited: 2), []), (leave(run, ended: true), []),
      (leave(run), ["y Leave: ends swift test", "esc Stay"]),
      (
        leave(.listen, edited: 1),
        ["y Leave: 1 stub changed here and not written", "w Write the stubs, then leave", "esc Stay"]
      ),
      (leave(.demo, held: 2), ["y Leave: 2 requests held, to be released", "esc Stay"]),
      (
        leave(run, edited: 2, held: 1),
        [
          "y Leave: ends swift test; 2 stubs changed here and not written; 1 request held, to be released",
          "w Write the stubs, then leave", "esc Stay",
        ]
      ),
    ] {
      var driver = driver
      driver.press("q")
      #expect(items(driver) == menu && count(driver, .quit) == (menu.isEmpty ? 1 : 0))
      guard !menu.isEmpty else { continue }
      var stays = driver
      stays.press("esc")
      #expect(stays.state.boxes.isEmpty && count(stays, .quit) == 0)
      var writes = driver
      driver.press("y")
      #expect(driver.effects.last == .quit)
      if menu.count == 3 {
        writes.press("w")
        #expect(writes.effects.suffix(2) == [.writeStubs, .quit])
      }
    }
    var opened = leave(.listen)
    opened.add([.make(7)])
    opened.press("enter q")
    #expect(!opened.state.requests.detail.isOpen && count(opened, .quit) == 0)
    opened.press("2 q")
    #expect(count(opened, .quit) == 1)
  }

  @Test func ctrlCAsksWhomToStopWhereACommandRuns() {
    let run = ConsoleSetup.Mode.run(command: "swift test")
    var driver = leave(run)
    driver.press("ctrl-c")
    #expect(driver.shows("Stop what?") && driver.shows("ctrl-c again interrupts the command"))
    #expect(items(driver) == ["c The command: interrupt it: swift test", "q Patchbay: leave", "esc Nothing"])
    for (key, effect) in [("c", ConsoleEffect.interruptCommand), ("ctrl-c", .interruptCommand), ("q", .quit)] {
      var chosen = driver
      chosen.press(key)
      #expect(chosen.effects.last == effect && chosen.state.boxes.isEmpty, "\(key)")
    }
    driver.press("esc")
    #expect(driver.state.boxes.isEmpty && count(driver, .interruptCommand) == 0 && count(driver, .quit) == 0)
    for mode in [run, .listen] {
      var ended = leave(mode, ended: true)
      ended.press("ctrl-c")
      #expect(count(ended, .quit) == 1)
    }
    var held = leave(.listen, held: 1)
    held.press("ctrl-c")
    #expect(items(held).first == "y Leave: 1 request held, to be released")
  }

  // MARK: Undo

  @Test func eachChangeIsTakenBackAndDoneAgain() {
    func effects(_ change: UndoLog.Change) -> (back: [ConsoleEffect], forth: [ConsoleEffect]) {
      var driver = ConsoleDriver()
      driver.add((1...3).map { .make($0) })
      driver.perform(.done("It", change))
      var before = driver.effects.count
      driver.press("u")
      #expect(driver.shows("Undone: It"))
      let back = Array(driver.effects.dropFirst(before)).filter { if case .runQuery = $0 { false } else { true } }
      before = driver.effects.count
      driver.press("ctrl-r")
      #expect(driver.shows("Done again: It"))
      return (back, Array(driver.effects.dropFirst(before)).filter { if case .runQuery = $0 { false } else { true } })
    }
    let (one, two) = (Remark(tags: ["a"], note: nil), Remark(tags: [], note: "n"))
    let loads = ConsoleEffect.loadStubFile("/a", isAgain: true)
    let forgets = ConsoleEffect.forgetStubFile("/a")
    for (change, back, forth) in [
      (.remarked(from: [2: one], to: [2: two]), [.setRemarks([2: one])], [.setRemarks([2: two])]),
      (.deleted([2]), [.setDeleted([2], false)], [.setDeleted([2], true)]),
      (.restored([2]), [.setDeleted([2], true)], [.setDeleted([2], false)]),
      (.holdAll(from: nil, to: .both), [.setHoldAll(nil)], [.setHoldAll(.both)]),
      (.unmatched(from: .pass, to: .hold), [.setUnmatched(.pass)], [.setUnmatched(.hold)]),
      (.stubFile("/a", isThere: true), [forgets], [loads]), (.stubFile("/a", isThere: false), [loads], [forgets]),
      (
        .offline("/a", before: .hold, isOn: true), [.setUnmatched(.hold), forgets], [loads, .setUnmatched(.fail)]
      ),
      (
        .offline("/a", before: .hold, isOn: false), [loads, .setUnmatched(.fail)], [.setUnmatched(.hold), forgets]
      ),
    ] as [(UndoLog.Change, [ConsoleEffect], [ConsoleEffect])] {
      let seen = effects(change)
      #expect(seen.back == back && seen.forth == forth, "\(change): \(seen)")
      #expect(change.reversed.reversed == change && change.reversed != change)
    }
    var driver = ConsoleDriver()
    driver.add((1...3).map { .make($0) })
    driver.perform(.done("It", .cleared(from: 0, to: 2)))
    driver.press("u")
    #expect(driver.query.after == 0)
    driver.press("ctrl-r")
    #expect(driver.query.after == 2 && driver.state.requests.list.order.count == 1)
    let edits: ([StubEdit], [StubEdit]) = ([.remove(name: "a")], [.remove(name: "b")])
    #expect(
      UndoLog.Change.stubs(forward: edits.0, backward: edits.1).reversed
        == .stubs(forward: edits.1, backward: edits.0))
  }

  @Test func whatWasDoneStandsInAMenu() {
    var driver = ConsoleDriver(width: 100, setup: ConsoleSetup(utcOffset: 3_600))
    driver.press("U")
    #expect(driver.shows("Nothing was changed yet.") && driver.state.boxes.isEmpty)
    for number in 1...3 {
      driver.now.microseconds += 60_000_000
      driver.perform(.done("Step \(number)", .deleted([Int64(number)])))
    }
    driver.press("u U")
    let menu = (driver.state.boxes.last as? MenuBox)?.menu
    #expect(menu?.items.map(\.label) == ["As it was at the start", "Step 1", "Step 2", "Step 3"])
    #expect(menu?.items.map(\.detail) == ["", "23:13:20", "23:14:20", "23:15:20"])
    #expect(menu?.items.map(\.isOn) == [true, true, true, false] && menu?.selected == 2)
    #expect(driver.shows("enter goes to that point"))
    driver.press("j enter")
    #expect(driver.shows("Back to the state after: Step 3") && driver.effects.last == .setDeleted([3], true))
    driver.press("U g enter")
    #expect(driver.shows("Back to the state at the start."))
    let deleted = driver.effects.filter { if case .setDeleted = $0 { true } else { false } }
    #expect(deleted.suffix(3) == [3, 2, 1].map { .setDeleted([$0], false) })
    #expect(driver.state.log.position == 0 && driver.state.log.steps.count == 3)
  }

  // MARK: Themes, modes

  @Test func themesAreChosenWhereThereAreSome() {
    var driver = ConsoleDriver()
    driver.press("T")
    #expect(driver.shows("There are no themes but the built-in one.") && driver.state.boxes.isEmpty)
    driver.send(.themes(["dark", "light"]))
    driver.press("T")
    #expect(driver.effects.last == .loadSwatches && driver.state.boxes.last is ThemePicker)
    var light = Theme.builtIn
    light.name = "light"
    driver.send(.theme(light))
    #expect(driver.state.view.theme == "light" && driver.state.theme.name == "light")
  }

  @Test func whatMustNotBeOverlookedStandsInTheHeadTheGravestFirst() {
    let offline = Stub(name: "o", then: .fail(Fault(.named("notConnectedToInternet"))))
    func modes(_ change: (inout ConsoleContext) -> Void, isPaused: Bool = false) -> [HeaderMode] {
      var context = ConsoleDriver().state.context
      change(&context)
      return HeaderMode.all(context, isPaused: isPaused)
    }
    func board(_ stubs: [Stub], paused: Bool = false) -> StubBoard {
      var board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
      board.isPaused = paused
      return board
    }
    #expect(modes { _ in }.isEmpty)
    let everything = modes { $0.stubs.board = board([offline]) }
    #expect(everything.map(\.short) == ["✗ ALL"] && everything[0].text.hasPrefix("✗ EVERYTHING: "))
    for stub in [
      Stub(name: "o", enabled: false, then: offline.then),
      Stub(name: "o", when: RequestPattern(methods: ["GET"]), then: offline.then),
      Stub(name: "o", then: .respond(CannedResponse(status: 299))),
    ] { #expect(modes { $0.stubs.board = board([stub]) }.isEmpty, "\(stub)") }
    #expect(modes { $0.stubs.board = board([offline], paused: true) }.map(\.text) == ["STUBS OFF"])
    #expect(modes { $0.stubs.holdAll = .request }.map(\.text) == ["HOLDING ALL"])
    #expect(modes { $0.stubs.holdAll = .response }.map(\.text) == ["HOLDING ALL response"])
    #expect(modes { $0.stubs.holdAll = .both }.map(\.short) == ["HOLD ALL"])
    #expect(modes { $0.stubs.unmatched = .fail } == [HeaderMode(text: "unmatched: fail", short: "else fail")])
    #expect(modes({ _ in }, isPaused: true) == [HeaderMode(text: "PAUSED", short: "PAUSED")])
    let all = modes(
      {
        $0.setup = ConsoleSetup(mode: .open(file: String(repeating: "f", count: 50)))
        $0.stubs.board = board([offline])
        $0.stubs.holdAll = .both
        $0.stubs.unmatched = .hold
        for id in [1, 2] as [Int64] { _ = $0.held.note(Exchange.make(id, phase: .heldRequest).summary) }
      }, isPaused: true)
    #expect(all.map(\.short) == ["READ-ONLY", "✗ ALL", "HOLD ALL", "2 held", "PAUSED", "else hold"])
    #expect(all[0].text == "READ-ONLY \(String(repeating: "f", count: 39))…")
  }

  // MARK: The tour

  @Test func eachStepOfTheTourIsDoneByWhatItAsksFor() {
    func seen(
      requests: Bool = true, open: Bool = false, detail: DetailTab = .response, tab: Tab = .requests, on: Int = 2,
      filter: String = ""
    ) -> Tour.Seen {
      Tour.Seen(
        hasRequests: requests, isOpen: open, detailTab: detail, tab: tab, stubsOn: on, faultsOn: on,
        filter: filter)
    }
    func ended(_ out: inout Outcomes) -> [String] {
      out.drain().map { outcome in
        switch outcome {
        case .view(let view, isKept: true): "view, tour done: \(view.tourDone)"
        case .say(let notice, _, _): notice.text
        default: "\(outcome)"
        }
      }
    }
    let view = ViewSettings()
    var tour = Tour(isOn: true)
    // What is seen, how many steps are done then, and whether that was the last.
    for (place, (seen, step, isEnd)) in [
      (seen(requests: false, open: true), 0, false), (seen(), 0, false), (seen(open: true), 1, false),
      (seen(), 1, false), (seen(open: true, detail: .why), 2, false), (seen(on: 2), 2, false), (seen(on: 3), 3, false),
      (seen(on: 3), 3, false), (seen(on: 2), 4, false), (seen(on: 3), 4, false), (seen(tab: .stubs, on: 2), 4, false),
      (seen(tab: .stubs, on: 3), 5, false), (seen(on: 3), 5, false), (seen(on: 3, filter: "is:bad"), 6, true),
      (seen(on: 3, filter: "is:bad"), 6, false),
    ].enumerated() {
      let wasOn = tour.isOn
      var out = Outcomes()
      tour.look(seen, view, &out)
      #expect(tour.step == step && out.isEmpty == !isEnd && tour.isOn == (wasOn && !isEnd), "\(place)")
      guard isEnd else { continue }
      let praise = "That was the tour. ? lists every key, : finds a command by its name."
      #expect(ended(&out) == ["view, tour done: true", praise])
    }
    var out = Outcomes()
    tour.toggle(view, &out)
    #expect(tour.isOn && tour.step == 0 && out.isEmpty)
    tour.look(seen(open: true, detail: .request, on: 5), view, &out)
    #expect(tour.step == 2 && out.isEmpty, "what was on before is no step")
    tour.toggle(view, &out)
    #expect(!tour.isOn && ended(&out) == ["view, tour done: true"])
    tour.look(seen(on: 6), view, &out)
    #expect(!tour.isOn && tour.step == 2 && out.isEmpty)
  }

  @Test func theTourAtEveryWidth() throws {
    var out = ""
    let keys = ["enter", "right", "x enter", "u esc", "2 j j j space"]
    for width in [40, 60, 79, 100, 120] {
      var driver = ConsoleDriver(width: width, height: 24, setup: ConsoleSetup(mode: .demo))
      driver.board = Sample.board()
      driver.send(.board(driver.board, by: nil))
      driver.add([.make(1), .make(2, status: 500)])
      out += "\(width)│\(driver.lines[22])│\n"
      for key in keys {
        driver.press(key)
        out += "\(width)│\(driver.lines[22])│\n"
      }
      let grid = driver.state.draw().grid
      #expect(grid[Point(x: 0, y: 22)]?.style.background == driver.state.theme[.popup].background)
    }
    try expectRecorded(out, "Walks/tour-widths.txt")
    for (height, rows) in [(12, 0), (13, 1)] {
      let driver = ConsoleDriver(width: 80, height: height, setup: ConsoleSetup(mode: .demo))
      #expect(driver.state.context.tourRows == rows)
      #expect(driver.state.context.body == Rect(x: 0, y: 1, width: 80, height: height - 2 - rows))
    }
  }

  /// A notice of several lines takes its rows from what is listed, where there is room for that.
  @Test func theBodyMakesRoomForWhatIsSaid() {
    func body(_ height: Int, notice: Int, tour: Int = 0) -> Rect {
      var context = ConsoleDriver(width: 80, height: height).state.context
      context.noticeRows = notice
      context.tourRows = tour
      return context.body
    }
    for (height, notice, tour, rows) in [
      (24, 0, 0, 22), (24, 1, 0, 22), (24, 2, 0, 21), (24, 3, 1, 20), (24, 1, 1, 21), (24, 2, 1, 21), (13, 3, 0, 9),
      (12, 3, 0, 10), (1, 0, 0, 0),
    ] {
      #expect(
        body(height, notice: notice, tour: tour) == Rect(x: 0, y: 1, width: 80, height: rows), "\(height) \(notice)")
    }
  }
}
