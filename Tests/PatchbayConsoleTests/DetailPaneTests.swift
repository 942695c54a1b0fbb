import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The opened request as a value: what belongs to one request is gone with the next, what comes late is not shown, and
/// where clicks and the scroll bar are.
@Suite(.bounded) struct DetailPaneTests {
  private let context = ConsoleDriver().state.context
  private let area = Rect(x: 0, y: 5, width: 80, height: 20)

  private func opened(_ tab: DetailTab = .response) -> DetailPane {
    var pane = DetailPane()
    pane.open()
    pane.showTab(by: tab.rawValue)
    return pane
  }

  // MARK: From one request to the next

  @Test func whatIsShownNextIsNotCalledGone() {
    let layout = Layout(in: Rect(x: 0, y: 0, width: 80, height: 24), showsDetail: true)
    func shown(_ pane: DetailPane) -> String {
      var grid = Grid(Size(width: 80, height: 24))
      pane.draw(on: &grid, in: layout, context)
      return grid.lines[layout.detail.y]
    }
    var pane = opened()
    #expect(shown(pane) == " Nothing is selected.")
    pane.show(1)
    #expect(shown(pane) == " …")
    pane.received(nil, id: 1, context)
    #expect(shown(pane) == " It is no longer in the history.")
    pane.show(2)
    #expect(shown(pane) == " …")
  }

  @Test func theSameRequestsOfOneAreNotShownAtAnother() {
    let same = [1, 2, 3].map { Exchange.make($0).summary }
    func isListed(_ pane: DetailPane) -> Bool { pane.page.head.contains { $0.text.hasPrefix("Asked 3 times") } }
    var pane = opened(.timing)
    pane.show(1)
    var wanted = [pane.wantedRetries()]
    pane.received(Exchange.make(1), id: 1, context)
    wanted += [pane.wantedRetries(), pane.wantedRetries()]
    #expect(wanted == [nil, 1, nil], "once, when it is there")
    pane.received(retries: same, of: 1, context)
    #expect(isListed(pane))
    pane.show(4)
    pane.received(Exchange.make(4), id: 4, context)
    #expect(!isListed(pane))
    pane.received(retries: same, of: 1, context)
    #expect(!isListed(pane), "they come late")
    let next = pane.wantedRetries()
    #expect(next == 4)
  }

  /// Of what was asked often the twenty around one are known: what comes after the last of them is not among them.
  @Test(
    arguments: [
      (20, 20, true), (20, 5, true), (20, 21, false), (19, 21, true), (0, 7, true), (nil, 7, false),
    ] as [(Int64?, Int64, Bool)])
  func theSameRequestIsLookedForAgain(_ known: Int64?, _ id: Int64, _ isAsked: Bool) {
    var pane = opened(.timing)
    pane.show(1)
    pane.received(Exchange.make(1), id: 1, context)
    let first = pane.wantedRetries()
    #expect(first == 1)
    if let known { pane.received(retries: (0..<known).map { Exchange.make($0 + 1).summary }, of: 1, context) }
    let all = [
      Exchange.make(id, "HEAD"), .make(id, "GET", "https://api.example.com/v1/orders"), .make(id, process: "other"),
    ]
    for other in all { pane.received(other.summary) }
    let others = pane.wantedRetries()
    #expect(others == nil, "that is another request")
    pane.received(Exchange.make(id).summary)
    let again = pane.wantedRetries()
    #expect((again != nil) == isAsked)
  }

  @Test func itsMarkFollowsItsRow() {
    var pane = opened()
    pane.show(1)
    pane.received(Exchange.make(1), id: 1, context)
    var row = Exchange.make(2).summary
    row.marked = true
    pane.received(row)
    #expect(pane.exchange?.marked == false, "that is another one")
    row.id = 1
    pane.received(row)
    #expect(pane.exchange?.marked == true)
  }

  // MARK: Editing a value

