import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// URLs, hosts, escapes and small texts, each in all its branches.
@Suite(.bounded) struct TextTests {
  private static func parts(_ text: String) -> String {
    let url = NormalURL(text)
    func part(_ range: Range<Int>) -> String { String(decoding: url.text[range], as: UTF8.self) }
    return [
      part(url.scheme), part(url.host), url.port.map { "\($0)" } ?? "-", part(url.path),
      url.query.map { part($0) } ?? "-",
      String(decoding: url.text[..<url.foldEnd], as: UTF8.self),
    ].joined(separator: " ")
  }

  @Test(
    arguments: [
      ("http://h", "http h 80 / - http://h"),
      ("HTTPS://H.Example:8443/A?B#C", "https h.example 8443 /A B https://h.example:8443"),
      ("https://h:443/", "https h 443 / - https://h"), ("http://h:443", "http h 443 / - http://h:443"),
      ("http://h:/", "http h 80 / - http://h"),
      ("ftp://h/", "ftp h - / - ftp://h"), ("ftp://h:21/", "ftp h 21 / - ftp://h:21"),
      ("http://h?", "http h 80 /  http://h"),
      ("http://h?a?b", "http h 80 / a?b http://h"), ("http://h/a?b/../c", "http h 80 /a b/../c http://h"),
      ("http://u:p@v@h:1/", "http h 1 / - http://h:1"),
      ("http://h:123456/", "http h:123456 80 / - http://h:123456"),
      ("http://h:12345/", "http h 12345 / - http://h:12345"),
      ("http://h:1a/", "http h:1a 80 / - http://h:1a"),
      ("http://[::1]:8080/a", "http [::1] 8080 /a - http://[::1]:8080"),
      ("http://[::1]/", "http [::1] 80 / - http://[::1]"), ("/a/b", "  - /a/b - "), ("a/b", "  - a/b - "),
      ("", "  - / - "), ("?x", "  - / x "),
      ("http:/a", "  - http:/a - "), ("http://h/%7e%2f%zz", "http h 80 /~%2F%25zz - http://h"),
      ("http://h/a#?x", "http h 80 /a - http://h"),
    ] as [(String, String)])
  func aURLInItsOneSpelling(_ url: String, _ expected: String) { #expect(Self.parts(url) == expected) }

  @Test(
    arguments: [
      ("/", "/"), ("/a", "/a"), ("/a/", "/a/"), ("/.", "/"), ("/..", "/"), ("/./", "/"), ("/../", "/"), ("/a/.", "/a/"),
      ("/a/..", "/"),
      ("/a/../", "/"), ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/a/b/../../c", "/c"), ("/../../a", "/a"),
      ("/a/b/..", "/a/"),
      ("/.a", "/.a"), ("/..a", "/..a"), ("/...", "/..."), ("/a//../b", "/a/b"), ("/a.", "/a."), ("/a/...", "/a/..."),
      ("/a/b/.", "/a/b/"),
      ("/%2e%2e/a", "/a"), ("//a/..", "//"), ("/x/.hidden/../y", "/x/y"),
    ] as [(String, String)])
  func dotSegmentsGo(_ path: String, _ expected: String) {
    #expect(URLSpelling.normal("http://h\(path)") == "http://h\(expected)")
    var bytes = Array("abc\(path)".utf8)
    if !path.contains("%") {
      NormalURL.removeDotSegments(from: 3, in: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == "abc\(expected)")
    }
  }

  /// What was found before is not taken for a URL that only looks the same.
  @Test func theSameURLIsFoundAgain() {
    let cache = NormalURLCache()
    let urls = [
      "http://h/caf\u{e9}", "http://h/cafe\u{301}", "http://h/a", "http://H/a",
      String(repeating: "http://h/", count: 60),
    ]
    for _ in 0..<2 {
      for url in urls {
        #expect(cache.url(url).text == NormalURL(url).text && cache.url(url).path == NormalURL(url).path)
      }
    }
    #expect(cache.url(urls[0]).text != cache.url(urls[1]).text)
    for number in 0..<500 {
      #expect(cache.url("http://h/\(number % 90)").text == Array("http://h/\(number % 90)".utf8))
    }
  }

  @Test(
    arguments: [
      ("h.example", "h.example", "h.example"), ("H.Example", "h.example", "h.example"),
      ("h.example.", "h.example", "h.example."), (".", ".", "."),
      ("%48", "h", "%48"), ("bücher.example", "xn--bcher-kva.example", "bücher.example"),
      ("BÜCHER.example", "xn--bcher-kva.example", "bücher.example"),
      ("bu\u{308}cher", "xn--bcher-kva", "bücher"), ("日本。jp", "xn--wgv71a.jp", "日本.jp"),
      ("日本\u{FF0E}jp\u{FF61}", "xn--wgv71a.jp", "日本.jp."),
      ("*.bü*cher.*", "*.bü*cher.*", "*.bü*cher.*"), ("a..b", "a..b", "a..b"), ("::1", "[::1]", "::1"),
      ("[::1]", "[::1]", "[::1]"),
      ("[0:0:0:0:0:0:0:1]", "[::1]", "[0:0:0:0:0:0:0:1]"), ("FE80::1%ETH0", "[fe80::1%eth0]", "fe80::1%eth0"),
      ("[FE80::1%25ETH0]", "[fe80::1%25eth0]", "[fe80::1%25eth0]"),
      ("a:b", "a:b", "a:b"), ("[]", "[]", "[]"), ("::ffff:1.2.3.4", "[::ffff:1.2.3.4]", "::ffff:1.2.3.4"),
      (":", ":", ":"), ("a_b-c", "a_b-c", "a_b-c"),
      ("", "", ""), ("*", "*", "*"), ("a b", "a b", "a b"), ("a.", "a", "a."),
      ("FE80::1%a%B", "[fe80::1%a%b]", "fe80::1%a%b"),
    ] as [(String, String, String)])
  func hostsInASCII(_ host: String, _ ascii: String, _ folded: String) {
    #expect(HostName.ascii(host) == ascii && HostName.folded(host) == folded)
  }

  @Test(
    arguments: [
      ("xn--bcher-kva.example", "bücher.example"), ("h.example", "h.example"), ("a.xn--wgv71a", "a.日本"), ("xn--", ""),
      ("xn--ü", "xn--ü"),
      ("xn--a b", "xn--a b"), ("axn--b", "axn--b"), ("xn--bcher-kva..x", "bücher..x"), ("xn--!", "xn--!"),
      ("xn--BCHER-KVA", "BüCHER"),
    ] as [(String, String)])
  func hostsInTheirOwnLetters(_ ascii: String, _ own: String) { #expect(HostName.unicode(ascii) == own) }

  /// RFC 3492 §7.1, and what cannot be read or is too long.
  @Test(
    arguments: [
      ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
      ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
      ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
      ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
      ("安室奈美恵-with-super-monkeys", "-with-super-monkeys-pc58ag80a8qai00g7n9n"),
      ("hello-another-way-それぞれの場所", "hello-another-way--fc4qua05auwb3674vfr0b"), ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
      ("majiでkoiする5秒前", "majikoi5-783gue6qz075azm5e"),
      ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"), ("ü", "tda"), ("bücher", "bcher-kva"),
      ("😀", "e28h"), ("a😀b", "ab-no82a"), ("\u{10FFFF}", "dn32g"), ("a\u{10FFFF}b", "ab-ke24y"),
      ("abc\u{F960}\u{FFE6}", "abc-qb2s86w"),
    ] as [(String, String)])
  func punycodeIsThatOfTheStandard(_ label: String, _ code: String) {
    #expect(Punycode.encode(label) == code && Punycode.decode(code) == label)
    #expect(Punycode.decode(code.uppercased())?.lowercased() == label.lowercased())
  }

  @Test func whatIsNoPunycode() {
    for text in ["é", "99999999", "a-!", "ab-9"] {
      #expect(Punycode.decode(text) == nil, "\(text)")
    }
    #expect(Punycode.decode("") == "" && Punycode.decode("abc-") == "abc" && Punycode.decode("-") == "")
    let long = String(repeating: "a", count: 255)
    #expect(Punycode.encode(long + "ü") != nil && Punycode.encode(long + "aü") == nil)
    #expect(Punycode.decode(long + "-") == long && Punycode.decode(long + "a-") == nil)
  }

  @Test(
    arguments: [
      ("%41", "A", "A", "A"), ("%2f", "%2F", "/", "/"), ("%2F", "%2F", "/", "/"), ("a+b", "a+b", "a+b", "a b"),
      ("%2B", "%2B", "+", "+"), ("%", "%25", "%", "%"),
      ("%4", "%254", "%4", "%4"), ("%4g", "%254g", "%4g", "%4g"), ("%g4", "%25g4", "%g4", "%g4"),
      ("é", "%C3%A9", "é", "é"), ("%c3%a9", "%C3%A9", "é", "é"), (" ", "%20", " ", " "),
      ("[]", "%5B%5D", "[]", "[]"), ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D", "\"<>\\^`{|}", "\"<>\\^`{|}"),
      ("-._~", "-._~", "-._~", "-._~"),
      (":/?#@!$&'()*,;=", ":/?#@!$&'()*,;=", ":/?#@!$&'()*,;=", ":/?#@!$&'()*,;="), ("%7E%7e", "~~", "~~", "~~"),
      ("%aF", "%AF", "\u{FFFD}", "\u{FFFD}"),
      ("azAZ09", "azAZ09", "azAZ09", "azAZ09"), ("%25%32%35", "%2525", "%25", "%25"),
    ] as [(String, String, String, String)])
  func escapesByTheirMeaning(_ text: String, _ normal: String, _ decoded: String, _ ofAForm: String) {
    #expect(PercentEncoding.normalised(text) == normal)
    #expect(String(decoding: PercentEncoding.decode(Array(text.utf8)), as: UTF8.self) == decoded)
    #expect(String(decoding: PercentEncoding.decode(Array(text.utf8), plusIsSpace: true), as: UTF8.self) == ofAForm)
    Array(text.utf8).withUnsafeBufferPointer {
      #expect(String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self) == ofAForm)
      #expect(String(decoding: PercentEncoding.decode($0), as: UTF8.self) == decoded)
    }
  }

  @Test func digitsAndLetters() {
    for value in UInt8(0)...255 {
      let character = Character(Unicode.Scalar(value))
      let hex = value < 128 && character.isHexDigit ? UInt8(character.hexDigitValue ?? 0) : nil
      #expect(PercentEncoding.hexValue(value) == hex)
      let isUnreserved = value < 128 && (isalnum(Int32(value)) != 0 || "-._~".contains(character))
      #expect(PercentEncoding.isUnreserved(value) == isUnreserved)
      #expect(PercentEncoding.isAllowed(value) == (isUnreserved || ":/?#@!$&'()*+,;=".contains(character)))
      #expect(NormalURL.lowered(value) == (value < 128 ? UInt8(tolower(Int32(value))) : value))
    }
    #expect((UInt8(0)...15).map { PercentEncoding.hexDigit($0) } == Array("0123456789ABCDEF".utf8))
  }

  @Test(
    arguments: [
      ("", ""), ("a", "a"), (" a ", "a"), ("\t\r\n a b\r\n", "a b"), (" ", ""), ("\u{A0}a", "\u{A0}a"), ("a ", "a"),
      (" a", "a"), ("\u{B}a", "\u{B}a"),
    ] as [(String, String)])
  func blanksAtTheEndsGo(_ text: String, _ trimmed: String) { #expect(text.trimmed == trimmed) }

  @Test(
    arguments: [
      ("Host", "hOST", true), ("a", "b", false), ("a", "aa", false), ("", "", true), ("@", "`", false),
      ("[", "{", false),
      ("Z", "z", true), ("A", "a", true),
      ("é", "É", false), ("K", "\u{212A}", false), ("a-b", "A-B", true), ("a\u{D}", "a-", false), ("1", "Q", false),
      ("\u{11}", "1", false),
    ] as [(String, String, Bool)])
  func namesOfHeadersWithoutCase(_ one: String, _ other: String, _ areSame: Bool) {
    #expect(one.caseInsensitiveEquals(other) == areSame && other.caseInsensitiveEquals(one) == areSame)
  }

  @Test func headerFields() {
    let fields = [HeaderField("A", "1"), HeaderField("b", "2"), HeaderField("a", "3"), HeaderField("C", "4")]
    #expect(fields.first(named: "a") == "1" && fields.first(named: "B") == "2" && fields.first(named: "d") == nil)
    #expect(fields.all(named: "a") == ["1", "3"] && fields.all(named: "d") == [])
    var changed = fields
    changed.set("a", to: "9")
    #expect(changed == [HeaderField("A", "9"), HeaderField("b", "2"), HeaderField("C", "4")])
    changed = fields
    changed.set("B", to: "9")
    #expect(changed == [fields[0], HeaderField("b", "9"), fields[2], fields[3]])
    changed.set("d", to: "5")
    #expect(changed.last == HeaderField("d", "5") && changed.count == 5)
    changed.remove(named: "A")
    #expect(changed.map(\.name) == ["b", "C", "d"])
  }

  @Test func textsInQuotes() {
    #expect(
      "a\"b\\c\nd\te\rf\u{1}é".doubleQuoted { $0.value < 0x20 ? "<\($0.value)>" : nil } == #""a\"b\\c\nd\te\rf<1>é""#)
    #expect("".doubleQuoted { _ in nil } == "\"\"")
  }

  @Test func placesInATextAndMistakes() {
    func place(_ text: String, _ at: Int) -> String {
      SourcePosition(of: text.index(text.startIndex, offsetBy: at), in: text).description
    }
    let text = "aé\nb日c\n"
    #expect((0...7).map { place(text, $0) } == ["1:1", "1:2", "1:3", "2:1", "2:2", "2:3", "2:4", "3:1"])
    #expect(
      SourcePosition(line: 1, column: 9) < SourcePosition(line: 2, column: 1)
        && SourcePosition(line: 1, column: 1) < SourcePosition(line: 1, column: 2))
    #expect(
      !(SourcePosition(line: 2, column: 1) < SourcePosition(line: 1, column: 9))
        && !(SourcePosition(line: 1, column: 1) < SourcePosition(line: 1, column: 1)))
    #expect(
      StubError("no").description == "no"
        && StubError("no", at: SourcePosition(line: 2, column: 3)).description == "2:3: no")
    let mistakes = [
      StubError("d", at: SourcePosition(line: 2, column: 1)), StubError("c", at: SourcePosition(line: 1, column: 5)),
      StubError("a"),
      StubError("e", at: SourcePosition(line: 2, column: 1)), StubError("b"),
    ]
    #expect(StubSchema.inOrder(mistakes).map(\.message) == ["a", "b", "c", "d", "e"])
    #expect(
      ["a"].orList == "a" && [].orList == "" && ["a", "b"].orList == "a or b" && ["a", "b", "c"].orList == "a, b or c")
  }
}
