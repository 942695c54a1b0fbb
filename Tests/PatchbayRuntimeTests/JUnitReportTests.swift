import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

/// The report of the checks, to the letter.
@Suite(.bounded) struct JUnitReportTests {
  private func report(_ results: [Expectations.Result] = [], name: String = "checks") -> String {
    JUnitReport(
      results: results, name: name, startedAt: Date(timeIntervalSince1970: 1_700_000_000), seconds: 0.25
    ).text
  }

  @Test func asAWhole() {
    let results = [
      Expectations.Result(option: "--expect", subject: "host:a"),
      Expectations.Result(
        option: "--forbid", subject: "path:\"/x\"", complaint: "it <fits>.", details: ["fits: a\tb", "and 1 more"]),
      Expectations.Result(option: "--expect-stubs-used", subject: ""),
    ]
    #expect(
      report(results, name: "checks & more") == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="patchbay" tests="3" failures="1" errors="0" time="0.250">
          <testsuite name="checks &amp; more" tests="3" failures="1" errors="0" time="0.250" skipped="0" \
        timestamp="2023-11-14T22:13:20Z">
            <testcase name="--expect host:a" classname="patchbay.expect" time="0"/>
            <testcase name="--forbid path:&quot;/x&quot;" classname="patchbay.forbid" time="0">
              <failure message="it &lt;fits&gt;." type="patchbay.forbid">\
        it &lt;fits&gt;.&#10;fits: a&#9;b&#10;and 1 more</failure>
            </testcase>
            <testcase name="--expect-stubs-used" classname="patchbay.expect-stubs-used" time="0"/>
          </testsuite>
        </testsuites>

        """)
  }

  @Test(
    arguments: [
      (0x01, false), (0x08, false), (0x0B, false), (0x1F, false), (0x20, true), (0x7E, true), (0x7F, false),
      (0x9F, false), (0xA0, true), (0x2029, true), (0x202A, false), (0x202E, false), (0x202F, true), (0x2065, true),
      (0x2066, false), (0x2069, false), (0x206A, true), (0xFFFC, true), (0xFFFE, false), (0xFFFF, false),
      (0x1F600, true),
    ] as [(UInt32, Bool)])
  func whatXMLOrATerminalCannotHaveIsReplaced(_ value: UInt32, _ isKept: Bool) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let text = report(name: "a\(Character(scalar))b").unicodeScalars
    #expect(text.contains(scalar) == isKept)
    #expect(text.contains("\u{FFFD}" as Unicode.Scalar) == !isKept)
  }
}
