import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Globs as they are spelled for their place, and what several patterns say together.
@Suite(.bounded) struct GlobSpellingTests {
  @Test(
    arguments: [
      (TextMatcher.Place.plain, "A%41*", ["A%41*"]), (.part, "A*", ["A*"]), (.process, "A b", ["A b"]),
      (.scheme, "HTTP*", ["http*"]),
      (.host, "H.Example", ["h.example"]), (.host, "Bücher.*", ["xn--bcher-kva.*", "bücher.*"]),
      (.host, "::1", ["[::1]", "::1"]),
      (.path, "", ["/"]), (.path, "/%7ea b", ["/~a%20b"]), (.path, "/a/../b", ["/b"]), (.path, "/a/../*", ["/a/../*"]),
      (.path, "/.a", ["/.a"]), (.path, "a", ["a"]),
      (.url, "http://H", ["http://h/"]), (.url, "http://h?x", ["http://h/?x"]),
      (.url, "http://h/a/./b?c/./d", ["http://h/a/b?c/./d"]),
      (.url, "http://h:80/", ["http://h/"]), (.url, "https://h:443/", ["https://h/"]),
      (.url, "http://h:443/", ["http://h:443/"]), (.url, "http://h:/", ["http://h/"]),
      (.url, "http://h:*", ["http://h:*"]), (.url, "http://h*", ["http://h*"]), (.url, "http://h*?x", ["http://h*?x"]),
      (.url, "http://u:p@h/#f", ["http://h/"]),
      (.url, "http://h:*/a", ["http://h:*/a"]), (.url, "HTTP*://h/", ["http*://h/"]),
      (.url, "http://[::1]:8080/", ["http://[::1]:8080/"]),
      (.url, "http://[::1]/", ["http://[::1]/"]),
      (.url, "http://bücher.example/ü", ["http://xn--bcher-kva.example/%C3%BC"]),
      (.url, "http://*bücher.example/", ["http://*xn--bcher-kva.example/"]),
      (.url, "http://*bü*cher/", ["http://*bü*cher/"]),
      (.url, "*bücher.example/ü", ["*b%C3%BCcher.example/%C3%BC", "*xn--bcher-kva.example/%C3%BC"]),
      (.url, "*/a b", ["*/a%20b"]),
      (.url, "*[::1]:80/[", ["*%5B::1%5D:80/%5B", "*[::1]:80/%5B"]), (.url, "*#x", ["*"]),
      (.url, "ü?x", ["%C3%BC?x", "xn--tda?x"]), (.url, "", [""]),
      (.url, "*/a?to=https://B.example", ["*/a?to=https://B.example"]),
      (.url, "*?to=https://u@b.example:443", ["*?to=https://u@b.example:443"]),
      (.url, "*/Open?to=https://x/*", ["*/Open?to=https://x/*"]), (.url, "*://H/", ["*://h/"]),
      (.url, "http://h/*#x", ["http://h/*"]), (.url, "ftp://h:21", ["ftp://h:21/"]),
    ] as [(TextMatcher.Place, String, [String])])
  func globsAreSpelledAsWhatTheyAreComparedWith(_ place: TextMatcher.Place, _ glob: String, _ spellings: [String]) {
    #expect(GlobSpelling.spellings(of: glob, for: place) == spellings)
  }

  @Test func namesOfProcesses() {
    func fits(_ pattern: String, _ name: String, _ pid: Int32?) -> Bool {
      ProcessName(pattern).test(name, pid) == .fits
    }
    #expect(fits("demo", "demo", nil) && fits("d*", "demo", 7) && !fits("demo", "dem", 7) && !fits("demo", "Demo", 7))
    #expect(
      fits("demo 7", "demo", 7) && !fits("demo 7", "demo", 8) && !fits("demo 7", "demo", nil)
        && fits("demo 7", "demo 7", nil))
    #expect(fits("de* 7", "demo", 7) && !fits("x* 7", "demo", 7) && fits("a b 7", "a b", 7))
    #expect(
      ["demo", "demo 7", "demo 0", "demo -1", "demo x", "demo 99999999999", " 7", "a 1"].map { ProcessName($0).asksOne }
        == [false, true, false, false, false, false, true, true])
  }

  /// What is said of nothing to compare, and of a budget that was spent.
  @Test func whatSeveralPatternsSayTogether() {
    func verdict(_ matcher: TextMatcher, _ spent: Set<String>) -> TextMatcher.Verdict {
      matcher.test { leaf in
        guard case .part(let search) = leaf else { return .fitsNot }
        let text = String(decoding: search.needle, as: UTF8.self)
        return spent.contains(text) ? .overBudget : text == "yes" ? .fits : .fitsNot
      }
    }
    func matcher(_ pattern: TextPattern) -> TextMatcher { TextMatcher(pattern, for: .part) }
    let rows: [(TextPattern, TextMatcher.Verdict)] = [
      ("yes", .fits), ("no", .fitsNot), ("spent", .overBudget), (.any(["no", "yes"]), .fits),
      (.any(["no", "no"]), .fitsNot),
      (.any(["spent", "yes"]), .fits), (.any(["spent", "no"]), .overBudget), (.any([]), .fitsNot),
      (.not(["no", "no"]), .fits),
      (.not(["no", "yes"]), .fitsNot), (.not(["spent", "yes"]), .fitsNot), (.not(["no", "spent"]), .overBudget),
      (.not([]), .fits),
      (.all(["yes", "yes"]), .fits), (.all(["yes", "no"]), .fitsNot), (.all(["spent", "no"]), .fitsNot),
      (.all(["spent", "yes"]), .overBudget),
      (.all([]), .fits), (.not([.any(["no"])]), .fits), (.any([.all(["yes", .not(["no"])])]), .fits),
    ]
    for (pattern, expected) in rows { #expect(verdict(matcher(pattern), ["spent"]) == expected, "\(pattern)") }
    let absent: [(TextPattern, Bool)] = [
      ("x", false), (.matches("x"), false), (.matches("("), false), (.any(["x", .not(["y"])]), true),
      (.any(["x", "y"]), false), (.any([]), false),
      (.not(["x"]), true), (.not([.not(["x"])]), false), (.not([]), true), (.all([.not(["x"]), .not(["y"])]), true),
      (.all([.not(["x"]), "y"]), false), (.all([]), true),
    ]
    for (pattern, expected) in absent {
      #expect(pattern.fitsAbsent == expected && TextMatcher(pattern, for: .plain).fitsAbsent == expected, "\(pattern)")
    }
    #expect(TextMatcher("demo", for: .process).fitsAbsent == false && matcher("x").fitsAbsent == false)
    #expect(
      TextMatcher(.any(["x", .not([.all([.matches("(")])])]), for: .path).problem?.contains("a `(` is not closed")
        == true)
    #expect(
      TextMatcher(.all([.matches("["), .matches("(")]), for: .path).problem?.contains("a `[` is not closed") == true)
    #expect(TextMatcher(.any(["x", .matches("a")]), for: .path).problem == nil && matcher("x").problem == nil)
    #expect(TextPattern.any(["x", .not([.matches("y"), .all(["z"])])]).leaves == ["x", .matches("y"), "z"])
    #expect(
      TextMatcher(.matches("("), for: .plain).test("x") == .fitsNot
        && TextMatcher("demo", for: .process).test("demo") == .fitsNot)
    #expect(
      TextMatcher(.any(["x", "y"]), for: .plain).test("y") == .fits && TextMatcher("b", for: .part).test("abc") == .fits
    )
  }
}
