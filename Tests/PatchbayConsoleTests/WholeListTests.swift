import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The list of requests and a page of the detail as values, through many changes drawn from a seed, and at their bounds.
/// With `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeListTests {
  private func summary(_ id: Int64, bad: Bool = false) -> ExchangeSummary {
    Exchange.make(id, status: bad ? 500 : 200).summary
  }

  private func told(_ out: inout Outcomes) -> String {
    out.drain().map { outcome in
      switch outcome {
      case .effect(.loadSummaries(let ids)): " load \(ids.first ?? 0)…\(ids.last ?? 0) (\(ids.count))"
      case .effect(.runQuery(let query)): " query \(query.token) after \(query.after) \(query.sort.column)"
      case .say(let notice, _, _): " “\(notice.text)”"
      default: " other"
      }
    }.joined()
  }

  private func digest(_ list: RequestList) -> String {
    let (count, scroll) = (list.order.count, list.scroll)
    let ends = count == 0 ? "" : " \(list.order[0])…\(list.order[count - 1])"
    return "\(scroll.selected)@\(scroll.top) of \(count)\(ends) sel \(list.selectedID ?? 0)"
      + "\(list.follows ? " follows" : "")\(list.isPaused ? " paused" : "")\(list.isSearching ? " searching" : "")"
      + "\(list.isStale ? " stale" : "") \(list.marksOrSelected)"
  }

  @Test(arguments: [1, 2] as [UInt64]) func throughManyChanges(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var list = RequestList()
    var out = Outcomes()
    var now = Timestamp(microseconds: 1_700_000_000_000_000)
    var newest: Int64 = 100
    var height = 6
    var text = ""
    list.search("", at: now, &out)
    list.received(IDBatch(token: list.query.token, ids: Array((60...100).reversed())), at: now)
    text += "\(digest(list))\(told(&out))\n"
    for _ in 0..<400 {
      now.microseconds += [1_000, 100_000, 199_999, 200_000, 700_000].randomElement(using: &random) ?? 0
      let id = Int64.random(in: max(1, newest - 60)...newest, using: &random)
      let step = [-100, -7, -3, -1, 1, 1, 3, 7, 100].randomElement(using: &random) ?? 1
      let isOpen = Bool.random(using: &random)
      var name = ""
      switch Int.random(in: 0..<26, using: &random) {
      case 0...4:
        newest += Int64.random(in: 1...2, using: &random)
        name = "new \(newest)"
        list.place(ExchangeChange(summary(newest, bad: newest % 9 == 0)), isCurrent: true)
      case 5:
        name = "changed \(id)"
        list.place(ExchangeChange(summary(id, bad: true)), isCurrent: true)
      case 6:
        name = "no longer fits \(id)"
        list.place(ExchangeChange(summary(id), matches: false), isCurrent: true)
      case 7:
        name = "of another query \(id)"
        list.place(ExchangeChange(summary(id)), isCurrent: false)
      case 8:
        name = "forget \(id)"
        list.forget(id)
      case 9:
        name = "retire below \(newest - 50)"
        list.retire(below: newest - 50)
      case 10:
        name = list.isPaused ? "resume" : "pause"
        if list.isPaused { list.resume() } else { list.pause() }
      case 11...13: name = "move \(step) \(isOpen) \(list.move(by: step, isOpen: isOpen))"
      case 14:
        name = "wheel \(step) \(isOpen)"
        list.wheel(by: step, height: height, isOpen: isOpen)
      case 15:
        let point = Point(x: 3, y: Int.random(in: 0...height + 3, using: &random))
        name = "press \(point.y) \(list.press(point, in: Rect(x: 0, y: 2, width: 9, height: height)))"
      case 16:
        name = "mark \(id)"
        list.setMarks([id], !list.isMarked(id))
      case 17:
        name = "older ones"
        let first = list.order.first ?? newest
        if first > 4, list.query.sort.isArrival {
          let ids = Array(stride(from: first - 1, through: first - 3, by: -1))
          list.received(IDBatch(token: list.query.token, ids: ids, isLast: isOpen), at: now)
        }
      case 18:
        let sort: [PatchbayConsole.SortOrder] = [
          .arrival, .init(.duration), .init(.number, descending: true), .arrival, .arrival,
        ]
        let order = sort.randomElement(using: &random) ?? .arrival
        name = "sort \(order.column)\(order.descending ? "↓" : "") \(isOpen)"
        list.sort(by: order, goesToTop: isOpen)
        list.search("", at: now, &out)
        let ids = Array(max(1, newest - 30)...newest)
        now.microseconds += 150_000
        name += " \(list.isSearchingLong(at: now)) \(list.nextTick(at: now).map { $0 - now.microseconds } ?? -1)"
        if isOpen { list.place(ExchangeChange(summary(newest + 1)), isCurrent: true) }
        list.received(
          IDBatch(token: list.query.token, ids: order.isArrival ? ids.reversed() : ids.reversed()), at: now)
      case 19: name = "row that was read \(list.selectRead(at: now).map(String.init) ?? "none")"
      case 20:
        name = "follow"
        list.follow()
      case 21:
        name = "hunt \(step.signum())"
        list.hunt(step.signum(), &out)
      case 22:
        name = "known \(id)"
        list.received(summary(id, bad: id % 5 == 0))
        list.huntOn(&out)
      case 23:
        height = Int.random(in: 1...12, using: &random)
        name = "height \(height)"
      case 24:
        name = "stay"
        list.stay()
      default:
        name = "clear"
        if isOpen, newest % 3 == 0 { list.clear(upTo: newest - 40) }
      }
      let before = digest(list)
      list.settle(height: height, isPinned: isOpen && newest % 4 == 0, at: now)
      list.loadVisible(height: height, &out)
      let again = "\(list.sortsAgain(at: now)) \(list.nextTick(at: now).map { $0 - now.microseconds } ?? -1)"
      text += "\(name): \(before) → \(list.scroll.selected)@\(list.scroll.top) \(again) "
      text += "\(list.visibleIDs(height: height).count) \(list.lines(height: height).count)\(told(&out))\n"
    }
    try expectRecorded(text, "Walks/list-changes-\(seed).txt")
  }

  @Test func whatComesAboveOrLeavesThereMovesNothing() {
    var list = RequestList()
    var out = Outcomes()
    let now = Timestamp(microseconds: 0)
    list.search("", at: now, &out)
    list.received(IDBatch(token: 1, ids: stride(from: Int64(200), to: 0, by: -2).map { $0 }), at: now)
    list.select(50)
    for _ in 0..<20 { list.wheel(by: -1, height: 10, isOpen: true) }
    list.select(75)
    list.settle(height: 10, isPinned: false, at: now)
    let (top, id) = (list.scroll.top, list.selectedID)
    func seen() -> [Int64] { list.visibleIDs(height: 10) }
    let rows = seen()
    // Above what is seen; at its first row; between that and the selected one; below.
    for (new, isAbove, isInSight) in [
      (rows[0] - 3, true, false), (rows[0] - 1, true, true), (rows[0] + 1, true, true), (rows[9] + 3, false, false),
    ] as [(Int64, Bool, Bool)] {
      var one = list
      one.place(ExchangeChange(summary(new)), isCurrent: true)
      #expect(one.selectedID == id, "\(new)")
      #expect(one.scroll.top == (isAbove && !isInSight ? top + 1 : top), "\(new)")
      one.leave(new)
      #expect(one.selectedID == id && one.scroll.top == top && one.visibleIDs(height: 10) == rows, "\(new)")
    }
    for (gone, moves) in [(rows[0] - 2, true), (rows[0], false), (rows[9], false)] {
      var one = list
      one.leave(gone)
      #expect(one.scroll.top == (moves ? top - 1 : top), "\(gone)")
      if gone != id { #expect(one.selectedID == id, "\(gone)") }
    }
  }

  @Test(arguments: [(0, 1), (1, 1), (2, 2), (10, 10)]) func rowsInSightAreAskedForWithSomeAround(
    _ height: Int, _ seen: Int
  ) {
    var list = RequestList()
    var out = Outcomes()
    let now = Timestamp(microseconds: 0)
    list.search("", at: now, &out)
    list.received(IDBatch(token: 1, ids: Array((1...100).reversed())), at: now)
    list.select(50)
    list.settle(height: height, isPinned: false, at: now)
    _ = out.drain()
    let top = list.scroll.top
    let visible = (top..<top + seen).map { Int64($0 + 1) }
    #expect(list.visibleIDs(height: height) == visible)
    list.loadVisible(height: height, &out)
    let asked = (top - seen..<top + 2 * seen).map { Int64($0 + 1) }
    let effects = out.drain().compactMap { if case .effect(let effect) = $0 { effect } else { nil } }
    #expect(effects == [.loadSummaries(asked)])
    list.loadVisible(height: height, &out)
    #expect(out.isEmpty, "once is enough")
    for id in asked { list.received(summary(id)) }
    list.loadVisible(height: height, &out)
    #expect(out.isEmpty)
  }

  // MARK: A page of the detail

  @Test(arguments: [1, 2] as [UInt64]) func aPageThroughManyMoves(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var page = DetailPage()
    page.head = (0..<Int(seed) + 4).map { PageLine("head \($0)") }
    page.fields = 2..<Int(seed) + 3
    let items = (1...12).map {
      "{\"id\":\($0),\"words\":\"\(String(repeating: "word ", count: $0 * 3))\",\"in\":[1,{\"a\":2}]}"
    }
    page.body = BodyPane(Data("[\(items.joined(separator: ","))]".utf8), contentType: "application/json")
    var room = DetailPage.Geometry(width: 40, height: 8, wraps: false)
    var text = ""
    for _ in 0..<400 {
      let step = [-50, -9, -3, -1, -1, 1, 1, 3, 9, 50].randomElement(using: &random) ?? 1
      var name = ""
      switch Int.random(in: 0..<16, using: &random) {
      case 0...4:
        name = "move \(step)"
        page.move(by: step, in: room)
      case 5...8:
        name = "scroll \(step)"
        page.scroll(by: step, in: room)
      case 9:
        name = "fold"
        page.toggleFold()
      case 10:
        name = "level less"
        page.foldLevel()
      case 11:
        name = "level more"
        page.unfoldLevel()
      case 12:
        name = "all"
        page.unfoldAll()
      case 13:
        let line = Int.random(in: 0...60, using: &random)
        name = "to line \(line)"
        page.goTo(line: line)
      case 14:
        room.height = Int.random(in: 1...14, using: &random)
        room.width = Int.random(in: 20...60, using: &random)
        name = "room \(room.width)×\(room.height)"
      default:
        room.wraps.toggle()
        name = room.wraps ? "wraps" : "cuts"
      }
      let before = "\(page.cursor)/\(page.top)+\(page.topRow)"
      page.settle(in: room)
      text += "\(name): \(before) → \(page.cursor)/\(page.top)+\(page.topRow) of \(page.count) (\(page.headCount))"
      text +=
        " line \(page.lineNumber(page.cursor) ?? 0) level \(page.level ?? 0) rows \(page.rows(of: page.cursor, in: room))"
      text += " “\(page.line(page.cursor).text.prefix(24))” \(page.path ?? "-")\n"
    }
    try expectRecorded(text, "Walks/page-moves-\(seed).txt")
  }

  // MARK: A value that is edited

  @Test func aValueAndItsKeys() throws {
    var out = ""
    let values: [JSONValue] = [
      "text", "a \"b\"\n", "日本", "", 7, try JSONValue(parsing: "-1.50"), true, false, .null, [1, 2], .members(["a": 1]),
    ]
    let theme = Theme.builtIn
    for value in values {
      let edit = try #require(ValueEdit(value, at: []))
      out += "== \(value.compact) \(edit.isText) \(ValueEdit.kind(of: value)) \(ValueEdit.role(of: value))"
      out += " \(ValueEdit.brief(value)) “\(edit.editor.text)” selected \(edit.editor.selectedText ?? "nothing")\n"
      for hasIDs in [false, true] {
        for name in ["enter", "ctrl-s", "tab", "down", "shift-tab", "up", "esc", "ctrl-c", "ctrl-t", "ctrl-r", "x"] {
          let key = try #require(Key(parsing: name))
          var pressed = edit
          let answer = pressed.handle(key, hasIDs: hasIDs)
          out += "\(name) \(answer) \(pressed.isText) \(pressed.isThisIDOnly) \(pressed.value?.compact ?? "none"), "
        }
        out += "\n"
      }
      for typed in ["", "8", "true", "null", "a\\nb", "\"q\"", "[1", "[1]", "{\"a\":2}", "a\\x"] {
        for isOther in [false, true] {
          var changed = edit
          if isOther { _ = changed.handle(.control("t"), hasIDs: false) }
          changed.insert(typed)
          out += "\(typed)\(isOther ? " (other)" : "") → \(changed.value?.compact ?? "none"); "
        }
      }
      out += "\n"
      for (width, x) in [(80, 4), (40, 4), (30, 10), (20, 10), (14, 10), (12, 10)] {
        var changed = edit
        for typed in ["", "some longer text than it was", "[1", "8"] {
          changed.insert(typed)
          var grid = Grid(Size(width: width, height: 1))
          changed.draw(on: &grid, at: Point(x: x, y: 0), theme)
          out += "\(width)│\(grid.text)│\(grid.cursor.map { "\($0.x)" } ?? "-")\n"
        }
      }
    }
    for hasIDs in [false, true] {
      for isOnly in [false, true] {
        out += "\(ValueEdit.hints(hasIDs: hasIDs, isThisIDOnly: isOnly).map { "\($0.key) \($0.text)" })\n"
      }
    }
    out += "\(ValueEdit.brief(.string(String(repeating: "x", count: 30)))) "
    out += "\(ValueEdit.brief(.string(String(repeating: "x", count: 31))))\n"
    try expectRecorded(out, "Walks/value-edit.txt")
  }

  @Test func aValueAboveTheLimitIsNotEditedInALine() {
    let most = ValueEdit.limit - 2
    #expect(ValueEdit(.string(String(repeating: "x", count: most)), at: []) != nil)
    #expect(ValueEdit(.string(String(repeating: "x", count: most + 1)), at: []) == nil)
    let only = ValueEdit("x", at: [], isThisIDOnly: true)
    #expect(only?.isThisIDOnly == true && only?.steps.isEmpty == true && only?.before == "x")
  }
}
