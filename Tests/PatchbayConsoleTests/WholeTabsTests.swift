import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The parts of the screen over all their bounds. With `PATCHBAY_WRITE_SCREENS` set it is written anew; read the
/// difference before it is committed.
@Suite(.bounded) struct WholeTabsTests {
  /// Such as `3× a | 2× b`.
  private func runs(_ texts: some Sequence<String>) -> String {
    var runs: [(String, Int)] = []
    for text in texts {
      if runs.last?.0 == text { runs[runs.count - 1].1 += 1 } else { runs.append((text, 1)) }
    }
    return runs.map { "\($0.1)× \($0.0)" }.joined(separator: " | ")
  }

  private func text(_ lines: [PageLine]) -> String {
    lines.map { line in line.pieces.map { "\($0.text)‹\($0.role)›" }.joined() + "\n" }.joined()
  }

  // MARK: Keys, boxes, foot

  @Test func theTableOfKeys() throws {
    var out = ""
    for row in Binding.table {
      out += "\(row.context) \(row.command.name): \(row.keys.map(\.description)) “\(row.help)” \(row.hint ?? "-")"
      out += " \(row.priority)\n"
    }
    for context in KeyContext.allCases {
      let covered = KeyContext.allCases.filter(context.covers)
      out += "\(context) “\(context.title)” covers \(covered), active \(KeyMap().active(in: [context]).count)\n"
      out += "  \(FooterHint.all(Binding.table.filter { $0.context == context }).map { "\($0.key) \($0.text)" })\n"
    }
    try expectRecorded(out, "Walks/keys.txt")
  }

  /// Each box, by the keys that open it: where it stands, whether letters are typed into it, what the foot offers.
  @Test func everyBox() throws {
    var out = ""
    for (tab, size) in [("1", (120, 36)), ("1", (80, 24)), ("1", (200, 60))] {
      for keys in [
        "x", "!", "y", "f", "X", "S D", "T", "U", "h", "H", "?", ":", "C", "o", "+", "-", "t", ";", "I", "R", "s", "D",
        "k k k k k s", "c e", "c a", "c x", "c w", "2 a", "2 e", "2 j e", "2 n", "2 o", "2 l", "2 /", "2 B", "2 s",
        "2 a x esc", "z U", "5 i", "5 /", "k k k k enter tab L", "k k k k enter tab /", "k k k k enter tab e", "q",
        "ctrl-c", "k k k k e", "g m j m s", "g m j m S", "k k k k w",
      ] {
        var driver = Sample.driver(size.0, size.1, mode: .run(command: "app"))
        driver.press(tab)
        driver.press(keys)
        out += "== \(size.0)×\(size.1) \(keys)\n"
        let context = driver.state.context
        for box in driver.state.boxes {
          out += "\(type(of: box)) \(box.place) \(box.takesText) \(box.takenKeys.map(\.description)) "
          out += "\(box.nextTick.map { $0 - driver.now.microseconds } ?? -1) "
          out += "\(box.hints(context).map { "\($0.key) \($0.text)\($0.pressed == nil ? "…" : "")" })\n"
        }
        out += driver.lines.suffix(2).joined(separator: "\n") + "\n"
        guard let box = driver.state.boxes.last else { continue }
        // What of the mouse and a paste it takes.
        for kind in [MouseEvent.Kind.wheelDown, .wheelUp, .press(.left), .press(.right)] {
          var clicked = driver
          clicked.send(.input(.mouse(MouseEvent(kind, at: Point(x: 0, y: 1)))))
          out += "\(kind) \(clicked.state.boxes.count), "
        }
        var pasted = driver
        pasted.send(.input(.paste("st\nub")))
        out +=
          "pasted \(pasted.state.boxes.count) \(pasted.lines.contains { $0.contains("st") && $0.contains("ub") })\n"
        if box.place == .popup {
          out += pasted.lines.filter { $0.contains("│") }.prefix(6).joined(separator: "\n") + "\n"
        }
      }
    }
    try expectRecorded(out, "Walks/every-box.txt")
  }

