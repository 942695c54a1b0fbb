import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// A page of the detail as a value: where the cursor goes, what is in sight, what folds.
@Suite(.bounded) struct DetailPageTests {
  private func page(head: Int, _ body: Data? = nil, type: String = "application/json") -> DetailPage {
    var page = DetailPage()
    page.head = (0..<head).map { PageLine("h\($0)") }
    page.body = body.map { BodyPane($0, contentType: type) }
    return page
  }

  private func room(
    _ width: Int = 40, _ height: Int = 10, wraps: Bool = false, pictures: Set<Picture.Format> = []
  ) -> DetailPage.Geometry {
    DetailPage.Geometry(width: width, height: height, wraps: wraps, pictures: pictures)
  }

  /// With the cursor in the facts of a picture, what stands above makes room where it gets larger by that.
  @Test(arguments: [(0, 0), (1, 0), (3, 3), (12, 12), (30, 30)])
  func aPictureGetsTheRoomOfWhatStandsAbove(_ head: Int, _ top: Int) throws {
    let body = SamplePicture.png(width: 400, height: 300)
    for cursor in [head, head + 1] {
      var seen = page(head: head, body, type: "image/png")
      let room = room(80, 20, pictures: [.png])
      seen.move(by: cursor, in: room)
      #expect(seen.cursor == cursor && seen.top == top && seen.topRow == 0)
      let shown = try #require(seen.picture(in: room))
      #expect(shown.area.maxY == 20 && shown.picture.size == Size(width: 400, height: 300))
      // A terminal that shows none scrolls no further than it must.
      var plain = page(head: head, body, type: "image/png")
      plain.move(by: cursor, in: self.room(80, 20))
      #expect(plain.top == max(0, min(cursor - 19, plain.count - 20)))
    }
  }

  @Test func aboveItsFactsThePictureMakesNoRoom() {
    var seen = page(head: 30, SamplePicture.png(width: 400, height: 300), type: "image/png")
    seen.move(by: 29, in: room(80, 20, pictures: [.png]))
    #expect(seen.cursor == 29 && seen.top == 30 - 20)
  }

  @Test func onTheFirstOfTheBytesThePictureIsGone() {
    var page = page(head: 2, SamplePicture.png(), type: "image/png")
    let room = room(80, 20, pictures: [.png])
    let facts = page.body?.picture?.facts ?? 0
    page.cursor = 2 + facts - 1
    #expect(page.picture(in: room) != nil)
    page.cursor = 2 + facts
    #expect(page.picture(in: room) == nil)
  }

  @Test func aPictureHasRoomFromThreeRowsAndEightColumnsOn() {
    let page = page(head: 0, SamplePicture.png(width: 400, height: 300), type: "image/png")
    let facts = page.body?.picture?.facts ?? 0
    let beside = ((0..<facts).map { textWidth(page.line($0).text) }.max() ?? 0) + 2
    func area(_ width: Int, _ height: Int) -> Rect? { page.picture(in: room(width, height, pictures: [.png]))?.area }
    #expect(area(beside + 8, facts + 2) == nil)
    // Below the facts, and beside them.
    #expect(area(beside + 8, facts + 3) == Rect(x: 1, y: facts, width: beside + 7, height: 3))
    #expect(area(beside + 9, facts + 2) == Rect(x: 1 + beside, y: 0, width: 8, height: facts + 2))
  }

  /// Of a line above whose first rows are scrolled off, only those count that are seen.
  @Test func aPictureStandsBelowTheRowsThatAreSeen() {
    var page = page(head: 1, SamplePicture.png(width: 400, height: 300), type: "image/png")
    page.head = [PageLine(String(repeating: "x", count: 320))]
    for _ in 0..<2 { page.move(by: 1, in: room(40, 5, wraps: true)) }
    #expect(page.cursor == 0 && page.top == 0 && page.topRow == 2)
    let larger = room(40, 20, wraps: true, pictures: [.png])
    let facts = page.body?.picture?.facts ?? 0
    #expect(page.picture(in: larger)?.bytesTop == 8 - 2 + facts)
    page.move(by: 1, in: larger)
    #expect(page.cursor == 1 && page.top == 1 && page.topRow == 0)
    #expect(page.picture(in: larger)?.bytesTop == facts)
  }