  @Test func theFirstValueIsEditedOnceItIsThere() {
    var (pane, out) = (DetailPane(), Outcomes())
    pane.openToEdit(1)
    pane.show(1)
    pane.wasShown(in: area, context, &out)
    #expect(pane.edit == nil, "it is not there yet")
    pane.received(Exchange.make(1), id: 1, context)
    pane.wasShown(in: area, context, &out)
    #expect(pane.edit?.editor.text == "true" && pane.hasKeys)
    pane.endEdit()
    pane.wasShown(in: area, context, &out)
    #expect(pane.edit == nil, "once only")
    pane.openToEdit(2)
    pane.wasShown(in: area, context, &out)
    #expect(pane.edit == nil, "another one is shown")
    // Who goes on before it is there does not want it any more.
    for id in [2, 3, 2] as [Int64] { pane.show(id) }
    pane.received(Exchange.make(2), id: 2, context)
    pane.wasShown(in: area, context, &out)
    #expect(pane.edit == nil && pane.exchange?.id == 2)
    #expect(out.isEmpty)
  }

  @Test func aValueIsEditedAsLongAsItIsThere() {
    var exchange = Exchange.make(1, "POST")
    var editing = opened()
    editing.show(1)
    editing.received(exchange, id: 1, context)
    var out = Outcomes()
    editing.run(.editValue, in: area, context, &out)
    #expect(editing.edit != nil)
    editing.received(Remark(tags: ["a"]), context)
    exchange.request.body = Data("{\"name\":\"x\"}".utf8)
    editing.received(exchange, id: 1, context)
    #expect(editing.edit != nil, "the answer is the same")
    var pane = editing
    pane.show(2)
    #expect(pane.edit == nil)
    exchange.response?.body = Data("{\"ok\":false}".utf8)
    editing.received(exchange, id: 1, context)
    #expect(editing.edit == nil)
  }

  // MARK: What is in sight

  /// A body of one line below a long one that was scrolled through.
  @Test func theCursorIsInSightWhenTheBodyIsShownAsItCame() {
    let rows = (0..<300).map { "{\"n\":\($0)}" }.joined(separator: ",")
    var out = Outcomes()
    var pane = opened()
    pane.show(1)
    pane.received(Exchange.make(1, body: "[\(rows)]"), id: 1, context)
    pane.settle(in: area, context)
    pane.move(by: Int.max / 2, in: area, context)
    #expect(pane.page.top > 100)
    pane.run(.rawBody, in: area, context, &out)
    pane.settle(in: area, context)
    #expect(pane.page.count < 20 && pane.page.cursor == pane.page.count - 1)
    #expect(pane.page.top <= pane.page.cursor && pane.page.topRow == 0)
  }

  /// Other lines where they wrap, or where there is more room.
  @Test func theCursorIsInSightInAnotherRoom() {
    let text = String(repeating: "x", count: 4_000) + "\nend"
    var pane = opened()
    pane.show(1)
    pane.received(Exchange.make(1, headers: [HeaderField("Content-Type", "text/plain")], body: text), id: 1, context)
    var wrapping = context
    wrapping.view.wrap = true
    var plain = context
    plain.view.wrap = false
    pane.settle(in: area, wrapping)
    while pane.page.topRow < 5 { pane.move(by: 1, in: area, wrapping) }
    let before = (pane.page.top, pane.page.cursor)
    #expect(before.0 == before.1, "it stands within the long line")
    pane.settle(in: area, wrapping)
    #expect((pane.page.top, pane.page.cursor) == before && pane.page.topRow == 5, "nothing is new")
    var unwrapped = pane
    unwrapped.settle(in: area, plain)
    #expect(unwrapped.page.topRow == 0 && unwrapped.page.top <= before.1)
    pane.settle(in: Rect(x: 0, y: 0, width: 80, height: 100), wrapping)
    #expect(pane.page.topRow == 0 && pane.page.top == 0, "all of it has room")
  }

  // MARK: Going on, clicks