  @Test func columnMeasures() throws {
    var out = ""
    for column in RequestColumn.allCases {
      out +=
        "== \(column) “\(column.title)” \(column.alignsRight) \(column.isFitted) \(ColumnMeasure.narrowest(column))\n"
      for width in [59, 60, 111, 112] {
        for isSorted in [false, true] {
          let all = [3, 6].flatMap { digits in
            [nil, 1, 9, 500].flatMap { own in
              [nil, 1, 9, 40].map { want in
                let measure = ColumnMeasure(
                  column, width: width, digits: digits, own: own, want: want, isSorted: isSorted)
                return "\(measure.least)/\(measure.floor)/\(measure.most)/\(measure.content)/\(measure.own ?? 0)"
              }
            }
          }
          out += "\(width)\(isSorted ? " sorted" : ""): \(runs(all))\n"
        }
      }
    }
    try expectRecorded(out, "Walks/column-measures.txt")
  }

  // MARK: Mouse areas

  @Test func whatStandsAtEachColumnOfTheHead() throws {
    var out = ""
    for width in [40, 45, 59, 60, 61, 69, 70, 71, 80, 109, 110, 120] {
      for active in Tab.allCases {
        for modes in [[], [HeaderMode(text: "HOLDING ALL response", short: "HOLD ALL")]] {
          let header = Header(width: width, active: active, modes: modes, linked: 2, recorded: 7, rate: RateMeter())
          out += "\(width) \(active) \(modes.count): \(runs((-1...width).map { header.tab(at: $0)?.title ?? "-" }))"
          out += " \(Tab.allCases.map { header.column(of: $0) ?? -1 })\n"
        }
      }
    }
    for head in [Rect(x: 0, y: 3, width: 60, height: 1), Rect(x: 70, y: 1, width: 50, height: 1)] {
      let found = (-1..<head.maxX + 1).map { DetailHead.tab(at: Point(x: $0, y: head.y), in: head)?.title ?? "-" }
      out += "\(runs(found))\n"
    }
    for tab in Tab.allCases { out += "\(tab.next(by: 1)) \(tab.next(by: -1)), " }
    try expectRecorded(out + "\n", "Walks/head-places.txt")
  }

