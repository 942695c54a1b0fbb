import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The linked processes: their order, which is selected, and what was asked of them.
@Suite(.bounded) struct ProcessesTabTests {
  private func row(
    _ instance: UInt64, since: Int64 = 0, ended: Int64? = nil, degree: HookSettings.Degree = .full,
    shed: Shed = Shed(), parent: Int32 = 0, isStalled: Bool = false
  ) -> LinkRow {
    LinkRow(
      instance: instance, process: HarnessProcess(name: "p\(instance)", pid: Int32(instance) + 100),
      executable: "/bin/p\(instance)", entry: .attach, since: Timestamp(microseconds: since),
      ended: ended.map { Timestamp(microseconds: $0) }, degree: degree, shed: shed, parent: parent, isStalled: isStalled
    )
  }

  private func program(_ pid: Int32, _ name: String = "program") -> ProgramRow {
    ProgramRow(process: HarnessProcess(name: name, pid: pid), since: Timestamp(microseconds: 0), command: "/\(name)")
  }

  private func driver(_ rows: [LinkRow], _ programs: [ProgramRow] = [], width: Int = 160) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: 24)
    driver.press("4")
    driver.send(.links(rows))
    driver.send(.programs(programs))
    return driver
  }

  private func degree(_ driver: ConsoleDriver, _ instance: UInt64 = 1) -> HookSettings.Degree? {
    driver.state.processes.links.first { $0.instance == instance }?.degree
  }

  @Test func thoseThatAreLinkedStandFirstTheOldestOnTop() {
    let driver = driver([row(1, since: 5), row(2, since: 1, ended: 9), row(3, since: 3), row(4, since: 0, ended: 2)])
    #expect(driver.state.processes.links.map(\.instance) == [3, 1, 4, 2] && driver.state.processes.linked == 2)
    #expect(driver.shows("2 linked"))
  }

  // MARK: The degree

  @Test func aDegreeGoesRoundAndIsSaid() {
    var driver = driver([row(1), row(2)])
    for (degree, sentence) in [
      (HookSettings.Degree.observe, "p1 101: observe: requests are seen when they start, nothing is changed."),
      (.bypass, "p1 101: bypass: left alone."), (.full, "p1 101: full: reported, stubbed and held."),
    ] {
      driver.press("space")
      #expect(driver.effects.last == .setDegree(instance: 1, degree) && driver.shows(sentence))
      #expect(self.degree(driver) == degree && self.degree(driver, 2) == .full)
    }
  }

  /// Rows that were on their way since before the press say what was.
  @Test func whatWasAskedForIsShownUntilAHundredRowsSayOtherwise() {
    var driver = driver([row(1)])
    driver.press("space")
    for _ in 0..<100 { driver.send(.links([row(1)])) }
    #expect(degree(driver) == .observe)
    driver.send(.links([row(1)]))
    #expect(degree(driver) == .full)
    driver.send(.links([row(1, degree: .bypass)]))
    #expect(degree(driver) == .bypass)
  }

  @Test func onceItIsInForceEveryRowIsBelieved() {
    var driver = driver([row(1)])
    driver.press("space")
    driver.send(.links([row(1, degree: .observe)]))
    driver.send(.links([row(1, degree: .full)]))
    #expect(degree(driver) == .full)
    driver.press("space")
    driver.send(.links([row(1, ended: 7, degree: .full)]))
    driver.send(.links([row(1, degree: .full)]))
    #expect(degree(driver) == .full)
  }

  // MARK: Which is selected

  /// What enter opens.
  private func opened(_ driver: ConsoleDriver) -> String {
    var driver = driver
    driver.press("enter")
    return driver.state.requests.bar.applied
  }

  @Test func theSelectedOneStaysSelectedWhereverItGoes() {
    var driver = driver([row(1, since: 1), row(2, since: 2), row(3, since: 3)])
    driver.press("j")
    #expect(opened(driver) == "process:102")
    driver.send(.links([row(1, since: 1), row(2, since: 2, ended: 4), row(3, since: 3)]))
    #expect(opened(driver) == "process:102")
    driver.send(.links([row(3, since: 3), row(4, since: 0)]))
    #expect(opened(driver) == "process:103", "the place of one that is no longer there")
  }

  @Test func aProgramThatLinksIsSelectedAsALinkAndLeavesThePrograms() {
    var driver = driver([row(1)], [program(500, "a"), program(501, "b")])
    driver.press("G")
    driver.send(.programs([program(501, "b"), program(502, "c")]))
    driver.press("a")
    #expect(driver.effects.last == .attach(process: 501))
    var linked = row(9, since: -1)
    linked.process = HarnessProcess(name: "b", pid: 501)
    driver.send(.links([row(1), linked]))
    #expect(opened(driver) == "process:501")
    #expect(!driver.lines.contains { $0.contains("+") && $0.contains("501") })
    #expect(driver.lines.contains { $0.contains("+") && $0.contains("502") })
    // One that ended is none that the program has become.
    driver.press("G")
    var ended = row(10, ended: 3)
    ended.process = HarnessProcess(name: "c", pid: 502)
    driver.send(.links([row(1), linked, ended]))
    #expect(driver.lines.contains { $0.contains("+") && $0.contains("502") })
    driver.press("a")
    #expect(driver.effects.last == .attach(process: 502))
  }

  @Test func programsAreLookedForWhenTheTabIsShownAndTheLinksAreOthers() {
    var driver = ConsoleDriver(width: 120, height: 24)
    func looked() -> Int { driver.effects.filter { $0 == .findPrograms }.count }
    driver.send(.links([row(1)]))
    #expect(looked() == 0)
    driver.press("4")
    #expect(looked() == 1)
    driver.send(.links([row(1, degree: .observe)]))
    #expect(looked() == 1)
    driver.send(.links([row(1), row(2, since: 1)]))
    #expect(looked() == 2)
    driver.press("1")
    driver.send(.links([row(1)]))
    #expect(looked() == 2)
    driver.press("4")
    #expect(looked() == 3)
  }

  @Test func whereTheSelectedLastOneGoesTheOneBeforeItIsSelected() {
    var driver = driver([row(1, since: 1), row(2, since: 2), row(3, since: 3)])
    driver.press("G")
    #expect(opened(driver) == "process:103")
    driver.send(.links([row(1, since: 1), row(2, since: 2)]))
    #expect(opened(driver) == "process:102")
  }

  @Test func theWheelMovesTheList() {
    var driver = driver((1...40).map { row(UInt64($0), since: Int64($0)) })
    for (kind, name) in [(nil, " p1 "), (.wheelDown, " p4 "), (.wheelDown, " p7 "), (.wheelUp, " p4 ")]
      as [(MouseEvent.Kind?, String)]
    {
      if let kind { driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: 5, y: 8))))) }
      #expect(driver.lines[3].contains(name), "\(driver.lines[3])")
    }
  }

  @Test func whatIsNotPossibleIsSaid() {
    var driver = driver([row(1)])
    driver.press("a")
    #expect(driver.shows("It is linked."))
    func possible() -> [ProcessesCommand] { ProcessesCommand.allCases.filter(driver.state.processes.isPossible) }
    #expect(possible() == [.open, .degree])
    driver.send(.programs([program(500)]))
    #expect(possible() == [.open, .degree, .attach])
    driver.press("G space")
    #expect(driver.shows("program is not linked: a attaches to it."))
    driver.send(.links([]))
    #expect(possible() == [.attach])
    driver.send(.programs([]))
    driver.press("a")
    #expect(possible() == [] && driver.shows("No running program can be attached to."))
  }

  @Test func theMouseSelectsAndOpens() throws {
    var driver = driver([row(1), row(2, since: 1)], [program(500)])
    let line = try #require(driver.lines.firstIndex { $0.contains("p2") })
    func press(_ y: Int) {
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 20, y: y)))))
      driver.send(.input(.mouse(MouseEvent(.release(.left), at: Point(x: 20, y: y)))))
    }
    press(line)
    #expect(opened(driver) == "process:102" && driver.state.tab == .processes)
    press(line + 5)
    #expect(opened(driver) == "process:102", "there is none")
    driver.now.microseconds += 1_000_000
    press(line)
    press(line)
    #expect(driver.state.tab == .requests && driver.state.requests.bar.applied == "process:102")
  }

  // MARK: What is said of each

  private func line(_ rows: [LinkRow], _ name: String, width: Int = 200) -> String {
    driver(rows, width: width).lines.first { $0.contains(" \(name) ") } ?? ""
  }

  @Test func whatWasShedAndWhatIsToBeKnown() {
    let rows = [
      row(1, shed: Shed(exchanges: 1, bodies: 0, bytes: 7)), row(2, shed: Shed(exchanges: 0, bodies: 3, bytes: 7)),
      row(3, shed: Shed(exchanges: 2, bodies: 1_000, bytes: 7)), row(4), row(5, parent: 101), row(6, parent: 106),
      row(7, isStalled: true), row(8, ended: 3, isStalled: true),
    ]
    #expect(line(rows, "p1").contains(" 1 request "))
    #expect(line(rows, "p2").contains(" 3 bodies "))
    #expect(line(rows, "p3").contains(" 2 requests, 1,0"))
    #expect(line(rows, "p4").contains(" nothing ") && !line(rows, "p4").contains("child"))
    #expect(line(rows, "p5").contains("child of 101"))
    #expect(!line(rows, "p6").contains("child"), "none is its own parent")
    #expect(line(rows, "p7").contains("does not answer") && !line(rows, "p8").contains("does not answer"))
    #expect(line(rows, "p8").contains("gone"))
    #expect(driver(rows).shows("1 does not answer · 7 linked"))
    #expect(driver([row(1, isStalled: true), row(2, isStalled: true)]).shows("2 do not answer · 2 linked"))
  }

  @Test func ofOneThatHasGoneItIsNotSaidThatItSendsTooFast() {
    var (fast, gone, again, both) = (row(1), row(2, ended: 3), row(3), row(4, isStalled: true))
    fast.isThrottled = true
    gone.isThrottled = true
    both.isThrottled = true
    again.restarts = 1
    let rows = [fast, gone, again, both]
    #expect(line(rows, "p1").contains("sends too fast") && !line(rows, "p1").contains("start"))
    #expect(line(rows, "p2").contains("gone") && !line(rows, "p2").contains("too fast"))
    #expect(line(rows, "p3").contains("start 2"))
    #expect(line(rows, "p4").contains("does not answer,"), "the most urgent first")
  }
}