  @Test func onlyAnOpenPaneGoesOnThroughALargeBody() {
    let line = String(repeating: "x", count: 1_023) + "\n"
    let type = [HeaderField("Content-Type", "text/plain")]
    var pane = opened()
    pane.show(1)
    pane.received(Exchange.make(1), id: 1, context)
    #expect(!pane.hasMore)
    pane.received(Exchange.make(1, headers: type, body: String(repeating: line, count: 600)), id: 1, context)
    #expect(pane.hasMore)
    let known = pane.page.count
    var closed = pane
    closed.close()
    closed.goOn(in: area, context)
    #expect(!closed.hasMore && closed.page.count == known)
    pane.goOn(in: area, context)
    #expect(!pane.hasMore && pane.page.count > known)
  }

  /// Each row of a wrapped line is that line; below the last one a click changes nothing but who has the keys.
  @Test func aClickGoesToTheLineThatItIsOn() {
    let text = "short\n" + String(repeating: "x", count: 200) + "\nend"
    var pane = opened()
    pane.show(1)
    pane.received(Exchange.make(1, headers: [HeaderField("Content-Type", "text/plain")], body: text), id: 1, context)
    let page = pane.page
    let room = DetailPage.Geometry(width: 78, height: 20, wraps: true)
    let rows = (0..<page.count).flatMap { [Int](repeating: $0, count: page.rows(of: $0, in: room)) }
    #expect(rows.count == page.count + 2 && rows.count < 20)
    var clicked = pane
    clicked.press(Point(x: 3, y: 5 + rows.count), isDouble: false, in: area, context)
    #expect(!pane.hasKeys && clicked.hasKeys && clicked.page.cursor == 0)
    for (row, line) in rows.enumerated() {
      pane.press(Point(x: 3, y: 5 + row), isDouble: false, in: area, context)
      #expect(pane.page.cursor == line, "row \(row)")
    }
  }

  // MARK: Drawing

  private func drawn(_ page: DetailPage, _ room: DetailPage.Geometry) -> Grid {
    var grid = Grid(Size(width: room.width + 2, height: room.height))
    DetailPageView(page: page, room: room, gutter: 0, hasKeys: false, theme: .builtIn).draw(on: &grid)
    return grid
  }

  private func bar(_ grid: Grid) -> [Int] {
    grid.lines.indices.filter { grid[Point(x: grid.width - 1, y: $0)]?.scalar == "┃" }
  }

  /// A page of as many lines as there are rows has a scroll bar where one of them takes more.
  @Test func linesThatAreWrappedNeedABarSooner() {
    var page = DetailPage()
    page.head = [PageLine("a"), PageLine(String(repeating: "x", count: 20)), PageLine("b")]
    var room = DetailPage.Geometry(width: 10, height: 3, wraps: true)
    #expect(bar(drawn(page, room)) == [0, 1])
    page.top = 1
    #expect(bar(drawn(page, room)) == [1, 2])
    page.top = 0
    room.height = 4
    #expect(bar(drawn(page, room)).isEmpty)
    (room.height, room.wraps) = (3, false)
    #expect(bar(drawn(page, room)).isEmpty)
  }

  /// Of lines that are taller than the pane it is seen which of their rows are in sight.
  @Test(arguments: [(0, 0, 0), (0, 11, 0), (0, 12, 1), (0, 19, 1), (1, 3, 1), (1, 4, 2), (1, 16, 3)])
  func aTallLineIsSeenFromARowOn(_ top: Int, _ topRow: Int, _ place: Int) {
    let rows = "abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST".map { String(repeating: $0, count: 10) }
    var page = DetailPage()
    page.head = [PageLine(rows[..<20].joined()), PageLine(rows[20...].joined())]
    (page.top, page.topRow) = (top, topRow)
    let grid = drawn(page, DetailPage.Geometry(width: 10, height: 4, wraps: true))
    let first = top * 20 + topRow
    #expect((0..<4).map { grid.text(row: $0, columns: 1..<11) } == Array(rows[first..<(first + 4)]))
    #expect(bar(grid) == [place])
  }
}
