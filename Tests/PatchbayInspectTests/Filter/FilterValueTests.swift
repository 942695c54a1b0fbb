import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// What the values behind a key are read as: numbers with signs and units, moments, words.
@Suite(.bounded) struct FilterValueTests {
  static func term(_ text: String) throws -> FilterTerm? {
    guard case .term(let term) = try Filter(parsing: text).expression else { return nil }
    return term
  }

  @Test(
    arguments: [
      ("1xx", 100...199), ("5xx", 500...599), ("9XX", 900...999), ("40x", 400...409), ("99X", 990...999),
      ("404", 404...404), ("100", 100...100), ("999", 999...999), ("=404", 404...404), ("=4xx", 400...499),
      (">=4xx", 400...Int.max), (">4xx", 500...Int.max), (">404", 405...Int.max), (">=404", 404...Int.max),
      ("<4xx", Int.min...399), ("<=4xx", Int.min...499), ("<=404", Int.min...404), ("<404", Int.min...403),
      ("200..299", 200...299), ("2xx..3xx", 200...399), ("2xx..404", 200...404), ("404..404", 404...404),
      ("40x..401", 400...401),
    ] as [(String, ClosedRange<Int>)])
  func statuses(_ text: String, _ range: ClosedRange<Int>) throws {
    #expect(try Self.term("status:\(text)") == .status([range]))
  }

