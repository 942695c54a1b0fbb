import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Dates and times of day, beside a calendar that counts day by day.
@Suite(.bounded) struct MomentTests {
  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func length(_ month: Int, of year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static let day: Int64 = 86_400_000_000

  /// The days at the ends of each month of the years 1970 to 2401, and of the four hundred before them.
  @Test func daysHaveTheirDates() {
    var (year, month, date) = (1970, 1, 1)
    var wrong: [Int64] = []
    for days in Int64(0)..<157_800 {
      if date == 1 || date > 27, Moment.day(Timestamp(microseconds: days * Self.day + 1)) != (year, month, date) {
        wrong.append(days)
      }
      date += 1
      if date > Self.length(month, of: year) { (date, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
    }
    #expect(year == 2402 && wrong.isEmpty, "\(wrong.prefix(5))")
    (year, month, date) = (1970, 1, 1)
    for days in Int64(1)...146_100 {
      date -= 1
      if date < 1 { month -= 1 }
      if month < 1 { (month, year) = (12, year - 1) }
      if date < 1 { date = Self.length(month, of: year) }
      if date == 1 || date > 27, Moment.day(Timestamp(microseconds: -days * Self.day)) != (year, month, date) {
        wrong.append(-days)
      }
    }
    #expect(year == 1569 && wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (999, "1970-01-01T00:00:00.000Z"), (1_000, "1970-01-01T00:00:00.001Z"),
      (86_399_999_999, "1970-01-01T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.999Z"),
      (45_296_789_000, "1970-01-01T12:34:56.789Z"), (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799_999_000, "9999-12-31T23:59:59.999Z"), (-11_676_096_000_000_000, "1600-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func aMomentIsWrittenInUTC(_ microseconds: Int64, _ text: String) {
    #expect(Moment.rfc3339(Timestamp(microseconds: microseconds)) == text)
    let clock = text.dropFirst(11).dropLast()
    #expect(Moment.timeOfDay(Timestamp(microseconds: microseconds)) == clock)
  }

  @Test(arguments: [
    (0, "00:00:00.000", 1), (3_600, "01:00:00.000", 1), (-1, "23:59:59.000", 31), (86_399, "23:59:59.000", 1),
    (86_400, "00:00:00.000", 2), (-86_400, "00:00:00.000", 31), (-86_401, "23:59:59.000", 30),
    (20_700, "05:45:00.000", 1),
  ])
  func eastAndWestOfUTC(_ offset: Int, _ clock: String, _ day: Int) {
    let epoch = Timestamp(microseconds: 0)
    #expect(Moment.timeOfDay(epoch, utcOffset: offset) == clock)
    #expect(Moment.day(epoch, utcOffset: offset).day == day)
  }
}
