import Foundation

/// A form of dates such as `yyyy-MM-dd'T'HH:mm:ss` (the letters of Unicode TS 35), in UTC and in English. It is worked
/// out without a formatter: that takes locales, and milliseconds the first time, on a request's path.
package struct DateForm: Hashable, Sendable {
  private var fields: [Field] = []

  private enum Field: Hashable {
    case literal(String)
    case letter(Character, count: Int)
  }

  private static let letters: [Character: ClosedRange<Int>] = [
    "y": 1...4, "M": 1...4, "d": 1...2, "E": 1...4, "H": 1...2, "h": 1...2, "m": 1...2, "s": 1...2, "S": 1...9,
    "a": 1...1, "X": 1...3, "Z": 1...1, "z": 1...3,
  ]

  init(_ text: String) throws(StubError) {
    var rest = Substring(text)
    while let first = rest.first {
      if first == "'" {
        rest.removeFirst()
        if rest.first == "'" {
          fields.append(.literal("'"))
          rest.removeFirst()
          continue
        }
        guard let end = rest.firstIndex(of: "'") else { throw StubError("a `'` in the form of the date is not closed") }
        fields.append(.literal(String(rest[..<end])))
        rest = rest[rest.index(after: end)...]
        continue
      }
      let run = rest.prefix { $0 == first }
      rest = rest.dropFirst(run.count)
      guard first.isASCII, first.isLetter else {
        fields.append(.literal(String(run)))
        continue
      }
      guard let counts = Self.letters[first] else {
        throw StubError(
          "`\(run)` is no part of a date's form; write yyyy MM dd HH mm ss SSS, and letters that mean themselves as 'T'"
        )
      }
      guard counts.contains(run.count) else {
        throw StubError(
          "`\(run)` is too long for a date's form; write \(String(repeating: first, count: counts.upperBound)) at most")
      }
      fields.append(.letter(first, count: run.count))
    }
  }

  func text(_ date: Date) -> String {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))
    var seconds = time_t(milliseconds / 1_000 - (milliseconds % 1_000 < 0 ? 1 : 0))
    let fraction = Int((milliseconds % 1_000 + 1_000) % 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return fields.map { field in
      switch field {
      case .literal(let text): text
      case .letter(let letter, let count): Self.text(letter, count, parts, fraction)
      }
    }.joined()
  }

  private static func text(_ letter: Character, _ count: Int, _ parts: tm, _ milliseconds: Int) -> String {
    func number(_ value: some BinaryInteger) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
    switch letter {
    case "y": return count == 2 ? String(number(Int(parts.tm_year + 1900) % 100)) : number(parts.tm_year + 1900)
    case "M":
      let name = months[Int(parts.tm_mon) % 12]
      return count > 3 ? name : count == 3 ? String(name.prefix(3)) : number(parts.tm_mon + 1)
    case "d": return number(parts.tm_mday)
    case "E":
      let name = days[Int(parts.tm_wday) % 7]
      return count > 3 ? name : String(name.prefix(3))
    case "H": return number(parts.tm_hour)
    case "h": return number((parts.tm_hour + 11) % 12 + 1)
    case "m": return number(parts.tm_min)
    case "s": return number(parts.tm_sec)
    case "S":
      let digits = String(repeating: "0", count: 3 - String(milliseconds).count) + String(milliseconds)
      return String((digits + "000000").prefix(count))
    case "a": return parts.tm_hour < 12 ? "AM" : "PM"
    case "X": return "Z"
    case "Z": return "+0000"
    default: return "UTC"
    }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}
