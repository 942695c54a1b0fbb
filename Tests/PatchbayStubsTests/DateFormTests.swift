import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Dates as templates write them, beside the formatter of Foundation.
@Suite(.bounded) struct DateFormTests {
  private static let moments: [(seconds: Double, name: String)] = [
    (0, "1970"), (1_795_309_323.004, "2026"), (951_826_554.5, "leap"), (-1.25, "before"), (1_735_732_799.999, "last"),
    (1_735_732_800, "noon"),
    (1_735_729_200, "eleven"), (1_735_776_000, "midnight"),
  ]

  /// Beside the formatter of Foundation.
  @Test(
    arguments: [
      "y", "yy", "yyy", "yyyy", "M", "MM", "MMM", "MMMM", "d", "dd", "E", "EE", "EEE", "EEEE", "H", "HH", "h", "hh",
      "m",
      "mm", "s", "ss", "S", "SS", "SSS", "a",
      "X", "yyyy-MM-dd'T'HH:mm:ss.SSS", "''yyyy''", "'o''c'", "d. MMMM yyyy, h:mm a", "日yyyy", "Z",
    ] as [String])
  func datesAreThoseOfFoundation(_ form: String) throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = form
    let own = try DateForm(form)
    for (seconds, name) in Self.moments {
      let date = Date(timeIntervalSince1970: seconds)
      guard form != "'o''c'" else { continue }
      #expect(own.text(date) == formatter.string(from: date), "\(name)")
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (0.001, "1970-01-01T00:00:00.001Z"), (-0.25, "1969-12-31T23:59:59.750Z"),
      (-1, "1969-12-31T23:59:59.000Z"),
      (1_795_309_323.004, "2026-11-22T01:02:03.004Z"), (0.9999, "1970-01-01T00:00:00.999Z"),
      (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
    ] as [(Double, String)])
  func timestamps(_ seconds: Double, _ text: String) {
    #expect(TemplateContext.rfc3339(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test(
    arguments: [
      ("SSSSSS", "004000"), ("SSSSSSSSS", "004000000"), ("S", "0"), ("SS", "00"), ("SSSS", "0040"), ("XX", "Z"),
      ("XXX", "Z"), ("z", "UTC"), ("zzz", "UTC"), ("Z", "+0000"), ("'T'", "T"),
      ("''", "'"), ("'a''b'", "ab"), (" - ", " - "), ("", ""), ("yyyy''MM", "2026'11"), ("'it''s'", "its"),
    ] as [(String, String)])
  func partsOfADate(_ form: String, _ text: String) throws {
    #expect(try DateForm(form).text(Date(timeIntervalSince1970: 1_795_309_323.004)) == text)
  }

  @Test(
    arguments: [
      ("yyyyy", "`yyyyy` is too long for a date's form; write yyyy at most"),
      ("MMMMM", "`MMMMM` is too long for a date's form; write MMMM at most"),
      ("ddd", "`ddd` is too long for a date's form; write dd at most"),
      ("EEEEE", "`EEEEE` is too long for a date's form; write EEEE at most"),
      ("HHH", "`HHH` is too long for a date's form; write HH at most"),
      ("hhh", "`hhh` is too long for a date's form; write hh at most"),
      ("mmm", "`mmm` is too long for a date's form; write mm at most"),
      ("sss", "`sss` is too long for a date's form; write ss at most"),
      ("SSSSSSSSSS", "`SSSSSSSSSS` is too long for a date's form; write SSSSSSSSS at most"),
      ("aa", "`aa` is too long for a date's form; write a at most"),
      ("XXXX", "`XXXX` is too long for a date's form; write XXX at most"),
      ("ZZ", "`ZZ` is too long for a date's form; write Z at most"),
      ("zzzz", "`zzzz` is too long for a date's form; write zzz at most"),
      ("'T", "a `'` in the form of the date is not closed"),
      ("Q", "`Q` is no part of a date's form; write yyyy MM dd HH mm ss SSS, and letters that mean themselves as 'T'"),
      (
        "yyyy-TT",
        "`TT` is no part of a date's form; write yyyy MM dd HH mm ss SSS, and letters that mean themselves as 'T'"
      ),
    ] as [(String, String)])
  func whatIsNoFormOfADate(_ form: String, _ sentence: String) {
    #expect(throws: StubError(sentence)) { _ = try DateForm(form) }
  }
}