  // MARK: Moving

  /// The cursor's line is in sight, nothing is scrolled that needs not be, and no room is left below the last line.
  @Test func theCursorStaysInSight() {
    for (head, height) in [(25, 10), (10, 10), (11, 10), (9, 10), (1, 1), (5, 1), (0, 4)] {
      var page = page(head: head)
      let room = room(40, height)
      var (cursor, top) = (0, 0)
      for step in [1, 1, 8, 1, 1, 5, -1, -3, 100, -1, -9, -1, 1, -100, 3, 9, 1 << 40, -(1 << 40)] {
        page.move(by: step, in: room)
        guard head > 0 else {
          #expect(page.cursor == 0 && page.top == 0)
          continue
        }
        cursor = max(0, min(head - 1, cursor + step))
        if cursor < top { top = cursor }
        if cursor >= top + height { top = cursor - height + 1 }
        #expect(page.cursor == cursor && page.top == top, "\(head) lines, \(height) rows, \(step)")
        #expect(page.sticksToEnd == (step == 1 << 40))
      }
    }
  }

  /// Lines that take several rows: all of the cursor's line is in sight, and as much above as there is room for.
  @Test func wrappedLinesTakeTheirRows() {
    var page = DetailPage()
    page.head = [1, 3, 1, 2, 4, 1, 1, 3, 2, 1].map { PageLine(String(repeating: "x", count: $0 * 10)) }
    let rows = [1, 3, 1, 2, 4, 1, 1, 3, 2, 1]
    let room = room(10, 6, wraps: true)
    #expect((0..<10).map { page.rows(of: $0, in: room) } == rows)
    #expect((0..<10).map { page.rows(of: $0, in: self.room(10, 6)) } == [Int](repeating: 1, count: 10))
    var tops: [Int] = []
    for _ in 0..<9 {
      page.move(by: 1, in: room)
      tops.append(page.top)
    }
    #expect(tops == [0, 0, 1, 3, 4, 4, 5, 6, 7])
    for _ in 0..<9 {
      page.move(by: -1, in: room)
      tops.append(page.top)
    }
    #expect(tops.suffix(9) == [7, 7, 6, 5, 4, 3, 2, 1, 0])
  }

  /// A line that is taller than the pane is gone through row by row.
  @Test func aTallLineIsGoneThroughByRows() {
    var page = DetailPage()
    page.head = [PageLine("a"), PageLine(String(repeating: "x", count: 80)), PageLine("b")]
    let room = room(10, 5, wraps: true)
    var places: [[Int]] = []
    for _ in 0..<7 {
      page.move(by: 1, in: room)
      places.append([page.cursor, page.top, page.topRow])
    }
    #expect(places == [[1, 1, 0], [1, 1, 1], [1, 1, 2], [1, 1, 3], [2, 2, 0], [2, 2, 0], [2, 2, 0]])
    page = DetailPage()
    page.head = [PageLine(String(repeating: "x", count: 80)), PageLine("b")]
    page.move(by: 3, in: room)
    page.move(by: -1, in: room)
    #expect(page.cursor == 0 && page.top == 0)
  }

