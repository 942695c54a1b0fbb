import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The bar in which a filter is typed, and the filters that come by themselves. With `PATCHBAY_WRITE_SCREENS` set what
/// is recorded is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeFilterTests {
  // MARK: The bar as a value

  private func values(_ key: FilterKey) -> [String] {
    switch key {
    case .host: ["b.example", "a.example", "b.example", "", "a name"]
    case .stub: ["日本 stub"]
    default: []
    }
  }

  private func said(_ bar: FilterBar, width: Int = 60) -> String {
    var grid = Grid(Size(width: width, height: 2))
    let area = Rect(x: 0, y: 0, width: width, height: 1)
    bar.draw(on: &grid, in: area, .builtIn) { room in [.init("room \(room)", .dim)] }
    let helps = bar.drawHelp(
      on: &grid, in: Rect(x: 0, y: 1, width: width, height: 1), .builtIn,
      status: { room in [.init("room \(room)", .dim)] }, values: values)
    let cursor = grid.cursor.map { "\($0.x),\($0.y)" } ?? "-"
    return
      "\(bar.isOpen ? "open" : "closed") “\(bar.applied)” \(cursor) \(helps)\n  │\(grid.lines[0])│\n  │\(grid.lines[1])│"
  }

  @Test func eachKeyOfTheBar() throws {
    var out = ""
    for (start, steps) in [
      ("", ["x", "backspace", "esc"]), ("", ["h", "tab", "tab", "tab", "tab", "shift-tab", "enter"]),
      ("", ["“method:P”", "tab", "tab", "tab", "shift-tab", "shift-tab", "esc"]),
      ("", ["“host:”", "tab", "tab", "tab", "tab", "shift-tab"]),
      ("", ["“(host: x)”", "left", "left", "left", "tab", "tab", "x", "tab"]),
      ("", ["“stub:日”", "tab", "tab", "enter"]), ("", ["“nokey:”", "tab", "enter", "ctrl-c"]),
      ("is:bad", ["“ time:x”", "enter", "backspace", "“>1s”", "enter"]),
      ("is:bad", ["ctrl-u", "ctrl-c"]), ("is:bad", ["ctrl-u", "esc"]), ("is:bad", ["enter"]),
      ("", ["up", "down", "“a”", "up", "down"]),
      ("", ["“a b”", "left", "“ status:”", "tab", "tab"]),
      ("", ["“body:\"x”", "enter", "“\"”", "enter"]),
    ] as [(String, [String])] {
      var bar = FilterBar(start)
      bar.open()
      out += "== from “\(start)”\n" + said(bar) + "\n"
      for step in steps {
        let answer: FilterBar.Answer
        if step.hasPrefix("“") {
          answer = bar.insert(String(step.dropFirst().dropLast()))
        } else {
          answer = bar.handle(try #require(Key(parsing: step)), values: values)
        }
        out += "\(step) → \(answer) \(said(bar))\n"
      }
    }
    try expectRecorded(out, "Walks/filter-bar.txt")
  }

  @Test func theBarAtEveryWidth() throws {
    var out = ""
    for text in ["", "host:", "is:bad", "host:api.example.com nope:1", "a b c d e f g h i j k l m n o p q nope:1"] {
      for width in [12, 20, 30, 39, 40, 41, 60, 100, 200] {
        var bar = FilterBar()
        if !text.isEmpty {
          bar.open()
          _ = bar.insert(text)
        }
        out += "\(width) \(said(bar, width: width))\n"
        if text == "host:" {
          for _ in 0..<9 { _ = bar.handle(.tab, values: values) }
          out += "\(width) \(said(bar, width: width))\n"
        }
        var closed = FilterBar(text)
        closed.close()
        out += "\(width) \(said(closed, width: width))\n"
      }
    }
    try expectRecorded(out, "Walks/filter-bar-widths.txt")
  }

  @Test func theColoursOfTheBar() {
    let theme = Theme.builtIn
    func grid(_ bar: FilterBar) -> Grid {
      var grid = Grid(Size(width: 50, height: 2), style: theme[.text])
      bar.draw(on: &grid, in: Rect(x: 0, y: 0, width: 50, height: 1), theme) { _ in [.init("end", .good)] }
      _ = bar.drawHelp(
        on: &grid, in: Rect(x: 0, y: 1, width: 50, height: 1), theme, status: { _ in [] }, values: values)
      return grid
    }
    func style(_ grid: Grid, _ x: Int, _ y: Int = 0) -> Style? { grid[Point(x: x, y: y)]?.style }
    var bar = FilterBar("abc")
    #expect(style(grid(bar), 1) == theme[.key, on: .text].bold && style(grid(bar), 3) == theme[.text].bold)
    #expect(style(grid(bar), 46) == theme[.good, on: .text] && style(grid(FilterBar()), 3) == theme[.dim])
    bar.open()
    #expect(style(grid(bar), 1) == theme[.key, on: .input].bold && style(grid(bar), 46) == theme[.good, on: .input])
    #expect(style(grid(bar), 0)?.background == theme[.input].background)
    _ = bar.insert(" host:")
    _ = bar.handle(.tab, values: values)
    _ = bar.handle(.tab, values: values)
    let row = grid(bar).lines[1]
    #expect(row.hasPrefix("   b.example  a.example"))
    #expect(style(grid(bar), 4, 1) == theme[.dim] && style(grid(bar), 15, 1) == theme[.selection])
  }

  /// What Tab goes through was of the text before the paste.
  @Test func aPasteEndsWhatTabGoesThrough() {
    var bar = FilterBar()
    bar.open()
    _ = bar.insert("host:")
    _ = bar.handle(.tab, values: values)
    #expect(bar.editor.text == "host:b.example")
    _ = bar.insert(" is:bad")
    #expect(bar.handle(.tab, values: values) == .nothing && bar.editor.text == "host:b.example is:bad")
    _ = bar.handle(.tab, values: values)
    _ = bar.insert(" nope:1")
    var grid = Grid(Size(width: 100, height: 1))
    let row = Rect(x: 0, y: 0, width: 100, height: 1)
    let isHelped = bar.drawHelp(on: &grid, in: row, .builtIn, status: { _ in [] }, values: values)
    #expect(isHelped && grid.text.contains("^ "))
  }

  @Test func whatWasUsedIsRememberedOnceAndUpToTwoHundred() {
    var bar = FilterBar()
    for number in 1...203 { bar.set("f\(number)", isRemembered: true) }
    bar.set("f5", isRemembered: true)
    bar.set("", isRemembered: true)
    bar.set("not remembered")
    bar.open()
    var seen: [String] = []
    while bar.handle(.up, values: values) == .changed { seen.append(bar.applied) }
    #expect(seen.count == 200 && Array(seen.prefix(3)) == ["f5", "f203", "f202"] && seen.last == "f4")
    #expect(Set(seen).count == 200)
    #expect(bar.handle(.up, values: values) == .nothing && bar.editor.text == "f4")
    #expect(bar.handle(.down, values: values) == .changed && bar.editor.text == "f6")
    _ = bar.handle(.escape, values: values)
    #expect(bar.applied == "not remembered" && !bar.isOpen)
    // What is typed is put back below the newest.
    bar.open()
    #expect(bar.handle(.down, values: values) == .nothing)
    _ = bar.insert("+")
    _ = bar.handle(.up, values: values)
    #expect(bar.handle(.down, values: values) == .changed && bar.editor.text == "not remembered+")
    #expect(bar.handle(.down, values: values) == .nothing)
    #expect(bar.handle(.enter, values: values) == .nothing && !bar.isOpen && bar.applied == "not remembered+")
    bar.open(adding: "is:bad")
    #expect(bar.editor.text == "not remembered+ is:bad" && bar.applied == "not remembered+" && bar.isOpen)
    bar.close()
    #expect(!bar.isOpen)
  }

  // MARK: By the selected request

  private func menu(_ driver: ConsoleDriver) -> String {
    guard let box = driver.state.boxes.last as? MenuBox else { return "no menu: \(driver.lines.last ?? "")\n" }
    let menu = box.menu
    var out = "\(menu.title) (\(menu.note)) \(menu.selected)\n"
    for item in menu.items {
      out += "  \(item.key?.description ?? "-") \(item.label) | \(item.detail) | \(item.isOn.map { "\($0)" } ?? "-")"
      let choice = item.choice.map { outcome in
        switch outcome {
        case .requests(let message): "\(message)"
        case .view(let view, _): "view \(view.filters.map(\.name))"
        case .say(let notice, _, _): "“\(notice.text)”"
        case .open: "opens"
        case .effect(let effect): effect.told
        default: "other"
        }
      }
      out += " → \(choice.joined(separator: ", "))\n"
    }
    return out
  }

  @Test func whatARequestCanBeFilteredBy() throws {
    func made(_ change: (inout Exchange) -> Void) -> Exchange {
      var exchange = Exchange.make(1, "GET", "https://api.example.com:8443/v1/users/7/a+b?x=1")
      change(&exchange)
      return exchange
    }
    let type = HeaderField("Content-Type", "application/GraphQL+json; charset=utf-8")
    let all: [(String, Exchange)] = [
      ("plain", made { _ in }), ("not found", made { $0.response?.status = 404 }),
      (
        "an error",
        made {
          $0.response = nil
          $0.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut")
          $0.outcome = .failed
        }
      ),
      (
        "an error of others",
        made {
          $0.error = RecordedError(domain: "a b", code: 7)
          $0.outcome = .failed
        }
      ),
      ("a stub", made { ($0.by, $0.stub) = (.stub, "a stub, (odd) *") }),
      ("code", made { $0.by = .code }),
      (
        "an operation",
        made {
          $0.request = RecordedRequest(
            method: "POST", url: "https://api.example.com/graphql", headers: [type],
            body: Data(#"{"operationName":"GetUser","query":"query GetUser { a }"}"#.utf8))
          $0.response = nil
        }
      ),
      (
        "remarks and a run",
        made {
          $0.tags = ["slow one", "b"]
          $0.run = 3
          $0.response?.headers = [HeaderField("Content-Type", "text/HTML;charset=x")]
        }
      ),
      (
        "waiting",
        made {
          ($0.phase, $0.outcome, $0.response) = (.waiting, nil, nil)
          $0.timing = Timing()
        }
      ),
    ]
    var out = ""
    for (name, exchange) in all {
      for filter in ["", "is:bad", "a | b"] {
        var driver = ConsoleDriver()
        driver.add([exchange])
        driver.perform(.requests(.applyFilter(filter)))
        driver.add([exchange])
        driver.send(.exchanges([ExchangeChange(exchange.summary)], query: driver.query.token))
        for key in filter == "" ? ["+", "-"] : ["+"] {
          driver.press(key)
          out += "== \(name), “\(filter)”, \(key)\n" + menu(driver)
          driver.press("esc")
        }
      }
    }
    try expectRecorded(out, "Walks/conditions.txt")
  }

  // MARK: Saved filters

  @Test func savedFiltersHaveTheirNumbers() throws {
    var out = ""
    for filters in [
      [], [SavedFilter(name: "one", filter: "is:bad")], SavedFilter.usual,
      (1...11).map { SavedFilter(name: "n\($0)", filter: "id:\($0)") },
    ] {
      for applied in ["", "is:bad", "host:api status:5xx time:>1s method:GET"] {
        var driver = ConsoleDriver(view: ViewSettings(filters: filters))
        driver.add([.make(1, status: 500)])
        driver.perform(.requests(.applyFilter(applied)))
        driver.press("f")
        out += "== \(filters.count) “\(applied)”\n" + menu(driver)
        guard !driver.state.boxes.isEmpty else { continue }
        driver.perform(.close)
        driver.perform(.requests(.forgetFilters))
        out += menu(driver)
      }
    }
    try expectRecorded(out, "Walks/saved-filters.txt")
  }

  @Test func aFilterIsSavedUnderItsNameUpToTheNinth() {
    func saved(_ filters: [SavedFilter], _ applied: String, _ name: String) -> ([SavedFilter], ConsoleDriver) {
      var driver = ConsoleDriver(width: 160, view: ViewSettings(filters: filters))
      driver.perform(.requests(.applyFilter(applied)))
      driver.perform(.answer(.filterName, name, isFinal: false))
      #expect(driver.state.view.filters == filters, "it is still being typed")
      driver.perform(.answer(.filterName, name, isFinal: true))
      return (driver.state.view.filters, driver)
    }
    let a = SavedFilter(name: "a", filter: "id:1")
    let b = SavedFilter(name: "b", filter: "id:2")
    var (filters, driver) = saved([a, b], "id:3", "  c ")
    #expect(filters == [a, b, SavedFilter(name: "c", filter: "id:3")])
    #expect(driver.shows("Saved as “c”: f and 3 bring it back."))
    #expect(driver.effects.contains(.saveView(driver.state.view)))
    (filters, driver) = saved([a, b], "id:3", "a")
    #expect(filters == [b, SavedFilter(name: "a", filter: "id:3")], "the name is its own only")
    #expect(saved([a], "id:3", "  ").0 == [a] && saved([a], "", "x").0 == [a])
    let long = String(repeating: "x", count: 41)
    #expect(saved([], "id:3", long).0 == [SavedFilter(name: String(long.dropLast()), filter: "id:3")])
    let eight = (1...8).map { SavedFilter(name: "\($0)", filter: "id:\($0)") }
    #expect(saved(eight, "id:9", "9").0.count == 9)
    let nine = eight + [SavedFilter(name: "9", filter: "id:9")]
    (filters, driver) = saved(nine, "id:10", "10")
    #expect(filters == nine && driver.shows("There are 9 already: f and d remove one."))
    #expect(saved(nine, "id:10", "3").0.map(\.filter).last == "id:10", "in the place of one there is room")
    #expect(
      ["", "a", "host:api status:5xx", "host:a:b  |  c", ":x", "x:"].map(FilterValue.name)
        == ["", "a", "api 5xx", "a:b | c", "x", "x"])
    #expect(FilterValue.name(for: String(repeating: "a", count: 30)).count == 24)
  }

  @Test func wordsOfFiltersFitWhatTheyAreMadeOf() throws {
    for path in ["/v1/a.b", "/v1/(x)|y", "/a b", "/a*[0]", "/q?x=^$", "/back\\slash", "/{a}", "/plain"] {
      let filter = try Filter(parsing: "path:\(FilterValue.whole(path))")
      func fits(_ path: String) -> Bool {
        var row = ExchangeSummary(
          id: 1, startedAt: Timestamp(microseconds: 0), process: HarnessProcess(name: "a", pid: 1), method: "GET",
          url: "https://h.example" + path)
        row.phase = .ended
        return filter.matches(Exchange.make(1, "GET", row.url), now: Timestamp(microseconds: 0))
      }
      if !path.contains("?") { #expect(fits(path), "\(path): \(filter)") }
      #expect(!fits(path + "x") && !fits("/x" + path), "\(path)")
    }
    #expect(FilterValue.whole("/v1/{id}/x") == "/v1/*/x" && FilterValue.whole("/{id} b") == "\"/* b\"")
    #expect(FilterValue.containing("a*b") == "a\\*b" && FilterValue.containing("a b") == "\"a b\"")
  }

  /// What is offered for a key stands on the screen.
  @Test func valuesComeFromWhatIsSeen() {
    let driver = Sample.driver(120, 36)
    let seen = Sample.exchanges().map(\.summary)
    let context = driver.state.context
    #expect(RequestsTab.values(.stub, seen, context) == Sample.board().entries.map(\.stub.name))
    #expect(RequestsTab.values(.process, seen, context) == ["demo", "同期ツール"])
    #expect(RequestsTab.values(.host, seen, context) == seen.map(\.host))
    #expect(RequestsTab.values(.path, seen, context).contains("/v1/users"))
    #expect(RequestsTab.values(.method, seen, context).isEmpty)
  }
}
