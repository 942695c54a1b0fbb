import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Two requests side by side: all rows of bodies of every kind, the cells of long values, the keys. With
/// `PATCHBAY_WRITE_SCREENS` set what is recorded is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholeCompareTests {
  private func told(_ rows: [CompareRow]) -> String {
    rows.map { row in
      let sign = row.differs ? "≠" : " "
      switch row.kind {
      case .pair: return "\(sign) \(row.label): \(row.left) | \(row.right)\n"
      case .heading: return "\(sign)— \(row.label)\n"
      case .note: return "\(sign)~ \(row.label)\n"
      }
    }.joined()
  }

  private func side(_ body: Data?, _ type: String? = nil, truncated: Bool = false) -> BodyRows.Side {
    BodyRows.Side(body, type.map { [HeaderField("content-type", $0)] } ?? [], truncated: truncated)
  }

  @Test func bodiesOfEveryKind() throws {
    let form = "application/x-www-form-urlencoded"
    let pairs: [(String, BodyRows.Side, BodyRows.Side)] = [
      ("none", side(nil), side(nil)), ("empty and none", side(Data()), side(nil)),
      ("one alone", side(Data("a\nb".utf8)), side(nil)), ("the other alone", side(nil), side(Data("[1]".utf8))),
      ("empty beside JSON", side(Data()), side(Data("{\"a\":1}".utf8))),
      ("JSON beside text", side(Data("{\"a\":1}".utf8)), side(Data("not JSON".utf8))),
      ("forms", side(Data("a=1&a=2&B=3".utf8), form), side(Data("b=3&a=1&c".utf8), form)),
      ("a form beside none", side(Data("a=1".utf8), form), side(nil)),
      ("a form beside text", side(Data("a=1".utf8), form), side(Data("a=2".utf8), "text/plain")),
      ("left in part", side(Data("a".utf8), truncated: true), side(Data("a".utf8))),
      ("right in part", side(Data("a".utf8)), side(Data("b".utf8), truncated: true)),
      ("both in part", side(Data("[1]".utf8), truncated: true), side(Data("[1]".utf8), truncated: true)),
      ("bytes, the same", side(Data([0xFF, 0])), side(Data([0xFF, 0]))),
      ("bytes, one longer", side(Data([0xFF, 0])), side(Data([0xFF, 0, 1]))),
      ("bytes beside none", side(Data([0xFF])), side(nil)),
      (
        "bytes that differ late", side(Data((0..<200).map { UInt8($0) })),
        side(Data((0..<300).map { $0 == 21 ? 0xEE : UInt8($0 & 255) }))
      ),
      ("bytes beside text", side(Data([0xFF, 0x41])), side(Data("A".utf8))),
      (
        "the last byte", side(Data([UInt8](repeating: 0xFF, count: 20))),
        side(Data([UInt8](repeating: 0xFF, count: 19) + [0xFE]))
      ),
    ]
    var out = ""
    for (name, left, right) in pairs { out += "== \(name)\n" + told(BodyRows.rows(left, right)) }
    try expectRecorded(out, "Walks/compared-bodies.txt")
  }

  /// Up to 64 KiB every value is shown; above, those that are the same are counted, and a body that is the same is one row.
  @Test func fromSixtyFourKilobytesOnOnlyDifferencesAreShown() {
    func json(_ bytes: Int, _ last: String) -> Data {
      let (start, end) = ("[1,\"", "\",\(last)]")
      return Data((start + String(repeating: "x", count: bytes - start.utf8.count - end.utf8.count) + end).utf8)
    }
    let limit = 64 << 10
    var rows = BodyRows.rows(side(json(limit, "2")), side(json(limit, "3")))
    #expect(rows.map(\.label) == ["$[0]", "$[1]", "$[2]"])
    rows = BodyRows.rows(side(json(limit, "2")), side(json(limit, "2")))
    #expect(rows.map(\.label) == ["$[0]", "$[1]", "$[2]"])
    rows = BodyRows.rows(side(json(limit + 1, "2")), side(json(limit + 1, "3")))
    #expect(rows.map(\.label) == ["$[2]", "⋯ 2 values the same"] && rows.map(\.differs) == [true, false])
    rows = BodyRows.rows(side(json(limit + 1, "2")), side(json(limit + 1, "2")))
    #expect(told(rows) == "  the same: 65.5 kB | 65.5 kB\n")
    rows = BodyRows.rows(side(json(limit + 1, "2"), truncated: true), side(json(limit + 1, "2")))
    #expect(told(rows) == " ~ The left one was recorded only in part.\n  the same: 65.5 kB | 65.5 kB\n")
  }

  @Test func jsonOfEveryShape() throws {
    let texts = [
      "{}", "[]", "1", "\"a\"", "null", "{\"a\":1}", "{\"a\":{\"b\":[1,2]},\"c\":true}", "[1,[2,[3]],{\"x\":null}]",
      "{\"a\":[],\"b\":{}}", "{\"b\":{},\"a\":[0]}", "{\"a\":1,\"a\":2,\"é-x\":3,\"\":4,\"a b\":5,\"q\\\"\":6}",
      "{\"a\":2,\"é-x\":3,\"a\":1}",
    ]
    var out = ""
    for left in texts {
      for right in texts {
        let values = (try JSONValue(parsing: left), try JSONValue(parsing: right))
        for showsSame in left == right ? [true, false] : [false] {
          let rows = JSONRows.rows(values.0, values.1, showsSame: showsSame)
          out += "== \(left) \(right) \(showsSame)\n" + told(rows)
        }
      }
      out += "== \(left) alone\n" + told(JSONRows.rows(try JSONValue(parsing: left), nil, showsSame: false))
      out += told(JSONRows.rows(nil, try JSONValue(parsing: left), showsSame: true))
    }
    try expectRecorded(out, "Walks/compared-json.txt")
  }

  @Test func fiveThousandValuesAreShownAndTheRestIsCounted() {
    func list(_ count: Int, _ first: Int) -> JSONValue { .array((0..<count).map { .number("\($0 + first)") }) }
    var rows = JSONRows.rows(list(5_000, 0), list(5_000, 1), showsSame: true)
    #expect(rows.count == 5_000 && rows.allSatisfy { $0.kind == .pair })
    rows = JSONRows.rows(list(5_001, 0), list(5_001, 1), showsSame: true)
    #expect(rows.count == 5_001 && rows.last == .note("1 more value differ and are left out.", differs: true))
    rows = JSONRows.rows(list(5_003, 0), list(5_003, 0), showsSame: true)
    #expect(rows.count == 5_001 && rows.last == .note("⋯ 3 values the same"))
    rows = JSONRows.rows(list(5_003, 0), list(5_003, 0), showsSame: false)
    #expect(rows == [.note("⋯ 5,003 values the same")])
  }

  // MARK: Text by line

  private func lines(_ range: some Sequence<Int>, _ text: String = "line") -> String {
    range.map { "\(text) \($0)" }.joined(separator: "\n")
  }

  private func rows(_ left: String, _ right: String) -> [CompareRow] {
    LineRows.rows(Data(left.utf8), Data(right.utf8))
  }

  @Test func linesOfShortTexts() throws {
    let texts = [
      "", "\n", "a", "a\n", "a\nb", "b\na", "a\nb\nc\nd", "a\nx\nc\nd", "x\na\nb\nc\nd", "a\nb\nc\nd\nx", "a\n\nb\n\n",
      "d\nc\nb\na", "a\na\na", "a\nb\na\nb\na",
    ]
    var out = ""
    for left in texts {
      for right in texts where left != right {
        out += "== \(left.debugDescription) \(right.debugDescription)\n" + told(rows(left, right))
      }
    }
    try expectRecorded(out, "Walks/compared-lines.txt")
  }

  /// Up to 2,000 lines all are shown; of more only three beside what differs, unless that would save one row.
  @Test func ofLongTextsThreeLinesAreShownBesideWhatDiffers() {
    func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }
    func changed(_ count: Int, at places: [Int]) -> String {
      (0..<count).map { places.contains($0) ? "changed" : "line \($0)" }.joined(separator: "\n")
    }
    #expect(rows(lines(0..<2_000), changed(2_000, at: [5])).count == 2_000)
    var seen = rows(lines(0..<2_001), changed(2_001, at: [5]))
    #expect(seen.map(\.label) == ["⋯ 2 lines the same"] + numbers(3...9) + ["⋯ 1,992 lines the same"])
    #expect(seen.map(\.differs).enumerated().filter { $0.element }.map { seen[$0.offset].label } == ["6"])
    // Between two of them seven lines are shown, and of eight two are counted.
    seen = rows(lines(0..<2_001), changed(2_001, at: [10, 18]))
    #expect(seen.map(\.label) == ["⋯ 7 lines the same"] + numbers(8...22) + ["⋯ 1,979 lines the same"])
    seen = rows(lines(0..<2_001), changed(2_001, at: [10, 19]))
    let around: [String] =
      ["⋯ 7 lines the same"] + numbers(8...14) + ["⋯ 2 lines the same"] + numbers(17...23) + ["⋯ 1,978 lines the same"]
    #expect(seen.map(\.label) == around)
    // At the ends no line is shown for the sake of what is beyond them.
    for (places, labels) in [
      ([0], ["1", "2", "3", "4", "⋯ 1,997 lines the same"]),
      ([2_000], ["⋯ 1,997 lines the same", "1998", "1999", "2000", "2001"]),
      ([4], ["1", "2", "3", "4", "5", "6", "7", "8", "⋯ 1,993 lines the same"]),
      ([1_996], ["⋯ 1,993 lines the same", "1994", "1995", "1996", "1997", "1998", "1999", "2000", "2001"]),
    ] {
      #expect(rows(lines(0..<2_001), changed(2_001, at: places)).map(\.label) == labels, "\(places)")
    }
    seen = rows(lines(0..<2_002), lines(0..<2_002))
    #expect(seen == [.note("⋯ 2,002 lines the same")])
    seen = rows(lines(0..<2_001), "x\n" + lines(0..<2_001))
    #expect(seen.map(\.label) == ["1", "1 / 2", "2 / 3", "3 / 4", "⋯ 1,998 lines the same"])
  }

  /// At most ten thousand rows, and the sentence that there are more.
  @Test func tenThousandRowsAreShown() {
    for (count, isCut) in [(9_999, false), (10_000, false), (10_001, true)] {
      let seen = rows(lines(0..<count, "a"), lines(0..<count, "b"))
      #expect(seen.count == min(10_000, count) + (isCut ? 2 : 1), "\(count)")
      let rest = CompareRow.note("The rest is left out: more than 10,000 rows.", differs: true)
      #expect(seen.contains(rest) == isCut)
      #expect(
        seen.last?.label
          == "\(Wording.count(count)) lines have nothing in common and stand side by side in their order.")
    }
  }

  /// Long texts beside each other with a little in common: whatever way is taken, what is said to be the same is the same,
  /// and lines that stand once in each and in one order are found.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func ofLongTextsTheLinesThatStandOnceAreAnchors(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let anchors = (0..<40).map { 100_000 + $0 }
    func text() -> [Int] {
      anchors.flatMap { anchor in
        (0..<Int.random(in: 0...60, using: &random)).map { _ in Int.random(in: 0...9, using: &random) } + [anchor]
      }
    }
    let (one, other) = (text(), text())
    let difference = LineDifference(one, other)
    var (left, right) = (0, 0)
    for run in difference.runs {
      #expect(run.count > 0 && run.left >= left && run.right >= right)
      #expect(one[run.left..<(run.left + run.count)] == other[run.right..<(run.right + run.count)])
      (left, right) = (run.left + run.count, run.right + run.count)
    }
    let matched = difference.runs.flatMap { $0.left..<($0.left + $0.count) }.map { one[$0] }
    #expect(matched.filter { $0 >= 100_000 } == anchors && difference.unmatched == 0)
  }

  @Test func anchorsAreTakenInTheLongestRisingSeries() {
    // The same lines with one block moved: the longer part stays, the moved one is elsewhere.
    let (block, moved, end) = (Array(0..<400), Array(1_000..<1_100), Array(2_000..<2_300))
    let (one, other) = (block + moved + end, moved + block + end)
    let runs = LineDifference(one, other).runs
    #expect(runs.reduce(0) { $0 + $1.count } == 700)
    #expect(runs.allSatisfy { one[$0.left] == other[$0.right] })
    #expect(!runs.contains { (1_000..<1_100).contains(one[$0.left]) })
    // Nothing in common and long: it is counted, and not looked at closely.
    #expect(LineDifference(Array(0..<301), Array(1_000..<1_300)).unmatched == 301)
    #expect(LineDifference(Array(0..<300), Array(1_000..<1_300)).unmatched == 0, "600 lines are compared exactly")
    #expect(LineDifference(Array(0..<100), Array(1_000..<1_600)).unmatched == 600)
    let both = LineDifference([7] + Array(0..<400) + [8], [7] + Array(1_000..<1_400) + [8])
    #expect(both.runs == [.init(left: 0, right: 0, count: 1), .init(left: 401, right: 401, count: 1)])
    #expect(both.unmatched == 400)
    // A line that stands twice in one of them is no anchor.
    let twice = LineDifference(
      Array(0..<300) + [9_999] + Array(300..<600), Array(1_000..<1_300) + [9_999, 5_000, 9_999])
    #expect(twice.runs.isEmpty && twice.unmatched == 601)
    let left = LineDifference(
      Array(1_000..<1_300) + [9_999, 5_000, 9_999], Array(0..<300) + [9_999] + Array(300..<600))
    #expect(left.runs.isEmpty && left.unmatched == 601)
    #expect(LineDifference([], []).runs.isEmpty && LineDifference([1], []).unmatched == 0)
  }

  /// Each level's anchor stands twice in the level around it, so it is seen only once that one is taken apart. What lies
  /// deeper than 40 levels is not looked at closely.
  @Test(arguments: [(39, true), (40, false)]) func partsAreTakenApartUpToADepth(_ levels: Int, _ isFound: Bool) {
    func text(_ own: Int) -> [Int] {
      let lines = (0..<300).map { own + $0 }
      return (1...levels).reduce(lines[..<150] + [-1] + lines[150...]) { inner, level in
        inner + [-1 - level, -level, own + 1_000 + level]
      }
    }
    let (one, other) = (text(10_000), text(20_000))
    let difference = LineDifference(one, other)
    let places = Set(difference.runs.flatMap { $0.left..<($0.left + $0.count) })
    #expect(places.contains(150) == isFound && difference.unmatched == (isFound ? 0 : 301))
    #expect(Set(places.map { one[$0] }).isSuperset(of: (1...(levels + 1)).map { -$0 }))
  }

  @Test func theSameAtTheBeginningIsCounted() {
    #expect(sharedCount([1, 2, 3], [1, 2, 4]) == 2 && sharedCount([1], [2]) == 0 && sharedCount([Int](), [1]) == 0)
    #expect(sharedCount([1, 2], [1, 2, 3]) == 2 && sharedCount([1, 2, 3, 1], [1, 9, 3, 1]) == 1)
  }

  // MARK: Long values

  /// Of a value of more than 2,000 bytes the part is kept where the two begin to differ.
  @Test func aLongValueIsKeptAroundItsDifference() {
    func row(_ left: String, _ right: String) -> CompareRow { CompareRow("l", left, right) }
    let short = String(repeating: "a", count: 2_000)
    #expect(row(short, short).left == short && row(short, "b").left == short && row("b", short).right == short)
    let long = short + "b"
    #expect(row(long, long).left == short + "…" && row(long, long).right == short + "…" && !row(long, long).differs)
    #expect(row(long, short).differs)
    #expect(row(long, short).left == "…" + String(repeating: "a", count: 200) + "b")
    #expect(row(long, short).right == "…" + String(repeating: "a", count: 200))
    #expect(row(long, "").left == short + "…" && row(long, "").right == "")
    let early = "x" + String(repeating: "y", count: 3_000)
    #expect(row(early, "z" + String(repeating: "y", count: 3_000)).left == String(early.prefix(2_000)) + "…")
    // A character that would be cut is left out, at either end.
    let wide = String(repeating: "日", count: 1_000)
    let kept = row(wide + "左", wide + "右")
    #expect(kept.left == "…" + String(repeating: "日", count: 66) + "左")
    #expect(row(wide, wide).left == String(repeating: "日", count: 666) + "…")
    #expect(row("日" + wide, "").left.utf8.count == 1_998 + 3)
    let mixed = "ab" + String(repeating: "é", count: 1_500)
    #expect(row(mixed, mixed).left == "ab" + String(repeating: "é", count: 998) + "…")
    #expect(row("a" + mixed, "a" + mixed).left == "aab" + String(repeating: "é", count: 998) + "…")
  }

  @Test func whatIsEachOnesOwnStandsBetweenWhatIsAlike() {
    func spans(_ left: String, _ right: String, _ dropping: Int = 0, _ width: Int = 40) -> String {
      let spans = CompareSpans(left, right, dropping: dropping, width: width)
      func text(_ side: CompareSpans.Side) -> String { "\(side.same)[\(side.own)]\(side.rest)" }
      return "\(text(spans.left)) \(text(spans.right))"
    }
    #expect(spans("", "") == "[] []" && spans("abc", "abc") == "abc[] abc[]" && spans("a", "b") == "[a] [b]")
    #expect(spans("abXcd", "abYYcd") == "ab[X]cd ab[YY]cd" && spans("aaa", "aa") == "aa[a] aa[]")
    #expect(spans("abcd", "ad") == "a[bc]d a[]d" && spans("", "x") == "[] [x]")
    #expect(spans("abXcd", "abYYcd", 1) == "b[X]cd b[YY]cd" && spans("abXcd", "abYYcd", 3) == "[]cd [Y]cd")
    #expect(spans("abXcd", "abYYcd", 4) == "[]d []cd" && spans("abXcd", "abYYcd", 99) == "[] []")
    // A difference beyond the width is brought into sight, with eight letters before it; what is the same stays.
    let head = String(repeating: "h", count: 31)
    #expect(spans(head + "X", head + "Y") == "…hhhhhhhh[X] …hhhhhhhh[Y]")
    #expect(
      spans(String(head.dropLast()) + "X", String(head.dropLast()) + "Y")
        == "\(head.dropLast())[X] \(head.dropLast())[Y]")
    #expect(spans(head + "X", head + "Y", 1) == "\(head.dropFirst())[X] \(head.dropFirst())[Y]")
    #expect(spans(head, head) == "\(head)[] \(head)[]")
    #expect(spans("123456789X", "123456789Y", 0, 4) == "…23456789[X] …23456789[Y]")
    #expect(spans("12345678X", "12345678Y", 0, 4) == "12345678[X] 12345678[Y]")
  }

  // MARK: The page

  @Test func anEmptyValueIsNotNone() {
    let rows = PairRows.headers(
      [HeaderField("A", ""), HeaderField("B", "")], [HeaderField("b", ""), HeaderField("C", "")])
    #expect(rows.map(\.differs) == [true, false, true] && rows.map(\.label) == ["A", "B", "C"])
  }

  @Test func factsThatAreNoOutcomeDoNotCount() {
    var (one, other) = (Exchange.make(1), Exchange.make(2, took: 99_000, process: "other"))
    one.response?.headers.append(HeaderField("dATE", "now"))
    other.response?.headers.append(HeaderField("Date", "later"))
    var page = ComparePage(one, other)
    #expect(page.differences == 0)
    #expect(
      told(page.rows) == """
          request: 1 | 2
          process: demo 4121 | other 4121
          method: GET | GET
          url: https://api.example.com/v1/users?page=2 | https://api.example.com/v1/users?page=2
          status: 200 OK | 200 OK
          by: network | network
          took: 34 ms | 99 ms
         — Request headers
          Accept: application/json | application/json
          User-Agent: demo/1.0 | demo/1.0
         — Response headers
          Content-Type: application/json | application/json
          dATE: now | later
         — Response body
          $.ok: true | true

        """)
    other.error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut", message: "late")
    other.response = nil
    (other.by, other.stub) = (.stub, "s")
    other.timing.end = nil
    page = ComparePage(one, other)
    #expect(
      told(page.rows.filter(\.differs)) == """
        ≠ status: 200 OK | —
        ≠ error: — | timed out: late
        ≠ by: network | ◆ s
        ≠ Content-Type: application/json |\u{20}
        ≠ $.ok: true |\u{20}

        """)
    #expect(page.differences == 5 && page.rows.contains { $0.label == "took" && $0.right == "—" && !$0.differs })
    #expect(ComparePage(sentOf: one) == nil)
  }

  @Test func keysMoveThePageWithinItsRows() {
    let headers = (0..<30).map { HeaderField("X-\($0)", String(repeating: "v", count: 120) + "\($0)") }
    var driver = ConsoleDriver(width: 100, height: 16)
    driver.add([.make(1, headers: headers), .make(2, status: 500, headers: headers)])
    driver.press("g m m D")
    func first() -> String { String(driver.lines[3].prefix { $0 != "│" }).trimmingCharacters(in: .whitespaces) }
    let labels = (driver.state.boxes.last as? ComparePage)?.rows.map(\.label) ?? []
    #expect(labels.count == 30 + 7 + 6)
    let page = 12
    var place = 0
    for (key, to) in [
      ("j", 1), ("down", 2), ("k", 1), ("up", 0), ("up", 0), ("pgdn", page), ("space", 2 * page), ("pgup", page),
      ("G", labels.count - 1), ("j", labels.count - 1), ("g", 0), ("end", labels.count - 1), ("home", 0), ("pgup", 0),
      ("x", 0),
    ] {
      driver.press(key)
      place = to
      #expect(first().contains(labels[place]), "\(key): \(first())")
    }
    func wheel(_ kind: MouseEvent.Kind) { driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: 3, y: 5))))) }
    for (kind, to) in [
      (.wheelDown, 3), (.wheelDown, 6), (.wheelUp, 3), (.wheelUp, 0), (.wheelUp, 0), (.press(.left), 0),
    ] as [(MouseEvent.Kind, Int)] {
      wheel(kind)
      #expect(first().contains(labels[to]), "\(kind): \(first())")
    }
    // Long values by twenty letters, and not beyond their beginning.
    driver.press("G k k k")
    func value() -> Int { driver.lines[3].filter { $0 == "v" }.count }
    let seen = value()
    #expect(seen > 0)
    driver.press("right right right right right")
    #expect(value() == 2 * 20)
    driver.press("left h h l")
    #expect(value() == seen)
    driver.press("h h h h")
    #expect(value() == seen)
    for key in ["q", "esc", "ctrl-c"] {
      var closed = driver
      closed.press(key)
      #expect(closed.state.boxes.isEmpty, "\(key)")
    }
  }

  @Test func aBarSaysWhereThePageIs() {
    let headers = (0..<30).map { HeaderField("X-\($0)", "v") }
    var driver = ConsoleDriver(width: 100, height: 16)
    driver.add([.make(1, headers: headers), .make(2, status: 500, headers: headers)])
    driver.press("g m m D")
    func bar() -> [Int] { driver.lines.indices.filter { driver.lines[$0].hasSuffix("┃") } }
    #expect(bar() == [3, 4, 5])
    driver.press("G")
    #expect(bar() == [12, 13, 14])
    driver.press("d")
    #expect(bar().isEmpty)
  }

  /// Where only differences are shown `n` and `N` go to each; `d` begins at the top.
  @Test func differencesAloneAreGoneThroughRowByRow() {
    let headers = [HeaderField("Content-Type", "text/plain")]
    var driver = ConsoleDriver(width: 100, height: 16)
    driver.add([
      .make(1, headers: headers, body: "a\nb\nc\nd"), .make(2, status: 500, headers: headers, body: "a\nx\ny\nz"),
    ])
    driver.press("g m m D G")
    for (key, first) in [
      ("d", "≠ status"), ("n", "≠ 2 "), ("n", "≠ 3 "), ("n", "≠ 4 "), ("n", "≠ 4 "), ("N", "≠ 3 "), ("N", "≠ 2 "),
      ("N", "≠ status"), ("N", "≠ status"), ("G", "≠ 4 "), ("d", "  request"),
    ] {
      driver.press(key)
      #expect(driver.lines[3].hasPrefix(first), "\(key): \(driver.screen)")
    }
  }

  @Test func thePageAtEveryWidth() throws {
    var (one, other) = (Exchange.make(1), Exchange.make(2, status: 404, body: "{\"ok\":false,\"a\":[1]}"))
    other.replayOf = 1
    other.request.url += "&more=" + String(repeating: "x", count: 60)
    one.response?.truncated = true
    one.response?.headers.append(
      HeaderField("X-A-Header-With-A-Name-That-Is-Longer-Than-Any-Column", "日本語\u{1B}"))
    var out = ""
    for width in [40, 47, 48, 70, 103, 104, 105, 160] {
      var driver = ConsoleDriver(width: width, height: 26)
      driver.send(.compared(ComparePage(one, other), [one, other], for: .compare))
      out += "== \(width)\n" + driver.screen + "\n"
      if width == 104 {
        driver.press("d")
        out += "== only differences\n" + driver.screen + "\n"
        driver.press("d l")
        out += "== long values\n" + driver.screen + "\n"
      }
    }
    var driver = ConsoleDriver(width: 100, height: 12)
    driver.send(.compared(ComparePage(one, one), [one, one], for: .compare))
    driver.press("d")
    out += "== the same\n" + driver.screen + "\n"
    try expectRecorded(out, "Walks/compare-widths.txt")
  }
}