  /// Up as down by rows; with a step of several lines, with the wheel and with more room it is seen from its first row.
  @Test func aTallLineIsLeftWithItsRows() {
    var page = DetailPage()
    page.head = [PageLine("a"), PageLine("b"), PageLine(String(repeating: "x", count: 80)), PageLine("c")]
    let room = room(10, 5, wraps: true)
    func moved(_ steps: [Int]) -> [[Int]] {
      steps.map { step in
        page.move(by: step, in: room)
        return [page.cursor, page.top, page.topRow]
      }
    }
    let there = moved([1, 1, 1, 1, -1, -1, -1])
    #expect(there == [[1, 0, 0], [2, 2, 0], [2, 2, 1], [2, 2, 2], [2, 2, 1], [2, 2, 0], [1, 1, 0]])
    let back = moved([1, 1, 1, -2])
    #expect(back == [[2, 2, 0], [2, 2, 1], [2, 2, 2], [0, 0, 0]])
    let again = moved([1, 1, 1, 1])
    #expect(again.last == [2, 2, 2])
    var larger = page
    larger.settle(in: self.room(10, 7, wraps: true))
    #expect(larger.cursor == 2 && larger.topRow == 2)
    larger.settle(in: self.room(10, 8, wraps: true))
    #expect(larger.cursor == 2 && larger.top == 2 && larger.topRow == 0)
    page.scroll(by: -1, in: room)
    #expect(page.cursor == 1 && page.top == 1 && page.topRow == 0)
  }

  /// A large body is laid out as far as one goes, but in one step no more than 20,000 lines further.
  @Test func aLargeBodyIsLaidOutAsFarAsOneGoes() {
    let line = String(repeating: "x", count: 99) + "\n"
    var page = page(head: 1, Data(String(repeating: line, count: 32_000).utf8), type: "text/plain")
    #expect(page.count < 6_000)
    page.move(by: 6_000, in: room())
    #expect(page.cursor == 6_000 && !page.sticksToEnd)
    page.move(by: 1 << 40, in: room())
    let known = page.count
    #expect((26_001...31_999).contains(known) && page.cursor == known - 1 && page.hasMore)
    page.goOn()
    #expect(page.count > known && page.cursor == page.count - 1, "it stays on the last line")
    page.move(by: -1, in: room())
    let cursor = page.cursor
    while page.hasMore { page.goOn() }
    #expect(page.count == 32_001 && page.cursor == cursor)
  }

  @Test func aHitBelowWhatIsLaidOutIsGoneTo() {
    let line = String(repeating: "x", count: 99) + "\n"
    var page = page(head: 1, Data((String(repeating: line, count: 12_000) + "needle\n").utf8), type: "text/plain")
    let search = PageSearch("needle", in: page.body)
    page.search = search
    page.goTo(hit: 1)
    #expect(page.cursor == 0 && page.search.current == nil, "there is one only")
    page.goTo(hit: 0)
    #expect(page.cursor == 1 + 12_000 && page.search.current == 0)
  }

  @Test func aBodyThatIsLaidOutIsStillSearched() {
    let text = String(repeating: "-", count: PageSearch.piece + 99) + "needle"
    var page = page(head: 0, Data(text.utf8), type: "text/plain")
    page.move(by: 1 << 40, in: room())
    #expect(page.body?.isComplete == true && !page.hasMore)
    let search = PageSearch("needle", in: page.body)
    page.search = search
    #expect(page.hasMore && page.search.count == 0)
    page.goOn()
    #expect(!page.hasMore && page.search.count == 1)
  }

  /// The wheel moves what is seen; the cursor goes along only where it would be out of sight.
  @Test func scrollingTakesTheCursorAlongWhereItMust() {
    var page = page(head: 30)
    let room = room(40, 10)
    var seen: [[Int]] = []
    for step in [3, 3, -1, 100, -3, -100] {
      page.scroll(by: step, in: room)
      seen.append([page.top, page.cursor])
    }
    #expect(seen == [[3, 3], [6, 6], [5, 6], [20, 20], [17, 20], [0, 9]])
    var short = self.page(head: 4)
    short.scroll(by: 2, in: room)
    #expect(short.top == 0 && short.cursor == 0)
    var none = self.page(head: 0)
    none.scroll(by: 2, in: room)
    #expect(none.top == 0 && none.cursor == 0)
  }

  // MARK: Header fields

