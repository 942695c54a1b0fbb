import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Where everything stands, at every width. With `PATCHBAY_WRITE_SCREENS` set it is written anew; read the difference
/// before it is committed.
@Suite(.bounded) struct WholeLayoutTests {
  private func text(_ layout: ColumnLayout) -> String {
    layout.places.map { "\($0.column.title) \($0.x)+\($0.width)" }.joined(separator: ", ")
  }

  /// Each width on which something comes, goes or is cut otherwise; between them the path alone takes what there is.
  @Test func columnsOfTheList() throws {
    let wants: [RequestColumn: Int] = [.host: 24, .path: 90, .by: 18, .status: 25, .process: 9]
    let short: [RequestColumn: Int] = [.host: 4, .path: 5, .by: 7, .status: 5, .process: 6]
    var out = ""
    for (name, make) in [
      ("as they fit", { ColumnLayout(width: $0, chosen: [], widths: [:], digits: 4, showsProcess: false) }),
      (
        "two programs",
        { ColumnLayout(width: $0, chosen: [], widths: [:], wants: wants, digits: 6, showsProcess: true) }
      ),
      (
        "one host",
        {
          ColumnLayout(
            width: $0, chosen: [], widths: [:], wants: short, digits: 3, showsProcess: false, hasOneHost: true)
        }
      ),
      (
        "one host, sorted by it",
        {
          ColumnLayout(
            width: $0, chosen: [], widths: [:], wants: short, digits: 3, showsProcess: true, hasOneHost: true,
            sorted: .host)
        }
      ),
      (
        "chosen, sorted by another",
        {
          ColumnLayout(
            width: $0, chosen: [.path, .number, .type, .host], widths: [:], wants: wants, digits: 4,
            showsProcess: false, hasOneHost: true, sorted: .duration)
        }
      ),
      (
        "widths for 100",
        {
          ColumnLayout(
            width: $0, chosen: [.path, .status, .host, .by], widths: [.host: 40, .by: 9], widthsFor: 100, wants: wants,
            digits: 4, showsProcess: false)
        }
      ),
      (
        "all of them wide",
        {
          ColumnLayout(
            width: $0, chosen: RequestColumn.allCases, widths: [.path: 30, .method: 12, .timeline: 8], wants: short,
            digits: 7, showsProcess: true, sorted: .timeline)
        }
      ),
    ] as [(String, (Int) -> ColumnLayout)] {
      out += "== \(name)\n"
      var before: [RequestColumn] = []
      for width in 40...230 {
        let layout = make(width)
        let columns = layout.places.map(\.column)
        let isBound = [59, 60, 99, 100, 109, 110, 111, 112, 129, 130, 149, 150, 200].contains(width)
        if columns != before || isBound { out += "\(width): \(text(layout))\n" }
        before = columns
        // Side by side, in their order, none beyond the edge.
        let gap = width < 112 ? 1 : 2
        var x = 4
        for place in layout.places {
          #expect(place.x == x, "\(name) \(width)")
          x += place.width + gap
        }
        #expect(columns == RequestColumn.allCases.filter(columns.contains))
        if let last = layout.places.last { #expect(last.x + last.width <= width - 1, "\(name) \(width)") }
      }
    }
    try expectRecorded(out, "Walks/column-places.txt")
  }

  @Test func theEdgeOfAColumnIsItsLastCellAndTheGap() {
    for width in [80, 140] {
      let layout = ColumnLayout(width: width, chosen: [], widths: [:], digits: 4, showsProcess: false)
      for x in -1...width {
        // The slow way: right of its last cell, up to the next one; behind the last of them, for ever.
        let expected = layout.places.enumerated().first { index, place in
          let end = index + 1 < layout.places.count ? layout.places[index + 1].x : Int.max
          return x >= place.x + place.width && x < end
        }
        #expect(layout.edge(at: x) == expected?.element, "\(width) \(x)")
      }
    }
    let none = ColumnLayout(width: 8, chosen: [], widths: [:], digits: 4, showsProcess: false)
    #expect(none.places.isEmpty && none.edge(at: 5) == nil && none.widest(.path, screen: 8) == 0)
  }

  /// So wide a column can be made: then those right of it have their least, and none has gone.
  @Test func aColumnIsWidestWhenAllRightOfItHaveTheirLeast() {
    for width in [60, 80, 111, 112, 150, 200] {
      let layout = ColumnLayout(width: width, chosen: [], widths: [:], digits: 4, showsProcess: true)
      for (index, place) in layout.places.enumerated() {
        let floors = layout.places[(index + 1)...].map { next in
          let measure = ColumnMeasure(next.column, width: width, digits: 4, own: nil, want: nil, isSorted: false)
          return min(next.width, measure.floor)
        }
        let gap = width < 112 ? 1 : 2
        let expected = width - 1 - place.x - floors.reduce(0) { $0 + $1 + gap }
        #expect(layout.widest(place.column, screen: width) == expected, "\(width) \(place.column)")
      }
      let hidden = RequestColumn.allCases.first { column in !layout.places.contains { $0.column == column } }
      if let hidden { #expect(layout.widest(hidden, screen: width) == 0) }
    }
  }

  @Test func columnsGrowByWhatIsSeenAndTheHostsAreCounted() {
    let driver = ConsoleDriver()
    var wants = ColumnWants()
    #expect(wants.widths.isEmpty && !wants.hasOneHost)
    wants.measure([], driver.state.context)
    #expect(wants.widths.isEmpty && !wants.hasOneHost)
    let one = Exchange.make(1, "GET", "https://a.example/v1").summary
    wants.measure([one, one], driver.state.context)
    #expect(wants.hasOneHost)
    #expect(
      wants.widths == [.process: "demo 4121".count, .status: "✓ 200".count, .host: 9, .path: 3, .by: "network".count])
    wants.measure([Exchange.make(2, "GET", "https://a.example/").summary], driver.state.context)
    #expect(wants.hasOneHost && wants.widths[.path] == 3, "columns only grow")
    wants.measure([Exchange.make(3, "GET", "https://日本.example/v1/long", status: 404).summary], driver.state.context)
    #expect(!wants.hasOneHost && wants.widths[.path] == 8 && wants.widths[.host] == 12 && wants.widths[.status] == 5)
  }

  // MARK: The parts of the screen

  @Test func listAndDetailShareTheScreen() throws {
    var out = ""
    for (width, height) in [(40, 7), (79, 12), (80, 22), (100, 22), (149, 34), (150, 34), (220, 58)] {
      let area = Rect(x: 0, y: 1, width: width, height: height)
      out += "== \(width)×\(height)\n"
      for share in [0, 14, 15, 16, 50, 84, 85, 86, 100] {
        for beside in [nil, false, true] as [Bool?] {
          let layout = Layout(
            in: area, showsDetail: true, view: ViewSettings(detailBeside: beside, listShare: share))
          func text(_ rect: Rect) -> String { "\(rect.x),\(rect.y) \(rect.width)×\(rect.height)" }
          out += "\(share) \(beside.map { "\($0)" } ?? "-"): \(layout.isBeside) bar \(text(layout.bar))"
          out += " heads \(text(layout.columns)) rows \(text(layout.rows)) divider \(text(layout.divider))"
          out += " head \(text(layout.detailHead)) detail \(text(layout.detail))\n"
        }
      }
      let alone = Layout(in: area, view: ViewSettings(detailBeside: true))
      #expect(alone.bar == Rect(x: 0, y: 1, width: width, height: 1) && !alone.isBeside)
      #expect(alone.columns == Rect(x: 0, y: 2, width: width, height: 1))
      #expect(alone.rows == Rect(x: 0, y: 3, width: width, height: height - 2))
      #expect(alone.divider == .zero && alone.detailHead == .zero && alone.detail == .zero)
    }
    try expectRecorded(out, "Walks/layouts.txt")
  }

  // MARK: Tables

  @Test func tablesAtEveryWidth() throws {
    let columns = [
      TableView.Column(title: "on", width: 2), TableView.Column(title: "name", width: 20, least: 10, flexes: true),
      TableView.Column(title: "when", width: 24, least: 12, flexes: true, share: 2, want: 40, rank: 2),
      TableView.Column(title: "hits", width: 6, alignsRight: true, rank: 3),
      TableView.Column(title: "from", width: 12, least: 6, rank: 4),
      TableView.Column(title: "sorted", width: 9, isSorted: true, descending: true, rank: 9),
      TableView.Column(title: "none", width: 9, isEmpty: true), TableView.Column(title: "last", width: 8, rank: 4),
    ]
    var out = ""
    var before = ""
    for width in 20...160 {
      let table = TableView(columns, width: width)
      let names = table.places.map { columns[$0.index].title }.joined(separator: " ")
      let gap = width < 60 ? 1 : 2
      var x = 3
      for place in table.places {
        #expect(place.x == x)
        x += place.width + gap
      }
      if names != before || width % 10 == 0 || width == 59 {
        out +=
          "\(width): " + table.places.map { "\(columns[$0.index].title) \($0.x)+\($0.width)" }.joined(separator: ", ")
        out += "\n"
      }
      before = names
    }
    for width in [24, 40, 60, 100] {
      var grid = Grid(Size(width: width, height: 6))
      let table = TableView(columns, width: width)
      let layout = Layout(in: Rect(x: 0, y: 0, width: width, height: 6))
      table.draw(on: &grid, in: layout, ListScroll(selected: 3, top: 2), count: 7, .builtIn) { row in
        (0..<7).map { place in
          place == 2
            ? TableView.Cell([.init("a\(row)", .key), .init("b\(row) and more of it, too long", .dim)])
            : TableView.Cell("\(columns[place].title) \(row)", place == 1 ? .good : .text)
        }
      }
      out += "== \(width)\n" + grid.text + "\n"
      let marks = (0..<6).map { grid[Point(x: 1, y: $0)]?.scalar == "▸" }
      #expect(marks == [false, false, false, true, false, false])
      #expect(grid[Point(x: 0, y: 3)]?.style.background == Theme.builtIn[.selection].background)
    }
    let table = TableView([TableView.Column(title: "a", width: 5)], width: 20)
    for hasKeys in [true, false] {
      var grid = Grid(Size(width: 20, height: 1))
      table.draw([TableView.Cell("x")], row: 0, isSelected: true, hasKeys: hasKeys, theme: .builtIn, &grid)
      let role: ThemeRole = hasKeys ? .selection : .selectionIdle
      #expect(grid[Point(x: 19, y: 0)]?.style == Theme.builtIn[role])
      grid = Grid(Size(width: 20, height: 1))
      table.draw([TableView.Cell("x")], row: 0, isSelected: false, theme: .builtIn, &grid)
      #expect(grid.text == "   x")
    }
    // Fewer cells than columns, as in a row that is a heading.
    var grid = Grid(Size(width: 60, height: 1))
    TableView(columns, width: 60).draw([], row: 0, isSelected: false, theme: .builtIn, &grid)
    #expect(grid.text.isEmpty)
    try expectRecorded(out, "Walks/tables.txt")
  }

  @Test(arguments: [
    (9, "name ↑", "name ↓"), (6, "name ↑", "name ↓"), (5, "name↑", "name↓"), (4, "nam↑", "nam↓"), (2, "n↑", "n↓"),
    (1, "↑", "↓"),
  ])
  func theArrowOfTheSortedColumnIsAlwaysSeen(_ width: Int, _ up: String, _ down: String) {
    #expect(ColumnHead.text("name", isSorted: true, descending: false, width: width) == up)
    #expect(ColumnHead.text("name", isSorted: true, descending: true, width: width) == down)
    #expect(ColumnHead.text("name", isSorted: false, descending: true, width: width) == "name")
  }

  // MARK: The rate of requests

  @Test func theRateIsThatOfTheLastFiveWholeSeconds() {
    var meter = RateMeter()
    func at(_ seconds: Double) -> Timestamp { Timestamp(microseconds: 1_000_000_000 + Int64(seconds * 1_000_000)) }
    #expect(meter.isIdle && meter.perSecond == 0 && meter.sparkline(width: 5).isEmpty && meter.second == 0)
    meter.add(10, at: at(0))
    #expect(!meter.isIdle && meter.perSecond == 0 && meter.second == 1_000, "this second is not over")
    meter.add(5, at: at(0.999))
    meter.advance(to: at(1))
    #expect(meter.perSecond == 3 && meter.sparkline(width: 5) == "█" && meter.second == 1_001)
    meter.add(30, at: at(1.5))
    meter.advance(to: at(0.5))
    #expect(meter.second == 1_001, "a clock that goes back counts nothing twice")
    meter.advance(to: at(3))
    #expect(meter.perSecond == 9 && meter.sparkline(width: 5) == "▄█ " && meter.sparkline(width: 2) == "█ ")
    meter.advance(to: at(5.9))
    #expect(meter.perSecond == 9)
    meter.advance(to: at(6))
    #expect(meter.perSecond == 6)
    meter.advance(to: at(7))
    #expect(meter.perSecond == 0 && !meter.isIdle)
    meter.advance(to: at(30.9))
    #expect(!meter.isIdle)
    meter.advance(to: at(31))
    #expect(meter.isIdle)
    meter.add(1, at: at(1_000))
    #expect(!meter.isIdle && meter.second == 2_000)
  }

  @Test func aChartOfOneRowReachesItsTopAtTheHighest() {
    #expect(Spark.line([]).isEmpty && Spark.line([0, 0]) == "  " && Spark.line([-1]) == " ")
    #expect(Spark.line([0, 1, 2, 3, 4, 5, 6, 7, 8]) == " ▁▂▃▄▅▆▇█" && Spark.line([8]) == "█")
    #expect(Spark.line([0.01, 50, 100, -3]) == "▁▄█ ")
  }

  // MARK: The head of the screen

  @Test func theHeadSaysWhatFits() throws {
    var busy = RateMeter()
    for second in 0..<14 {
      busy.add(second * 3 % 11, at: Timestamp(microseconds: Int64(second) * 1_000_000))
    }
    var fast = busy
    fast.add(123, at: Timestamp(microseconds: 14_000_000))
    fast.advance(to: Timestamp(microseconds: 15_000_000))
    let modes = [
      HeaderMode(text: "✗ EVERYTHING: offline", short: "✗ ALL"), HeaderMode(text: "PAUSED", short: "PAUSED"),
      HeaderMode(text: "unmatched: fail", short: "else fail"),
    ]
    var out = ""
    for (name, make) in [
      ("idle", { Header(width: $0, active: .requests, modes: [], linked: 0, recorded: 0, rate: RateMeter()) }),
      ("one", { Header(width: $0, active: .stubs, modes: [], linked: 1, recorded: 1, rate: busy) }),
      ("many", { Header(width: $0, active: .output, modes: [], linked: 1_200, recorded: 1_234_567, rate: fast) }),
      ("a file", { Header(width: $0, active: .traffic, modes: [], linked: nil, recorded: 40, rate: busy) }),
      (
        "a mode",
        { Header(width: $0, active: .processes, modes: [modes[0]], linked: 2, recorded: 7, rate: RateMeter()) }
      ),
      ("modes", { Header(width: $0, active: .requests, modes: modes, linked: 2, recorded: 7, rate: fast) }),
    ] as [(String, (Int) -> Header)] {
      out += "== \(name)\n"
      var before = ""
      for width in 40...170 {
        var grid = Grid(Size(width: width, height: 1))
        make(width).draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), .builtIn)
        let words = grid.text.split(separator: " ").joined(separator: " ")
        if words != before { out += "\(width)│\(grid.text)│\n" }
        before = words
        #expect(textWidth(grid.text) <= width - 1 && !grid.text.contains("…"))
      }
    }
    try expectRecorded(out, "Walks/heads.txt")
  }
}