  /// A click on each column of the rows that are no list: tabs, bar, heads, the rule above the detail, the foot.
  @Test func clicksBesideTheList() throws {
    var out = ""
    for (size, keys) in [
      ((100, 30), "k k k k enter"), ((160, 30), "k k k k enter"), ((100, 30), "3"), ((100, 30), "2"), ((100, 30), "4"),
    ] {
      var driver = Sample.driver(size.0, size.1)
      driver.press(keys)
      let effects = driver.effects.count
      let rows = keys.hasPrefix("k") ? [0, 1, 2, driver.layout.detailHead.y, size.1 - 1] : [0, 1, 2, size.1 - 1]
      for y in rows {
        out += "== \(size.0) \(keys), row \(y)\n"
        let seen = (0..<size.0).map { x in
          var clicked = driver
          clicked.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: y)))))
          clicked.send(.input(.mouse(MouseEvent(.release(.left), at: Point(x: x, y: y)))))
          let sort = clicked.query.sort
          return "\(clicked.state.tab) \(clicked.state.boxes.count) \(clicked.state.requests.detail.tab)"
            + " \(sort.column)\(sort.descending ? "↓" : "") \(clicked.state.requests.bar.isOpen)"
            + " \(clicked.state.requests.list.selectedID ?? 0) \(clicked.effects.count - effects)"
        }
        out += runs(seen).replacing(" | ", with: "\n") + "\n"
      }
    }
    try expectRecorded(out, "Walks/clicks-beside.txt")
  }

  @Test func twoClicksAtOnePlaceWithinFourTenthsAreADoubleClick() {
    func doubles(_ clicks: [(x: Int, after: Int64)]) -> [Bool] {
      var (mouse, now) = (MouseClicks(), Timestamp(microseconds: 5_000_000))
      return clicks.map { x, after in
        now.microseconds += after
        guard
          case .press(let point, let isDouble) = mouse.pointer(
            for: MouseEvent(.press(.left), at: Point(x: x, y: 4)), at: now)
        else { return false }
        #expect(point == Point(x: x, y: 4))
        return isDouble
      }
    }
    #expect(doubles([(1, 0), (1, 399_999)]) == [false, true])
    #expect(doubles([(1, 0), (1, 400_000)]) == [false, false])
    #expect(doubles([(1, 0), (2, 1), (2, 1)]) == [false, false, true])
    #expect(doubles([(1, 0), (1, 1), (1, 1), (1, 1)]) == [false, true, false, true])
    var mouse = MouseClicks()
    let at = Point(x: 7, y: 3)
    let now = Timestamp(microseconds: 0)
    for (kind, pointer) in [
      (.drag(.left), .drag(at)), (.release(.left), .release), (.wheelDown, .wheel(3, at: at)),
      (.wheelUp, .wheel(-3, at: at)), (.press(.right), nil), (.drag(.right), nil), (.move, nil),
    ] as [(MouseEvent.Kind, Pointer?)] {
      #expect(mouse.pointer(for: MouseEvent(kind, at: at), at: now) == pointer, "\(kind)")
    }
  }

  // MARK: What the foot says

  @Test func toastsAtAllSizes() throws {
    var out = ""
    let now = Timestamp(microseconds: 1_000)
    for kind in [Notice.Kind.info, .good, .warning, .error] {
      for words in [1, 5, 8, 9, 17, 18, 30, 60] {
        for undoable in [false, true] {
          let notice = Notice(kind, String(repeating: "sentence ", count: words) + "日本")
          let toast = Toast(notice, undoable: undoable, isAboutHeld: undoable, at: now)
          out += "== \(kind) \(words) \(undoable): until \(toast.expires.microseconds) \(toast.isAboutHeld)\n"
          for size in [(12, 9), (40, 9), (42, 12), (70, 13), (80, 24), (119, 24), (120, 24), (200, 5), (200, 4)] {
            let size = Size(width: size.0, height: size.1)
            let lines = toast.lines(in: size)
            out += "\(size.width)×\(size.height) \(toast.rows(in: size)) \(toast.rows(in: size, hasPrompt: true)) "
            out += "\(toast.footWidth(in: size)) \(lines.map { textWidth($0) }) \(lines.last ?? "none")\n"
            var grid = Grid(size)
            toast.draw(on: &grid, hasPrompt: false, .builtIn)
            let rows = grid.lines
            let drawn = rows.indices.filter { !rows[$0].isEmpty }
            out += "  drawn \(drawn) \(rows.last?.count ?? 0)\n"
          }
        }
      }
    }
    for share in [nil, -1, 0, 0.049, 0.1, 0.5, 0.999, 1, 7] as [Double?] {
      out += Work(token: 1, title: "Export\u{1B}ing", share: share).text + "\n"
    }
    var works = WorkList()
    #expect(works.newest == nil)
    for (token, share) in [(1, 0.1), (2, 0.2), (1, 0.3)] {
      works.note(Work(token: token, title: "t", share: share))
      out += "\(works.newest?.token ?? 0) \(works.newest?.share ?? 0), "
    }
    works.end(2)
    out += "\(works.newest?.token ?? 0) \(works.newest?.share ?? 0)\n"
    works.end(1)
    #expect(works.newest == nil)
    let hints = [
      FooterHint("a", "one"), FooterHint("↑↓", "move"), FooterHint("tab", "third one"), FooterHint("?", "help"),
    ]
    for width in 1...50 {
      for reserved in [0, 7] {
        for last in [nil, hints[3]] {
          let foot = Footer(hints, last: last, width: width, reserving: reserved)
          var grid = Grid(Size(width: width, height: 1))
          foot.draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), .builtIn)
          out +=
            "\(width)-\(reserved)│\(grid.text)│\(runs((-1...width).map { foot.key(at: $0)?.description ?? "-" }))\n"
        }
      }
    }
    try expectRecorded(out, "Walks/toasts.txt")
  }

  // MARK: Traffic

  private var report: TrafficReport {
    func row(
      _ host: String, _ method: String?, _ endpoint: String?, _ count: Int, _ errors: Int, _ time: Int64?
    ) -> TrafficStatistics {
      TrafficStatistics(
        host: host, method: method, endpoint: endpoint, count: count, errors: errors, sent: Int64(count * 7 % 100),
        received: Int64(count * 13 % 101), p50: time, p95: time.map { $0 + 1 }, p99: time.map { $0 * 2 },
        sparkline: (0..<20).map { $0 * count % 7 })
    }
    return TrafficReport(
      endpoints: [
        row("a.example", "GET", "/none", 1_000, 0, 999_999), row("a.example", "GET", "/few", 1_000, 49, 999_998),
        row("a.example", "PUT", "/some", 1_000, 50, 1_000_000), row("a.example", "GET", "/many", 1_000, 499, nil),
        row("b.example", "DELETE", "/half", 10, 5, 1), row("b.example", "POST", "/all", 3, 3, 70_000_000),
      ],
      hosts: [row("a.example", nil, nil, 4_000, 598, 400_000), row("b.example", nil, nil, 13, 8, 5)])
  }

  @Test func theTableOfTraffic() throws {
    var out = ""
    var driver = ConsoleDriver(width: 170, height: 40)
    driver.add([.make(1)])
    driver.press("3")
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
    for width in [170, 150, 149, 130, 110, 100, 90, 80, 70, 60, 50] {
      driver.send(.resized(Size(width: width, height: 40)))
      out += "== \(width)\n" + driver.lines.prefix(14).joined(separator: "\n") + "\n"
    }
    driver.send(.resized(Size(width: 170, height: 40)))
    // The colours of the cells of each row.
    let grid = driver.state.draw().grid
    let theme = driver.state.context.theme
    let roles: [ThemeRole] = [.text, .dim, .warning, .clientError, .failure, .good, .key, .methodRead, .methodWrite]
    for y in 3..<11 {
      out += runs(
        (0..<grid.size.width).map { x in
          let color = grid[Point(x: x, y: y)]?.style.foreground
          return roles.first { theme[$0].foreground == color }.map { "\($0)" } ?? "other"
        })
      out += "\n"
    }
    for key in ["", "o", "O", "b", "b"] {
      driver.press(key)
      for x in stride(from: 0, to: 110, by: 3) {
        var clicked = driver
        clicked.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: 2)))))
        let traffic = clicked.state.traffic
        out += "\(key) \(x): \(traffic.sort) \(traffic.rows.map { "\($0.host.prefix(1))\($0.endpoint ?? "")" })\n"
      }
    }
    // Rows, double clicks, the wheel.
    for (y, isDouble) in (0..<13).flatMap({ y in [(y, false), (y, true)] }) {
      var clicked = driver
      for _ in 0..<(isDouble ? 2 : 1) {
        clicked.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 4, y: y)))))
      }
      out += "\(y) \(isDouble): \(clicked.state.tab) \(clicked.state.traffic.selected?.endpoint ?? "none")"
      out += " \(clicked.state.requests.bar.applied)\n"
    }
    for height in [10, 14, 27, 28, 29, 30, 31] {
      driver.send(.resized(Size(width: 100, height: height)))
      let asked = driver.effects.filter { if case .loadTrafficDetail = $0 { true } else { false } }.count
      out += "\(height): \(driver.shows("Reading…")) \(asked) \(driver.lines.filter { $0.contains("─ ") })\n"
    }
    try expectRecorded(out, "Walks/traffic-table.txt")
  }

  @Test func theDetailOfARowOfTraffic() throws {
    func ended(_ id: Int64, _ status: Int?, took: Int64, at: Int64 = 0) -> ExchangeSummary {
      var exchange = Exchange.make(
        id, "GET", "https://a.example/v1/\(id)%20x", status: status,
        error: status == nil ? RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut") : nil,
        took: took)
      exchange.startedAt.microseconds += at
      return exchange.summary
    }
    let few = [ended(1, 200, took: 10), ended(2, 404, took: 30), ended(3, 200, took: 20), ended(4, 200, took: 5)]
    let many = (1...130).map { id in
      ended(
        id, [200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 504, nil][Int(id % 17)],
        took: id * 7_919 % 100_000, at: id * 1_000_000)
    }
    let open = Exchange.make(9, "GET", "https://a.example/open", phase: .waiting).summary
    var out = ""
    let driver = ConsoleDriver(width: 120, height: 40)
    for (name, rows) in [
      ("none", []), ("one", [few[0]]), ("open", [open]), ("few", few), ("many", many),
      ("mixed", many.reversed() + [open]),
    ] as [(String, [ExchangeSummary])] {
      let slowest = rows.sorted { ($0.duration ?? 0) > ($1.duration ?? 0) }
      let detail = TrafficDetail(rows, slowest: slowest)
      out += "== \(name): \(detail.count) \(detail.from) \(detail.to) \(detail.slowest.map(\.id))\n"
      let parts = zip(detail.median, detail.highest).map {
        "\($0.map(String.init) ?? "-")/\($1.map(String.init) ?? "-")"
      }
      out += "\(runs(parts))\n"
      let kinds = detail.outcomes.map { "\($0.status ?? 0) \($0.count)" }
      out += "\(kinds)\n"
      for width in [20, 40, 41, 60, 71, 72, 73, 90, 91, 120] {
        var row = TrafficStatistics(host: "a.example", method: "GET", endpoint: "/v1/{id}", count: rows.count)
        if width > 60 { row.operation = "Op" }
        if width > 80 { row = TrafficStatistics(host: "a.example", count: rows.count + 1) }
        out += "-- \(width)\n" + text(detail.lines(of: row, width: width, driver.state.context))
      }
    }
    // Medians of several in one part, and the highest of them.
    let together = TrafficDetail(few, slowest: few)
    #expect(together.median.compactMap(\.self).count == 4)
    let at = few.map { summary in
      var same = summary
      same.startedAt = few[0].startedAt
      return same
    }
    #expect(TrafficDetail(at, slowest: at).median.compactMap(\.self) == [20])
    #expect(TrafficDetail(at, slowest: at).highest.compactMap(\.self) == [30])
    try expectRecorded(out, "Walks/traffic-detail.txt")
  }

  // MARK: Stubs

  @Test func theDetailOfAStub() throws {
    var out = ""
    let rows = [
      Exchange.make(7, "GET", "https://a.example/v1/%E6%97%A5", took: 5),
      .make(1_007, "DELETE", "https://a.example/v1/b", status: 204),
      .make(93, "OPTIONS", "https://a.example/", status: 404),
      .make(12, "POST", "https://a.example/wait", phase: .waiting),
    ].map(\.summary)
    var driver = ConsoleDriver(width: 120, height: 40)
    let stub = Stub(name: "a", then: .hold(.request))
    let yaml = "- name: a\n  then:\n    hold: request\n  # a note: x\n  x-y_z: 1\n  json: {\"a\": 1}\n- plain\n\n  9: x"
    for pause: Int64 in [0, 86_400_000_000] {
      driver.now.microseconds += pause
      driver.send(.tick)
      for count in 0...rows.count {
        let detail = StubDetail(stub: stub, yaml: yaml, last: Array(rows.prefix(count)))
        out += "== \(count)\n" + text(detail.hits(width: 60, driver.state.context))
      }
    }
    for yaml in [yaml, yaml + "\n", "", "\n", "one", "a\n\n"] {
      let detail = StubDetail(stub: stub, yaml: yaml, last: [])
      for count in [0, 1, 2, 3, 8, 9, 10] { out += "-- \(count)\n" + text(detail.text(atMost: count)) }
    }
    for size in [
      (100, 15), (100, 16), (100, 17), (100, 22), (100, 30), (149, 30), (150, 30), (150, 16), (60, 24), (100, 60),
    ] {
      var driver = Sample.driver(size.0, size.1)
      driver.press("2")
      let layout = driver.state.stubs.layout(in: driver.state.context.body, driver.state.context)
      out += "\(size): rows \(layout.rows) detail \(layout.detail) \(layout.isBeside)\n"
      for keys in ["", "j j j", "space 0", "j J K d"] {
        driver.press(keys)
        out += driver.lines.dropFirst(3).dropLast().joined(separator: "\n") + "\n"
      }
    }
    try expectRecorded(out, "Walks/stub-detail.txt")
  }

  @Test func theDetailOfAStubIsAskedForOnceASecond() {
    var driver = Sample.driver(120, 36)
    func asked() -> Int { driver.effects.filter { if case .loadStubDetail = $0 { true } else { false } }.count }
    func hit(_ hits: UInt64) {
      driver.send(.progress(HarnessProcess(name: "demo", pid: 4121), [StubProgress(name: "orders down", hits: hits)]))
    }
    driver.press("2")
    #expect(asked() == 1 && driver.state.stubs.nextTick(in: driver.state.context.body) == nil)
    let first = driver.now.microseconds
    hit(13)
    #expect(asked() == 1 && driver.state.stubs.nextTick(in: driver.state.context.body) == first + 1_000_000)
    driver.now.microseconds = first + 999_999
    driver.send(.tick)
    #expect(asked() == 1)
    driver.now.microseconds = first + 1_000_000
    driver.send(.tick)
    #expect(asked() == 2 && driver.state.stubs.nextTick(in: driver.state.context.body) == nil)
    driver.send(.tick)
    #expect(asked() == 2)
    driver.press("j")
    #expect(asked() == 3)
    driver.press("1")
    hit(14)
    driver.now.microseconds += 9_000_000
    driver.send(.tick)
    #expect(asked() == 3, "nothing is asked for what is not shown")
  }

  @Test func whatAnEarlierConsoleLeftIsDecidedOnce() throws {
    func stub(_ name: String) -> Stub { Stub(name: name, then: .respond(CannedResponse(status: 418))) }
    for (key, sentence) in [
      ("B", "Brought back 6 stubs of an earlier console."), ("D", "Threw away 6 stubs of an earlier console."),
    ] {
      var driver = ConsoleDriver()
      let board = try (1...6).reduce(StubBoard(revision: 1)) { try $0.apply(.add(stub("mine \($1)"), at: 0)) }
      driver.send(
        .kept(KeptStubs(id: "k", savedAt: Timestamp(microseconds: 1_700_000_000_000_000), board: board, draft: nil)))
      #expect(driver.shows("• mine 2") && !driver.shows("• mine 1") && driver.shows("and 1 more"), "\(driver.screen)")
      #expect(driver.shows("last at 22:13:20:"), "\(driver.screen)")
      driver.press(key)
      #expect(driver.shows(sentence) && driver.shows("u undoes"), "\(driver.screen)")
      #expect(driver.effects.filter { $0 == .dropKept(id: "k") }.count == 1)
      #expect(driver.board.entries.count == (key == "B" ? 6 : 0))
      driver.press("2 B")
      #expect(driver.shows("No stubs of an earlier console are kept."), "\(driver.screen)")
    }
  }

  // MARK: What is recorded

  @Test func whatIsKnownOfAllThatIsRecorded() {
    func summary(_ id: Int64, _ phase: Exchange.Phase = .ended, replayOf: Int64? = nil) -> ExchangeSummary {
      var exchange = Exchange.make(id, phase: phase)
      exchange.replayOf = replayOf
      return exchange.summary
    }
    var all = RecordedExchanges()
    func told(_ found: (isNew: Bool, isStopped: Bool, endedReplayOf: Int64?)) -> String {
      "\(found.isNew) \(found.isStopped) \(found.endedReplayOf ?? 0) \(all.count) \(all.newest) \(all.held.ids)"
    }
    #expect(told(all.received(summary(5))) == "true false 0 1 5 []")
    #expect(told(all.received(summary(5))) == "false false 0 1 5 []")
    #expect(told(all.received(summary(4))) == "false false 0 1 5 []")
    #expect(told(all.received(summary(6, .heldRequest))) == "true true 0 2 6 [6]")
    #expect(told(all.received(summary(6, .heldRequest))) == "false false 0 2 6 [6]")
    #expect(told(all.received(summary(7, .heldResponse))) == "true true 0 3 7 [6, 7]")
    #expect(all.held.contains(6) && !all.held.contains(5) && all.held.count == 2 && !all.held.isEmpty)
    all.known(summary(3, .heldRequest))
    #expect(all.newest == 7 && all.held.ids == [6, 7, 3] && all.count == 3, "it was recorded before")
    all.known(summary(9))
    #expect(all.newest == 9)
    all.reach(8)
    #expect(all.newest == 9)
    all.reach(11)
    #expect(all.newest == 11)
    #expect(told(all.received(summary(6))) == "false false 0 3 11 [7, 3]")
    #expect(told(all.received(summary(6, .heldResponse))) == "false true 0 3 11 [7, 3, 6]", "held once more")
    all.known(summary(7))
    #expect(all.held.ids == [3, 6] && !all.held.contains(7))
    all.add(4)
    #expect(all.count == 7)
    all.add(-9)
    #expect(all.count == 0)
    // One that was sent again is told once, when it has ended.
    #expect(all.received(summary(20, replayOf: 5)).endedReplayOf == nil && all.lastReplay == nil, "not from here")
    all.awaitReplay(of: 5)
    #expect(all.received(summary(21, .waiting, replayOf: 5)).endedReplayOf == nil)
    #expect(all.received(summary(22, replayOf: 6)).endedReplayOf == nil)
    #expect(all.received(summary(21, replayOf: 5)).endedReplayOf == 5)
    #expect(all.lastReplay?.original == 5 && all.lastReplay?.replay == 21)
    #expect(all.received(summary(21, replayOf: 5)).endedReplayOf == nil)
  }

  // MARK: Processes

  @Test func linksStandInTheirOrderAndTheChosenOneStaysChosen() {
    func link(_ id: UInt64, since: Int64, ended: Bool = false, pid: Int32? = nil) -> LinkRow {
      LinkRow(
        instance: id, process: HarnessProcess(name: "p\(id)", pid: pid ?? Int32(id)), executable: "/p", entry: .attach,
        since: Timestamp(microseconds: since), ended: ended ? Timestamp(microseconds: since + 1) : nil)
    }
    func program(_ pid: Int32) -> ProgramRow {
      ProgramRow(process: HarnessProcess(name: "x\(pid)", pid: pid), since: Timestamp(microseconds: 1), command: "/x")
    }
    var tab = ProcessesTab()
    func opened() -> String {
      var (copy, out) = (tab, Outcomes())
      copy.run(.open, &out)
      copy.run(.attach, &out)
      return out.drain().map { outcome in
        switch outcome {
        case .requests(let message): "\(message)"
        case .say(let notice, _, _): notice.text
        case .effect(let effect): "\(effect)"
        default: "show"
        }
      }.joined(separator: ", ")
    }
    #expect(opened() == "No running program can be attached to." && !tab.isPossible(.attach) && !tab.isPossible(.open))
    tab.isStale = false
    tab.received([link(1, since: 30), link(2, since: 10, ended: true), link(3, since: 20), link(4, since: 5)])
    #expect(tab.isStale && tab.linked == 3 && tab.links.map(\.instance) == [4, 3, 1, 2])
    #expect(tab.isPossible(.open) && tab.isPossible(.degree) && !tab.isPossible(.attach))
    #expect(opened() == "show, applyFilter(\"process:4\"), It is linked.")
    tab.isStale = false
    tab.received([link(4, since: 5), link(3, since: 20), link(1, since: 30), link(2, since: 10, ended: true)])
    #expect(!tab.isStale, "the same ones in the same order")
    tab.move(by: 1)
    tab.received([link(5, since: 1), link(3, since: 20), link(4, since: 5)])
    #expect(tab.isStale && opened() == "show, applyFilter(\"process:3\"), It is linked.")
    tab.received([link(5, since: 1), link(3, since: 20, ended: true), link(4, since: 5)])
    #expect(tab.links.map(\.instance) == [5, 4, 3] && opened().contains("process:3"))
    tab.received([program(70), program(71)])
    #expect(tab.isPossible(.attach))
    tab.move(by: 2)
    #expect(opened() == "x71 is not linked: a attaches to it., attach(process: 71)")
    tab.received([program(72), program(70), program(71)])
    #expect(opened().hasPrefix("x71"), "it stays the chosen one")
    tab.received([link(5, since: 1), link(71, since: 90, ended: true)])
    #expect(opened().hasPrefix("x71"), "one that has ended is not the program")
    tab.received([link(5, since: 1), link(6, since: 99, pid: 71)])
    #expect(opened().contains("process:71"))
    tab.move(by: 2)
    #expect(opened().hasPrefix("x70"), "a program that is linked is no longer among those that could be")
  }

  /// What the server sent before it heard of a press does not take the press back: the next one goes on from it.
  @Test func aRowFromBeforeAPressDoesNotTakeItBack() {
    func row(_ degree: HookSettings.Degree, _ instance: UInt64 = 1, ended: Bool = false) -> LinkRow {
      LinkRow(
        instance: instance, process: HarnessProcess(name: "p", pid: 1), executable: "/p", entry: .attach,
        since: Timestamp(microseconds: Int64(instance)), ended: ended ? Timestamp(microseconds: 9) : nil, degree: degree
      )
    }
    var tab = ProcessesTab()
    func press() -> ConsoleEffect? {
      var out = Outcomes()
      tab.run(.degree, &out)
      for case .effect(let effect) in out.drain() { return effect }
      return nil
    }
    tab.received([row(.full)])
    #expect(press() == .setDegree(instance: 1, .observe))
    tab.received([row(.full)])
    #expect(press() == .setDegree(instance: 1, .bypass))
    for stale in [HookSettings.Degree.full, .observe] {
      tab.received([row(stale)])
      #expect(tab.links[0].degree == .bypass)
    }
    #expect(press() == .setDegree(instance: 1, .full))
    // What it was once is seen in force, what somebody else does counts.
    tab.received([row(.full)])
    tab.received([row(.bypass)])
    #expect(tab.links[0].degree == .bypass)
    #expect(press() == .setDegree(instance: 1, .full))
    tab.received([row(.bypass), row(.observe, 2)])
    #expect(tab.links.map(\.degree) == [.full, .observe], "of one link only")
    for _ in 0..<99 { tab.received([row(.bypass)]) }
    #expect(tab.links[0].degree == .full)
    tab.received([row(.bypass)])
    #expect(tab.links[0].degree == .bypass, "somebody else has made it so")
    #expect(press() == .setDegree(instance: 1, .full))
    tab.received([row(.bypass, ended: true)])
    #expect(tab.links[0].degree == .bypass)
  }

  // MARK: What is said of changes

  private static let changes: [(place: String, keys: String)] =
    UndoTests.actions.map { ($0.place, $0.keys) } + [
      ("2", "c"), ("2 j j", "c"), ("2 j", "e ctrl-s"), ("2", "m j m space"), ("2", "m m m d"), ("2 G", "d"),
      ("2 G", "m d"),
      ("2 G", "m k m d"), ("2", "r"), ("2 j", "W"), ("2", "J J K"), ("2 G", "J"), ("2", "K"), ("2", "n j enter"),
      ("2", "n j j enter"), ("2", "o enter"), ("2", "o j enter"), ("2", "s"), ("2", "y"), ("2", "f"), ("2", "w"),
      ("1", "!  enter"), ("1", "! j enter"), ("1", "h h"), ("1", "H H"), ("1", "H a"), ("1", "H b"), ("1", "h a"),
      ("1", "h b"), ("1", "0 0"), ("1 g", "s i"), ("1 g j j j", "s w"), ("1 g", "s S"), ("1 g m j m", "s S"),
      ("1 G", "s"), ("1 G", "S"), ("1 G m k m", "s"), ("1 g", "t esc"), ("1 g m j m", "t x enter"), ("1 g", "d d"),
      ("1", "z z"), ("1", "c"), ("1 c", "c"), ("1 c", "x enter"), ("1 c", "w enter"), ("1", "A"), ("1", "A A"),
      ("1", "p p"),
      ("1", "]"), ("1 g", "["), ("1 G", "]"), ("1", "r"), ("1 G", "D"), ("1 g", "D"), ("1 k k", "x enter x enter"),
      ("1 k k", "x tab enter"), ("1 k k", "x + + enter"), ("1 k k", "x % enter"), ("1 g", "x 2 tab enter"), ("1", "u"),
      ("1", "ctrl-r"), ("1", "U"), ("1", "M M"), ("1", "'"), ("1", "\\"), ("4", "space"), ("4", "space space"),
      ("4", "a"),
    ]

  /// What the foot says of each change, of its undoing, and of doing it again, and what the list of all that was done has.
  @Test func whatIsSaidOfEveryChange() throws {
    var out = ""
    for (place, keys) in Self.changes {
      var driver = Sample.driver(120, 36)
      driver.press(place)
      let quiet = driver.effects.count
      out += "== \(place), then \(keys)\n"
      for more in [keys, "esc u", "ctrl-r"] {
        driver.press(more)
        let size = driver.state.size
        let said = driver.state.toast?.lines(in: size).joined() ?? " nothing"
        out += "\(more):\(said) \(driver.state.boxes.last.map { "\(type(of: $0))" } ?? "")\n"
      }
      for effect in driver.effects.dropFirst(quiet) {
        out += "  → \(effect.told.prefix(160))\n"
      }
      driver.press("U")
      out += driver.lines.filter { $0.contains("│ ") && $0.contains(":") }.map { "  \($0)\n" }.joined()
    }
    try expectRecorded(out, "Walks/changes-said.txt")
  }
}
