import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct CompareTests {
  private func rows(_ left: String?, _ right: String?, type: String = "text/plain") -> [CompareRow] {
    let headers = [HeaderField("Content-Type", type)]
    return ComparePage(.make(1, headers: headers, body: left), .make(2, headers: headers, body: right)).rows
  }

  private func differing(_ rows: [CompareRow]) -> [String] {
    rows.filter { $0.differs && $0.label != "request" }.map { "\($0.label): \($0.left) | \($0.right)" }
  }

  @Test func headersAreComparedByNameWithoutRegardToCaseOrOrder() {
    let one = [
      HeaderField("A", "1"), HeaderField("B", "2"), HeaderField("Set-Cookie", "x"), HeaderField("Set-Cookie", "y"),
    ]
    let other = [HeaderField("b", "2"), HeaderField("a", "9"), HeaderField("set-cookie", "x"), HeaderField("C", "3")]
    let page = ComparePage(.make(1, headers: one, body: "x"), .make(2, headers: other, body: "x"))
    #expect(differing(page.rows) == ["A: 1 | 9", "Set-Cookie: x, y | x", "C:  | 3"])
  }

  @Test func jsonIsComparedByKeyPath() {
    let one = #"{"b":[1,{"c":"い"}],"a":1.0,"k é y":{"x":null},"gone":[true]}"#
    let other = #"{"a":1.00,"b":[1,{"c":"ろ"},{}],"k é y":{"x":null},"b2":"new"}"#
    #expect(
      differing(rows(one, other, type: "application/json")) == [
        #"$.b[1].c: "い" | "ろ""#, "$.b[2]:  | {}", "$.a: 1.0 | 1.00", "$.gone[0]: true | ", #"$.b2:  | "new""#,
      ])
    #expect(rows(one, one, type: "application/json").contains { $0.label == #"$["k é y"].x"# && $0.left == "null" })
  }

  @Test func jsonOfAnotherShapeShowsBothSides() {
    #expect(
      differing(rows(#"{"a":{"b":1}}"#, #"{"a":[2,3]}"#, type: "application/json")) == [
        "$.a.b: 1 | ", "$.a[0]:  | 2", "$.a[1]:  | 3",
      ])
    #expect(differing(rows(#"{"a":1}"#, nil, type: "application/json")) == ["$.a: 1 | "])
    #expect(differing(rows(#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#, type: "application/json")) == ["$.a: 2 | 3"])
  }

  @Test func textIsComparedByLine() {
    #expect(
      differing(rows("一\n二\n三\n四", "一\n二と半\n三\nnew\n四")) == ["2: 二 | 二と半", "4:  | new"])
    let shifted = rows("a\nb\nc", "x\na\nb\nc").filter { $0.label.contains("/") }.map(\.label)
    #expect(shifted == ["1 / 2", "2 / 3", "3 / 4"])
  }

  @Test func otherCharsetsAndFormsAreReadAsWhatTheyAre() throws {
    var (one, other) = (Exchange.make(1), Exchange.make(2))
    let type = [HeaderField("Content-Type", "text/plain; charset=Shift_JIS")]
    one.response = RecordedResponse(status: 200, headers: type, body: Data([0x93, 0xFA, 0x96, 0x7B]))
    other.response = RecordedResponse(status: 200, headers: type, body: Data([0x93, 0xFA, 0x8C, 0xEA]))
    #expect(differing(ComparePage(one, other).rows) == ["1: 日本 | 日語"])
    #expect(
      differing(rows("a=1&b=%E6%97%A5", "b=x&a=1", type: "application/x-www-form-urlencoded")) == ["b: 日 | x"])
  }

  @Test func bytesAreComparedByWhereTheyDiffer() {
    var (one, other) = (Exchange.make(1), Exchange.make(2))
    one.response?.body = Data([0, 255, 1, 2])
    other.response?.body = Data([0, 255, 1, 3, 4])
    let rows = ComparePage(one, other).rows.filter(\.differs)
    #expect(rows.first?.label == "size")
    #expect(rows.contains { $0.label == "byte 0" && $0.left == "00 ff 01 02" && $0.right == "00 ff 01 03 04" })
  }

  @Test func megabytesOfLinesAreComparedThroughoutAndCountedWhereTheyAreTheSame() {
    var one = (0..<60_000).map { "line \($0) 日本語 and some more" }
    var other = one
    one[10] = "left"
    other[30_000] = "right"
    other.insert("new", at: 45_000)
    one.remove(at: 50_000)
    let rows = rows(one.joined(separator: "\n"), other.joined(separator: "\n"))
    #expect(
      differing(rows) == [
        "11: left | line 10 日本語 and some more", "30001: line 30000 日本語 and some more | right", "45001:  | new",
        "50002:  | line 50000 日本語 and some more",
      ])
    #expect(rows.contains { $0.kind == .note && $0.label == "⋯ 29,983 lines the same" })
    #expect(rows.count < 60)
  }

  @Test func linesWithNothingInCommonStandSideBySideAndThatIsSaid() {
    let one = (0..<3_000).map { "a\($0)" }.joined(separator: "\n")
    let other = (0..<3_500).map { "b\($0)" }.joined(separator: "\n")
    let rows = rows(one, other)
    #expect(rows.contains { $0.left == "a2999" && $0.right == "b2999" })
    #expect(rows.last?.label == "3,500 lines have nothing in common and stand side by side in their order.")
  }

  @Test func tooManyDifferencesAreCutAndThatIsSaid() {
    let one = (0..<20_000).map { "a\($0)" }.joined(separator: "\n")
    let rows = rows(one, one.replacing("a", with: "b"))
    #expect(rows.contains { $0.label == "The rest is left out: more than 10,000 rows." && $0.differs })
    let json = (0..<9_000).map { "\($0)" }.joined(separator: ",")
    let values = self.rows("[0,\(json)]", "[1,\(json.replacing("1", with: "2"))]", type: "application/json")
    #expect(values.contains { $0.kind == .note && $0.differs && $0.label.hasSuffix("differ and are left out.") })
  }

  @Test func largeJSONIsComparedByKeyPathAndShowsWhatDiffers() {
    let items = (0..<20_000).map { #"{"id":\#($0),"name":"名前\#($0)"}"# }
    var others = items
    others[19_999] = #"{"id":19999,"name":"別"}"#
    let rows = rows(
      "[\(items.joined(separator: ","))]", "[\(others.joined(separator: ","))]", type: "application/json")
    #expect(differing(rows) == [#"$[19999].name: "名前19999" | "別""#])
    #expect(rows.last?.label == "⋯ 39,999 values the same")
  }

  @Test func ofAVeryLongLineThePlaceIsShownWhereItDiffers() throws {
    let one = String(repeating: "あ", count: 500_000)
    let row = try #require(rows(one + "左", one + "右").first { $0.label == "1" })
    #expect(row.differs && row.left.hasPrefix("…あ") && row.left.hasSuffix("あ左") && row.right.hasSuffix("あ右"))
    #expect(row.left.utf8.count < 2_100)
  }

  @Test func theWayOfTheExactComparisonDoesNotChangeWhatIsTheSame() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let one = (0..<Int.random(in: 0...40, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
      let other = (0..<Int.random(in: 0...40, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
      let runs = LineDifference(one, other).runs
      var (left, right) = (0, 0)
      for run in runs {
        #expect(run.left >= left && run.right >= right)
        #expect(one[run.left..<(run.left + run.count)].elementsEqual(other[run.right..<(run.right + run.count)]))
        (left, right) = (run.left + run.count, run.right + run.count)
      }
      let longest = one.count - other.difference(from: one).removals.count
      #expect(runs.reduce(0) { $0 + $1.count } == longest)
    }
  }

  @Test func longValuesAreShownWhereTheyDiffer() {
    let spans = CompareSpans(
      "https://example.com/a/long/path?page=1&x", "https://example.com/a/long/path?page=22&x", dropping: 0, width: 20)
    #expect(spans.left == .init(same: "…th?page=", own: "1", rest: "&x"))
    #expect(spans.right == .init(same: "…th?page=", own: "22", rest: "&x"))
    #expect(CompareSpans("日本", "日語", dropping: 0, width: 40).left == .init(same: "日", own: "本", rest: ""))
    #expect(CompareSpans("abc", "abd", dropping: 5, width: 40).left == .init(same: "", own: "", rest: ""))
  }

  @Test func onlyTheDifferencesCanBeShown() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2, status: 500)])
    driver.press("g m m D")
    #expect(driver.shows("1 difference, marked ≠"))
    #expect(driver.shows("2  ✗ 500"))
    #expect(driver.shows("User-Agent"))
    driver.press("d")
    #expect(
      driver.shows("500 Internal Server Error") && !driver.shows("User-Agent") && !driver.shows("─ Request headers"))
    driver.press("d n")
    #expect(driver.shows("User-Agent"))
    driver.press("esc")
    #expect(!driver.shows("Compare"))
  }

  @Test func megabytesAreComparedAwayFromTheKeys() {
    var driver = ConsoleDriver()
    let body = String(repeating: "line\n", count: 100_000)
    driver.add([.make(1, body: body), .make(2, body: body + "more")])
    driver.press("g m m D")
    #expect(driver.effects.contains { if case .compare = $0 { true } else { false } })
    #expect(driver.shows("100001"))
  }

  /// `n` and `N` go to where the next run of differences begins, and stay where there is none.
  @Test func withNothingMarkedThePreviousAnswerOfTheEndpointIsTheOther() {
    var driver = ConsoleDriver()
    driver.add([
      .make(1, "GET", "https://api.example.com/users/7?a=1"), .make(2, "POST", "https://api.example.com/users/7"),
      .make(3, "GET", "https://api.example.com:8443/users/7"), .make(4, "GET", "https://api.example.com/users/9?b=2"),
    ])
    driver.press("g j j D")
    #expect(driver.shows("Nothing earlier of this endpoint is recorded."))
    driver.press("G D")
    #expect(driver.effects.contains(.fetchWithPrevious(4, for: .compare)))
    #expect(driver.shows("users/7?a=1") && driver.shows("users/9?b=2") && !driver.shows("8443"))
  }

  @Test func goesFromDifferenceToDifference() throws {
    let same = "abcdefghi".map { "even \($0)" }
    let left = (["alpha 1"] + same + ["bravo 1", "more 1"] + same + ["charlie 1"]).joined(separator: "\n")
    let headers = [HeaderField("Content-Type", "text/plain")]
    var driver = ConsoleDriver(width: 100, height: 16)
    driver.add([
      .make(1, headers: headers, body: left),
      .make(2, headers: headers, body: left.replacingOccurrences(of: " 1\n", with: " 2\n") + "0"),
    ])
    driver.press("g m m D n")
    let row = try #require(driver.lines.firstIndex { $0.contains("≠") && $0.contains("alpha 2") })
    func isFirst(_ text: String) -> Bool { driver.lines[row].contains("≠") && driver.lines[row].contains(text) }
    for (key, text) in [
      ("n", "bravo 2"), ("n", "charlie 10"), ("n", "charlie 10"), ("N", "bravo 2"), ("N", "alpha 2"), ("N", "alpha 2"),
    ] {
      driver.press(key)
      #expect(isFirst(text), "\(key): \(driver.lines[row])")
    }
  }
}
