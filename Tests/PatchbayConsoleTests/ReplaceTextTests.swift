import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Replacements as one types them.
@Suite(.bounded) struct ReplaceTextTests {
  private func read(_ text: String) -> [String] {
    do throws(FormProblem) {
      return try ReplaceText.replacements(text).map { "\($0.find)|\($0.with)" }
    } catch {
      return ["✗ \(error.text)"]
    }
  }

  @Test(
    arguments: [
      ("", []), ("  \n\n", []), ("a => b", ["a|b"]), ("a=>b", ["a|b"]), ("a  =>   b", ["a |b"]), ("a => b ", ["a|b "]),
      ("a =>", ["a|"]), ("a => b => c", ["a|b => c"]), (" a => b", [" a|b"]), ("a => b\n\nx => y", ["a|b", "x|y"]),
      (#""x => y" => z"#, ["x => y|z"]), (#""a" => "b ""#, ["a|b "]), (#""a"=>"b""#, ["a|b"]),
      (#""a\nb" => "\t""#, ["a\nb|\t"]),
      (#""a"b" => c"#, [#""a"b"|c"#]), (#""a => c"#, [#""a|c"#]), (#"a => ""#, [#"a|""#]), (#"a => "q"#, [#"a|"q"#]),
      (#"a => q""#, [#"a|q""#]), (#"a => "\x""#, [#"a|"\x""#]), (#"a => """#, ["a|"]), (#""\"" => q"#, [#""|q"#]),
      ("=> b", ["✗ line 1: write find => with"]), ("a", ["✗ line 1: write find => with"]),
      ("\n \nbad", ["✗ line 3: write find => with"]), ("a => b\n => c", ["✗ line 2: write find => with"]),
    ] as [(String, [String])])
  func linesAreReplacements(_ text: String, _ expected: [String]) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    (("a", "b"), "a => b"), (("x", ""), "x =>"), (("a => c", "d"), #""a => c" => d"#),
    (("a", "b => c"), #"a => "b => c""#),
    ((" a", "b "), #"" a" => "b ""#), (("a ", " b"), #""a " => " b""#), (("l\nm", "\r"), #""l\nm" => "\r""#),
    ((#""q"#, "r"), #""\"q" => r"#), (("日 x", "="), "日 x => ="),
  ])
  func whatIsNotPlainStandsBetweenQuotes(_ pair: (String, String), _ text: String) throws {
    let replacement = PassChanges.Replacement(find: pair.0, with: pair.1)
    #expect(ReplaceText.text([replacement]) == text)
    #expect(try ReplaceText.replacements(text) == [replacement])
    let both = [replacement, PassChanges.Replacement(find: "1", with: "2")]
    #expect(ReplaceText.text(both) == text + "\n1 => 2")
    #expect(try ReplaceText.replacements(ReplaceText.text(both)) == both)
  }

  // MARK: Templates that stand in for JSON

  @Test(arguments: [
    ("{}", true), ("{\"n\": {{count}}}", true), ("{\"n\": {{count}}, \"m\": [{{a}},{{b}}]}", true),
    ("{\"n\": {{count}}x}", false), ("{\"n\": {{count}", false), ("{{count}}", true), ("{\"a\": \"{{x}}\"}", true),
  ])
  func aTemplateCountsAsANumberInJSON(_ body: String, _ isJSON: Bool) {
    #expect(((try? TemplateJSON.check(body)) != nil) == isJSON)
    #expect(TemplateJSON.standIn(body).unicodeScalars.count == body.unicodeScalars.count)
  }
}