  @Test(arguments: [
    "x", "xxx", "0xx", "000", "099", "10", "1", "1000", "4x4", "4x", "x4x", "4xxx", "40a", "-1", "", ">", "=", "..",
    "200..", "..200", "404..403", "5xx..4xx", "2xx..x", "４04", ">=", "=>404", ">>4xx", "404 ", "1_0",
  ])
  func whatIsNoStatus(_ text: String) {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: "status:\"\(text)\"") }
    guard !text.isEmpty else { return }
    #expect(error?.message == "expected a status such as 404, 5xx, >=400 or 400..499")
    #expect(error?.range == 8..<8 + text.count && error?.suggestion == nil)
  }

  /// Microseconds. Without a sign it is what would be written like it; a number without a unit is of milliseconds.
  @Test(
    arguments: [
      ("0", 0...0), ("1", 1_000...1_999), ("34ms", 34_000...34_999), ("1us", 1...1), ("7µs", 7...7),
      ("2s", 2_000_000...2_999_999), ("1.5s", 1_500_000...1_599_999), ("1.50s", 1_500_000...1_509_999),
      ("0.0s", 0...99_999), ("0s", 0...0), ("1m", 60_000_000...119_999_999), ("1min", 60_000_000...119_999_999),
      ("1h", 3_600_000_000...7_199_999_999), ("1d", 86_400_000_000...172_799_999_999),
      ("1.25us", 1...1), ("0.999us", 0...0), ("1.000000001d", 86_400_000_086...86_400_000_171),
      ("0.999999999d", 86_399_999_913...86_399_999_998), ("1S", 1_000_000...1_999_999),
      (">1s", 1_000_001...Int64.max), (">=1s", 1_000_000...Int64.max), ("<1s", Int64.min...999_999),
      ("<=1s", Int64.min...1_000_000), ("=1s", 1_000_000...1_999_999), ("1s..2s", 1_000_000...2_999_999),
      ("1..2", 1_000...2_999), ("0..0", 0...0), ("<=0", Int64.min...0), (">0", 1...Int64.max),
      (">=0", 0...Int64.max), ("2305843009213693951us", 2_305_843_009_213_693_951...2_305_843_009_213_693_951),
    ] as [(String, ClosedRange<Int64>)])
  func durations(_ text: String, _ range: ClosedRange<Int64>) throws {
    #expect(try Self.term("time:\(text)") == .time([range]))
  }

  @Test(arguments: [
    "x", "s", "1x", "1 s", "-1s", "1.2.3s", "1.s", ".5s", "1.1234567890s", "9223372036855s", "2305843009213693952us",
    "99999999999999999999", "1s..", "..1s", "2s..1s", ">", "1s..x", "1kb", "١s",
  ])
  func whatIsNoDuration(_ text: String) {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: "time:\"\(text)\"") }
    #expect(error?.message == "expected a duration such as >500ms, <2s or 1s..5s" && error?.range == 6..<6 + text.count)
  }

  @Test(
    arguments: [
      ("0", 0...0), ("1", 1...1), ("12b", 12...12), ("1k", 1_000...1_999), ("1kB", 1_000...1_999),
      ("1.5kb", 1_500...1_599), ("1m", 1_000_000...1_999_999), ("1MB", 1_000_000...1_999_999),
      ("1g", 1_000_000_000...1_999_999_999), ("2gb", 2_000_000_000...2_999_999_999), ("1KiB", 1_024...2_047),
      ("1mib", 1_048_576...2_097_151), ("1gib", 1_073_741_824...2_147_483_647), ("0.5kib", 512...613),
      (">1kb", 1_001...Int64.max), ("1kb..1mb", 1_000...1_999_999),
    ] as [(String, ClosedRange<Int64>)])
  func sizes(_ text: String, _ range: ClosedRange<Int64>) throws {
    #expect(try Self.term("size:\(text)") == .size([range]))
  }

  @Test(
    arguments: [
      ("0", 0...0), ("17", 17...17), ("17..20", 17...20), (">17", 18...Int64.max), (">=17", 17...Int64.max),
      ("<17", Int64.min...16), ("<=17", Int64.min...17), ("=17", 17...17), ("<1", Int64.min...0),
      ("9223372036854775807", Int64.max...Int64.max), (">9223372036854775806", Int64.max...Int64.max),
      (">=9223372036854775807", Int64.max...Int64.max), ("<=9223372036854775807", Int64.min...Int64.max),
    ] as [(String, ClosedRange<Int64>)])
  func numbers(_ text: String, _ range: ClosedRange<Int64>) throws {
    #expect(try Self.term("id:\(text)") == .id([range]))
    #expect(try Self.term("run:\(text)") == .run([.numbers(range)]))
  }

  @Test(arguments: [
    ("id:>9223372036854775807", "nothing is more than that", 3..<23),
    ("id:<0", "nothing is less than that", 3..<5), ("time:<0", "nothing is less than that", 5..<7),
    ("size:<0b", "nothing is less than that", 5..<8), ("id:1,<0", "nothing is less than that", 5..<7),
    ("id:9223372036854775808", "expected a number such as 17, >17 or 17..20", 3..<22),
    ("id:1.5", "expected a number such as 17, >17 or 17..20", 3..<6),
    ("id:-1", "expected a number such as 17, >17 or 17..20", 3..<5),
    ("id:17..16", "expected a number such as 17, >17 or 17..20", 3..<9),
    ("run:x", "expected last, or a number such as 3, >3 or 2..4", 4..<5),
    ("run:>9223372036854775807", "expected last, or a number such as 3, >3 or 2..4", 4..<24),
    ("run:1,,x", "expected last, or a number such as 3, >3 or 2..4", 7..<8),
    ("id:", "\"id\" needs a value", 3..<3), ("id:,", "\"id\" needs a value", 4..<4),
    ("ID:,,", "\"ID\" needs a value", 5..<5),
    ("marked:", "expected yes or no", 7..<7), ("since:", Self.noMoment, 6..<6), ("before:x", Self.noMoment, 7..<8),
    ("by:nobody", "\"nobody\" is none of network, stub, code, person, console, cache", 3..<9),
    ("size:-1", "expected a size such as >1MB, <10kB or 0", 5..<7),
  ])
  func whatIsWrongIsSaidWithItsPlace(_ text: String, _ message: String, _ range: Range<Int>) {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: text) }
    #expect(error?.message == message && error?.range == range)
  }

  private static let noMoment =
    "expected a time such as 10m, 2h, 1d, 12:30, 2026-01-31 or 2026-01-31T12:30:00Z"

  @Test func listsTakeEachValueAndPassOverEmptyOnes() throws {
    #expect(try Self.term("id:1,,3..4,") == .id([1...1, 3...4]))
    #expect(try Self.term("status:404,5xx") == .status([404...404, 500...599]))
    #expect(try Self.term("run:LAST,2") == .run([.last, .numbers(2...2)]))
    #expect(try Self.term("by:STUB,code,stub") == .by([.stub, .code]))
    #expect(try Self.term("is:Held,bad") == .state([.held, .bad]))
    #expect(try Self.term("method:get,POST") == .method([.exactly("get"), .exactly("POST")]))
    #expect(try Self.term("host:a,b*") == .text(.host, [FilterText("a"), FilterText("b*")]))
    #expect(try Self.term("host:,a,") == .text(.host, [FilterText("a")]))
    #expect(try Self.term("host:") == .text(.host, [FilterText("")]))
    #expect(try Self.term("host:\"a,b\"") == .text(.host, [FilterText("a,b")]))
    #expect(try Self.term("host:~a,b") == .text(.host, [FilterText("~a,b")]))
    #expect(try Self.term("path:/a,b") == .text(.path, [FilterText("/a,b")]), "one text")
  }

  @Test(arguments: [
    ("yes", true), ("TRUE", true), ("y", true), ("no", false), ("False", false), ("n", false),
  ])
  func yesAndNo(_ text: String, _ marked: Bool) throws {
    #expect(try Self.term("marked:\(text)") == .marked(marked))
  }

  @Test(arguments: [
    ("", FilterField.url), ("url:", .url), ("host:", .host), ("path:", .path), ("query:", .query), ("type:", .type),
    ("stub:", .stub), ("process:", .process), ("error:", .error), ("op:", .operation), ("tag:", .tag),
    ("note:", .note), ("header:", .header), ("reqbody:", .requestBody), ("resbody:", .responseBody), ("body:", .body),
  ])
  func whichTextAKeyLooksAt(_ key: String, _ field: FilterField) throws {
    #expect(try Self.term(key + "word") == .text(field, [FilterText("word")]))
    #expect(try Self.term(key.uppercased() + "word") == .text(field, [FilterText("word")]))
    let looksIntoBodies = [.body, .requestBody, .responseBody].contains(field)
    #expect(try Filter(parsing: "-(a | \(key)word)").needsBodies == looksIntoBodies)
  }

  // MARK: Moments

  @Test(
    arguments: [
      ("2026-01-31T12:30:00Z", 1_769_862_600_000_000), ("2026-01-31T12:30:00z", 1_769_862_600_000_000),
      ("2026-01-31T12:30Z", 1_769_862_600_000_000), ("2026-01-31 12:30:59Z", 1_769_862_659_000_000),
      ("2026-01-31T12:30:60Z", 1_769_862_660_000_000), ("2026-01-31T00:00:00Z", 1_769_817_600_000_000),
      ("2026-01-31T23:59:59Z", 1_769_903_999_000_000), ("2026-01-31T12:30:00.5Z", 1_769_862_600_500_000),
      ("2026-01-31T12:30:00.0Z", 1_769_862_600_000_000), ("2026-01-31T12:30:00.000001Z", 1_769_862_600_000_001),
      ("2026-01-31T12:30:00.1234567Z", 1_769_862_600_123_456), ("2026-01-31T12:30:00.007Z", 1_769_862_600_007_000),
      ("2026-01-31T12:30:00+00:00", 1_769_862_600_000_000), ("2026-01-31T12:30:00+09:30", 1_769_828_400_000_000),
      ("2026-01-31T12:30:00-23:59", 1_769_948_940_000_000), ("2026-01-31T12:30-00:01", 1_769_862_660_000_000),
      ("1970-01-01T00:00:00Z", 0), ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000_000), ("1970-12-01T0:0:0Z", 28_857_600_000_000),
    ] as [(String, Int64)])
  func momentsWithAZone(_ text: String, _ microseconds: Int64) {
    #expect(MomentReader.moment(text) == .at(Timestamp(microseconds: microseconds)))
  }

  @Test(arguments: [
    ("2026-01-31", [2026, 1, 31, 0, 0, 0]), ("2026-07-01", [2026, 7, 1, 0, 0, 0]),
    ("2026-07-01T13:45", [2026, 7, 1, 13, 45, 0]), ("2026-12-24 18:05:09", [2026, 12, 24, 18, 5, 9]),
  ])
  func momentsWithoutAZoneAreLocal(_ text: String, _ parts: [Int]) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let date = try #require(
      calendar.date(
        from: DateComponents(
          year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])))
    let microseconds = Int64(date.timeIntervalSince1970) * 1_000_000
    #expect(MomentReader.moment(text) == .at(Timestamp(microseconds: microseconds)))
  }

  @Test func aTimeOfDayIsOfToday() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    func wanted() -> Date? { calendar.date(bySettingHour: 12, minute: 30, second: 5, of: Date()) }
    let before = try #require(wanted())
    let moment = try #require(MomentReader.moment("12:30:05"))
    let after = try #require(wanted())
    let expected = [before, after].map {
      FilterMoment.at(Timestamp(microseconds: Int64($0.timeIntervalSince1970) * 1_000_000))
    }
    #expect(expected.contains(moment))
    #expect(MomentReader.moment("12:30:05Z") != nil && MomentReader.moment("12:30:05+01:00") != nil)
  }

  @Test(arguments: [
    ("10m", 600_000_000), ("0s", 0), ("1d", 86_400_000_000), ("1.5h", 5_400_000_000), ("1us", 1),
  ]) func durationsAreThatLongAgo(_ text: String, _ microseconds: Int64) {
    #expect(MomentReader.moment(text) == .ago(microseconds))
    let now = Timestamp(microseconds: 1_000_000)
    #expect(FilterMoment.ago(microseconds).resolved(now: now).microseconds == 1_000_000 - microseconds)
    #expect(FilterMoment.at(Timestamp(microseconds: 5)).resolved(now: now).microseconds == 5)
  }

  @Test(arguments: [
    "", "10", "x", "T", "1969-12-31", "10000-01-01", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32", "2026-01",
    "2026-01-01-01", "2026-01-31T", "2026-01-31T12", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
    "2026-01-31T12:30:00.-5Z",
    "2026-01-31T12:00:61Z", "2026-01-31T12:00:00:00Z", "2026-01-31T12:30:00.Z", "2026-01-31T12:30:00.xZ",
    "2026-01-31T12:30:00+24:00", "2026-01-31T12:30:00+09:60", "2026-01-31T12:30:00+09", "2026-01-31T12:30:00+9:0:0",
    "2026-01-31T12:30T13:30", "2026-01-31 12:30 13:30", "2026-01-31TxxZ", "24:00", "12:60", "12:00:61", "12", "a:b",
    "2026-xx-01", "-1:30", "2026-01-31T-1:30",
  ])
  func whatIsNoMoment(_ text: String) {
    #expect(MomentReader.moment(text) == nil)
  }
}