  @Test func headerFieldsFoldIntoOneLine() {
    var page = page(head: 6, Data("[1]".utf8))
    page.fields = 1..<4
    #expect(page.headCount == 6 && page.count == 9)
    page.cursor = 0
    page.toggleFold()
    page.cursor = 4
    page.toggleFold()
    #expect(!page.foldsFields, "neither above nor below the fields")
    page.cursor = 3
    page.toggleFold()
    #expect(page.foldsFields && page.cursor == 1 && page.headCount == 4 && page.count == 7)
    #expect(
      (-1..<8).map { page.line($0).text } == [
        "", "h0", "▸ 3 headers  space shows them", "h4", "h5", "[", "  1", "]", "",
      ])
    #expect((-1..<8).map { page.lineNumber($0) } == [nil, nil, nil, nil, nil, 1, 2, 3, nil])
    page.cursor = 2
    page.toggleFold()
    #expect(page.foldsFields, "a line below does not open them")
    page.cursor = 1
    page.toggleFold()
    #expect(!page.foldsFields && page.cursor == 1)
    #expect((0..<9).map { page.line($0).text } == ["h0", "h1", "h2", "h3", "h4", "h5", "[", "  1", "]"])
  }

  // MARK: Folding

  /// Whichever line one is on: what it opens folds, or else what it is in, however far above that begins.
  @Test(arguments: [1, 2, 127, 254, 255, 256, 257, 511, 512, 513, 1_100])
  func aLineFoldsWhatItIsIn(_ items: Int) throws {
    let list = (0..<items).map { "\($0)" }.joined(separator: ",")
    let pane = BodyPane(Data("{\"a\":[{}],\"list\":[\(list)],\"b\":{\"c\":1}}".utf8), contentType: "application/json")
    let lines = (0..<pane.count).map { pane.line($0) }
    let layout = (0..<pane.count).map { lines[$0].depth }
    for number in Set([0, 1, 2, 3, 4, 5, 6, items, items + 3, items + 4, items + 5, items + 6, items + 7, items + 8])
    where number < pane.count {
      var folded = pane
      let place = folded.toggleFold(number)
      // What opens something ends with its bracket; one without anything in it has both.
      func opens(_ line: Int) -> Bool { ["{", "["].contains(lines[line].text.last) }
      let opener = opens(number) ? number : (0..<number).last { layout[$0] < layout[number] && opens($0) }
      #expect(place == opener, "line \(number): \(lines[number].text)")
      guard let opener else {
        #expect(folded.count == pane.count)
        continue
      }
      let end = ((opener + 1)..<pane.count).first { layout[$0] <= layout[opener] } ?? opener
      #expect(folded.count == pane.count - (end - opener))
      #expect(folded.line(opener).text.contains("… \(Wording.count(max(1, end - opener - 1), "line"))"))
      #expect(folded.toggleFold(opener) == opener && folded.count == pane.count)
    }
    var out = pane
    #expect(out.toggleFold(-1) == nil && out.toggleFold(pane.count) == nil)
  }

  /// Which lines are hidden, beside a list of all of them.
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func foldsHideTheirLines(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    var map = FoldMap()
    // Folds lie in one another or beside one another, as brackets do.
    let all: [Range<Int>] = [
      0..<60, 1..<20, 2..<9, 3..<5, 10..<15, 16..<19, 20..<40, 21..<22, 30..<39, 45..<59, 50..<51,
    ]
    var folded: Set<Range<Int>> = []
    for step in 0..<80 {
      let range = all[Int(random.next() % UInt64(all.count))]
      switch random.next() % 4 {
      case 0, 1:
        if folded.contains(range) {
          map.unfold(range.lowerBound)
          folded.remove(range)
        } else {
          map.fold(range.lowerBound, hiding: (range.lowerBound + 1)..<range.upperBound)
          folded.insert(range)
        }
      case 2:
        let line = Int(random.next() % 62)
        map.reveal(line)
        folded = folded.filter { !(($0.lowerBound + 1)..<$0.upperBound).contains(line) }
      default:
        map = FoldMap()
        folded = []
        for range in all where random.next() % 2 == 0 {
          guard folded.allSatisfy({ $0.upperBound <= range.lowerBound }) else { continue }
          map.append(range.lowerBound, hiding: (range.lowerBound + 1)..<range.upperBound)
          folded.insert(range)
        }
      }
      let hidden = Set(folded.flatMap { Array($0.dropFirst()) })
      let shown = (0..<62).filter { !hidden.contains($0) }
      #expect(map.hidden == hidden.count, "step \(step)")
      for (place, line) in shown.enumerated() {
        #expect(map.line(shownAt: place) == line && map.shownIndex(of: line) == place, "step \(step), line \(line)")
      }
      for line in hidden {
        let opener = shown.last { $0 < line } ?? 0
        #expect(map.shownIndex(of: line) == shown.firstIndex(of: opener), "step \(step), hidden \(line)")
      }
      for range in all {
        #expect(map.isFolded(range.lowerBound) == folded.contains(range))
        #expect(map.hiddenLines(by: range.lowerBound) == (folded.contains(range) ? range.count - 1 : nil))
      }
    }
  }

  @Test func levelsFoldAndTheCursorStaysOnItsLine() {
    var page = page(head: 2, Data("{\"a\":{\"b\":{\"c\":1}},\"d\":[2]}".utf8))
    func lines() -> [String] { (2..<page.count).map { page.line($0).text } }
    let whole = lines()
    #expect(whole.count == 10)
    page.cursor = 2 + 3
    page.foldLevel()
    #expect(page.level == 1 && lines() == ["{", "  \"a\": { … 3 lines },", "  \"d\": [ … 1 line ]", "}"])
    #expect(page.cursor == 3)
    page.foldLevel()
    #expect(page.level == 1)
    page.unfoldLevel()
    #expect(page.level == 2 && lines().count == 8 && lines()[2] == "    \"b\": { … 1 line }")
    page.unfoldLevel()
    #expect(page.level == 3 && lines() == whole)
    page.foldLevel()
    #expect(page.level == 2)
    page.unfoldAll()
    #expect(page.level == nil && lines() == whole)
    page.unfoldLevel()
    #expect(page.level == nil && lines() == whole)
  }

  /// What ends, or only begins, behind what is known of a large body folds when it is there.
  @Test func whatComesLaterOfALargeBodyIsFoldedToo() {
    let texts = [String](repeating: "\"\(String(repeating: "x", count: 1_000))\"", count: 600).joined(separator: ",")
    for (body, count) in [("[\(texts),{\"a\":1}]", 603), ("{\"list\":[\(texts)],\"b\":[1]}", 4)] {
      var page = page(head: 1, Data(body.utf8))
      page.foldLevel()
      #expect(page.hasMore && page.body?.isFolding == true && page.body?.isComplete == false)
      var steps = 0
      while page.hasMore, steps < 10 {
        page.goOn()
        steps += 1
      }
      #expect(!page.hasMore && page.body?.isFolding == false && page.count == 1 + count)
    }
  }

  @Test func unfoldingEndsAFoldingThatGoesOn() {
    let items = [String](repeating: "{\"n\":1}", count: 5_000).joined(separator: ",")
    var page = page(head: 1, Data("[\(items)]".utf8))
    page.foldLevel()
    #expect(page.hasMore && page.body?.isComplete == true)
    page.unfoldAll()
    #expect(!page.hasMore && page.count == 1 + 15_002)
  }

  /// Of JSON that breaks off, what has no end stays open.
  @Test func whatHasNoEndStaysOpen() {
    var page = page(head: 0, Data("{\"a\":[1,[2],3".utf8))
    page.foldLevel()
    #expect(!page.hasMore)
    #expect((0..<page.count).map { page.line($0).text } == ["{", "  \"a\": [", "    1,", "    [ … 1 line ],", "    3"])
  }

  @Test func thePathAndTheValueAreOfTheBodyOnly() {
    var page = page(head: 2, Data("{\"a\":{\"b\":[1,\"x\"]}}".utf8))
    var seen: [String] = []
    for line in 0..<page.count {
      page.cursor = line
      seen.append("\(page.path ?? "-") \(page.value ?? "-")")
      #expect((page.steps(at: line) == nil) == !(2..<7).contains(line))
    }
    #expect(
      seen == [
        "- -", "- -", "$ {\n  \"a\": {\n    \"b\": [\n      1,\n      \"x\"\n    ]\n  }\n}",
        "$.a {\n  \"b\": [\n    1,\n    \"x\"\n  ]\n}", "$.a.b [\n  1,\n  \"x\"\n]", "$.a.b[0] 1", "$.a.b[1] \"x\"",
        "$.a.b ]", "$.a }", "$ }",
      ])
  }

  // MARK: What was sent instead

  private func sent(_ body: Data?, truncated: Bool = false, _ change: (inout RecordedRequest) -> Void = { _ in })
    -> [String]
  {
    var exchange = Exchange.make(1, "POST", "https://api.example.com/a")
    exchange.request.headers = [HeaderField("A", "1"), HeaderField("B", "2"), HeaderField("C", "3")]
    exchange.request.body = body
    exchange.request.truncated = truncated
    exchange.sent = exchange.request
    exchange.sent?.truncated = false
    exchange.sent?.body = Data("new".utf8)
    if var sent = exchange.sent {
      change(&sent)
      exchange.sent = sent
    }
    return DetailPages.sent(of: exchange).map(\.text)
  }

  /// Five lines of what the program had, and of 400 bytes; a sign says that there is more.
  @Test func theProgramsBodyIsShownToItsFifthLine() {
    func text(_ lines: Int) -> Data { Data((1...lines).map { "l\($0)" }.joined(separator: "\n").utf8) }
    let all = (1...5).map { "  − l\($0)" }
    func shown(_ body: Data?, truncated: Bool = false) -> [String] {
      Array(sent(body, truncated: truncated).dropFirst(2).dropLast())
    }
    #expect(shown(text(4)) == Array(all.prefix(4)))
    #expect(shown(text(5)) == all)
    #expect(shown(text(6)) == all + ["  − …"])
    #expect(shown(text(2), truncated: true) == Array(all.prefix(2)) + ["  − …"])
    for (count, isMore) in [(399, false), (400, false), (401, true), (4_000, true)] {
      let line = String(repeating: "x", count: min(400, count))
      #expect(shown(Data(String(repeating: "x", count: count).utf8)) == ["  − \(line)"] + (isMore ? ["  − …"] : []))
    }
    #expect(shown(Data([0, 1, 2, 0xFF, 0xFE])) == [] && shown(Data()) == [] && shown(nil) == [])
    // A character that the limit cuts is left out.
    #expect(shown(Data("日本".utf8).prefix(5), truncated: true) == ["  − 日", "  − …"])
    #expect(shown(Data("日本".utf8).prefix(5)) == [], "what is whole and no text is not shown as if it were")
    #expect(
      shown(Data((String(repeating: "x", count: 399) + "日").utf8)).first == "  − " + String(repeating: "x", count: 399))
  }

  @Test func whatWasSentIsSaidFieldByField() {
    #expect(
      sent(Data("old".utf8)) == [
        "→ sent as another request", "→ with the body below; the program's had 3 B", "  − old",
        "  D compares what the program asked with what was sent",
      ])
    let changed = sent(nil) {
      $0.method = "PUT"
      $0.headers = [
        HeaderField("A", "1"), HeaderField("b", "4"), HeaderField("D", "5"), HeaderField("User-Agent", "curl/8"),
      ]
    }
    #expect(
      changed == [
        "→ sent as PUT https://api.example.com/a", "  ~ b: 4", "  + D: 5", "  − C: 3",
        "→ with the body below; the program gave none", "  D compares what the program asked with what was sent",
      ])
  }
}
