import Foundation
import PatchbayGrid
import PatchbayInspect

/// The checks of one run as JUnit XML, which CI servers read.
struct JUnitReport {
  let results: [Expectations.Result]
  /// What was run, such as `run -- swift test`.
  let name: String
  let startedAt: Date
  let seconds: Double

  var text: String {
    let failures = results.count { $0.complaint != nil }
    let counts =
      "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(String(format: "%.3f", seconds))\""
    let moment = ISO8601DateFormatter.string(from: startedAt, timeZone: .gmt, formatOptions: .withInternetDateTime)
    let cases = results.map(Self.testCase).joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="patchbay" \(counts)>
        <testsuite name="\(Self.escaped(name))" \(counts) skipped="0" timestamp="\(moment)">
      \(cases)  </testsuite>
      </testsuites>

      """
  }

  private static func testCase(_ result: Expectations.Result) -> String {
    let name = result.subject.isEmpty ? result.option : "\(result.option) \(result.subject)"
    let group = "patchbay." + result.option.drop { $0 == "-" }
    let head = "    <testcase name=\"\(escaped(name))\" classname=\"\(group)\" time=\"0\""
    guard let complaint = result.complaint else { return head + "/>\n" }
    let text = ([complaint] + result.details).joined(separator: "\n")
    return head + ">\n"
      + "      <failure message=\"\(escaped(complaint))\" type=\"\(group)\">\(escaped(text))</failure>\n"
      + "    </testcase>\n"
  }

  /// Text as XML 1.0 takes it: what it cannot hold at all (§2.2), and what a terminal would obey, is shown as U+FFFD.
  private static func escaped(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      let isControl = scalar != "\n" && scalar != "\t" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
      let isBidi = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      let isNone = scalar.value == 0xFFFE || scalar.value == 0xFFFF
      return isControl || isBidi || isNone ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars)).escapedForMarkup(attribute: true)
  }
}
