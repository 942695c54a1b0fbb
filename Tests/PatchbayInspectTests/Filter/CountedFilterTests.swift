import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// `count:` in the filters of checks.
@Suite(.bounded) struct CountedFilterTests {
  private func exchange(_ method: String, _ url: String, _ status: Int = 200) -> Exchange {
    var exchange = Exchange(
      id: 1, process: HarnessProcess(name: "demo", pid: 1), startedAt: .now,
      request: RecordedRequest(method: method, url: url))
    exchange.phase = .ended
    exchange.response = RecordedResponse(status: status)
    return exchange
  }

  @Test(
    arguments: [
      ("count:3", [0: false, 2: false, 3: true, 4: false]), ("count:>=2 host:a", [1: false, 2: true, 99: true]),
      ("host:a count:1..3", [0: false, 1: true, 3: true, 4: false]), ("count:0", [0: true, 1: false]),
      ("count:<2", [0: true, 1: true, 2: false]), ("count:<=2", [0: true, 2: true, 3: false]),
      ("count:>2", [2: false, 3: true]), ("count:=1", [0: false, 1: true]), ("host:a", [0: false, 1: true, 9: true]),
      ("(host:a | host:b) count:2", [2: true, 3: false]), ("COUNT:2", [2: true, 1: false]),
    ] as [(String, [Int64: Bool])])
  func saysHowMany(_ text: String, _ numbers: [Int64: Bool]) throws {
    let filter = try CountedFilter(parsing: text)
    for (number, fits) in numbers { #expect(filter.fits(number) == fits, "\(text) \(number)") }
    #expect(filter.text == text)
  }

  @Test func theRestIsTheFilter() throws {
    let filter = try CountedFilter(parsing: "method:GET count:2 path:/x")
    #expect(filter.filter.matches(exchange("GET", "http://a/x")))
    #expect(!filter.filter.matches(exchange("PUT", "http://a/x")))
    #expect(try CountedFilter(parsing: "count:2").filter.isEmpty)
    let quoted = try CountedFilter(parsing: "\"count:2\"")
    #expect(quoted.count == nil && quoted.filter.matches(exchange("GET", "http://a/?count:2")))
  }

  @Test(arguments: [
    ("count:x", 6), ("count:", 0), ("count:1,2", 0), ("count:1 count:2", 8), ("-count:1", 1), ("(count:1 a)", 1),
    ("a | b count:1", 6), ("count:1 a | b", 0), ("host:a hots:b", 7), ("count:5..2", 6), ("count:-1", 6),
  ]) func whatIsWrongHasItsPlace(_ text: String, _ column: Int) throws {
    do throws(FilterError) {
      _ = try CountedFilter(parsing: text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.range.lowerBound == column, "\(error)")
    }
  }

  @Test func elsewhereThereIsNoCount() {
    for text in ["count:3", "host:a count:>=2", "Count:1"] {
      #expect(throws: FilterError.self) { try Filter(parsing: text) }
    }
  }

  @Test func missesSayWhatDoesNotHold() throws {
    let filter = try CountedFilter(parsing: "method:PUT -status:5xx (path:/x | path:/y) count:1")
    let miss = try #require(filter.miss(exchange("GET", "http://a/x", 503)))
    #expect(miss.failing == ["method:PUT", "-status:5xx"] && miss.holding == 1)
    #expect(try CountedFilter(parsing: "a | b").miss(exchange("GET", "http://a/")) == nil)
  }

  @Test(
    arguments: [
      ("count:3", 3...3, "3"), ("count:>=2", 2...Int64.max, ">=2"), ("count:1..3", 1...3, "1..3"),
      ("count:<2", 0...1, "<2"), ("count:<=0", 0...0, "<=0"), ("count:0", 0...0, "0"), ("count:\"2\" a", 2...2, "2"),
      ("a", nil, "at least 1"), ("a cOUNT:>1", 2...Int64.max, ">1"),
    ] as [(String, ClosedRange<Int64>?, String)])
  func theCountIsKeptAsItWasWritten(_ text: String, _ count: ClosedRange<Int64>?, _ wanted: String) throws {
    let filter = try CountedFilter(parsing: text)
    #expect(filter.count == count && filter.wanted == wanted)
    #expect(filter.fits(0) == (count?.contains(0) ?? false) && filter.fits(.max) == (count?.contains(.max) ?? true))
  }

  @Test(arguments: [
    ("count:2 count:1", 8..<15, "`count:` is there twice"),
    ("a (b count:2)", 5..<12, "`count:` stands once, outside of all parentheses and without a sign"),
    ("(a) !count:2", 5..<12, "`count:` stands once, outside of all parentheses and without a sign"),
    ("a | b | c count:2", 10..<17, "with `count:` the alternatives belong in parentheses: (a | b) count:2"),
    ("count:", 0..<6, "expected a number such as 3, >=2 or 1..3"),
    ("a count:1,2", 2..<11, "expected a number such as 3, >=2 or 1..3"),
    ("count:x", 6..<7, "expected a number such as 17, >17 or 17..20"),
    ("count:>9223372036854775807", 6..<26, "nothing is more than that"),
  ])
  func whatIsWrongIsSaid(_ text: String, _ range: Range<Int>, _ message: String) {
    let error = #expect(throws: FilterError.self) { try CountedFilter(parsing: text) }
    #expect(error?.message == message && error?.range == range)
  }

  @Test func alternativesStandFreelyWithoutACountAndInParenthesesWithOne() throws {
    #expect(try CountedFilter(parsing: "a | b").filter == Filter(parsing: "a | b"))
    let filter = try CountedFilter(parsing: "(a | b) count:2 -c")
    #expect(filter.filter.expression == (try Filter(parsing: "(a | b) -c").expression))
    #expect(filter.filter.text == "(a | b)         -c", "places in it are those of what was written")
  }

  // MARK: Misses

  /// What does not hold, how many conditions do, and how many letters of what was asked for stand in the URL.
  @Test(
    arguments: [
      // The whole URL, its host, its path: from their beginnings.
      ("path:/v1/userz", ["path:/v1/userz"], 0, 8), ("host:api.exampel.com", ["host:api.exampel.com"], 0, 13),
      ("https://api.example.com/v3", ["https://api.example.com/v3"], 0, 25),
      // And from their ends; never more than there are letters.
      ("path:*/old/users", ["path:*/old/users"], 0, 7), ("url:*page=3", ["url:*page=3"], 0, 0),
      ("query:xpage=2", ["query:xpage=2"], 0, 6), ("host:api.example.org.com", ["host:api.example.org.com"], 0, 16),
      ("path:~^/v1/usersx$", ["path:~^/v1/usersx$"], 0, 9), ("PATH:/V1/USERZ", ["PATH:/V1/USERZ"], 0, 8),
      ("path:\"/v1/userz\"", ["path:\"/v1/userz\""], 0, 8),
      // Of fewer than three letters nothing is said, but where something else holds.
      ("path:/v1x", ["path:/v1x"], 0, 3), ("path:/z method:GET", ["path:/z"], 1, 0),
      ("path:/vx method:GET", ["path:/vx"], 1, 2), ("zz method:GET", ["zz"], 1, 0), ("zzz method:GET", ["zzz"], 1, 0),
      ("method:PUT host:api -status:5xx count:1", ["method:PUT"], 2, 0),
      ("-host:api method:GET", ["-host:api"], 1, 0),
      ("(zz | path:/v1/userz) method:GET", ["(zz | path:/v1/userz)"], 1, 0),
      ("!host:api method:GET", ["!host:api"], 1, 0), ("-(host:api zz) status:404", ["status:404"], 1, 0),
      ("method:PUT status:404 host:api", ["method:PUT", "status:404"], 1, 0),
      ("path:/v1/userz host:api.exampel.com", ["path:/v1/userz", "host:api.exampel.com"], 0, 13),
    ] as [(String, [String], Int, Int)])
  func aMissSaysHowNearItComes(_ text: String, _ failing: [String], _ holding: Int, _ likeness: Int) throws {
    let near = exchange("GET", "https://api.example.com/v1/users?page=2")
    let miss = try CountedFilter(parsing: text).miss(near)
    let expected = CountedFilter.Miss(failing: failing, holding: holding, likeness: likeness)
    #expect(miss == (holding > 0 || likeness >= 3 ? expected : nil))
  }

  @Test(arguments: ["zz", "qqq", "-host:api", "(path:/v1/userz)", "method:PUT", "", "a | b", "path:/vx"])
  func whatIsFarOffIsNoMiss(_ text: String) throws {
    let filter = try CountedFilter(parsing: text)
    #expect(filter.miss(exchange("GET", "https://api.example.com/v1/users?page=2")) == nil)
  }

  @Test(arguments: [
    ("", 0), ("nowhere", 0), ("a:", 0), ("http:/", 0), ("http://", 0), ("http://x?y#z", 1), ("/v1/usersx", 9),
    ("http://h/v1/user", 8), ("http://h/v1/users/7?q", 9), ("http://h/a/v1/users", 1), ("http://h/v1", 3),
    ("http://h?/v1/users", 9), ("HTTP://H/V1/USERX", 8),
  ])
  func anyURLCanBeMissed(_ url: String, _ likeness: Int) throws {
    let filter = try CountedFilter(parsing: "path:/v1/usersz method:GET")
    let miss = CountedFilter.Miss(failing: ["path:/v1/usersz"], holding: 1, likeness: likeness)
    #expect(filter.miss(exchange("GET", url)) == miss)
  }
}
