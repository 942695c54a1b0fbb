import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct JSONStepTests {
  private let document: JSONValue = ["a": ["b": [1, ["c": "x"]], "d": nil]]

  @Test func waysLeadToValuesOrNowhere() {
    #expect(document.value(at: []) == document)
    #expect(document.value(at: [.member("a"), .member("b"), .element(1), .member("c")]) == "x")
    #expect(document.value(at: [.member("a"), .member("d")]) == .null)
    for way: [JSONStep] in [[.element(0)], [.member("z")], [.member("a"), .member("b"), .element(2)]] {
      #expect(document.value(at: way) == nil)
      #expect(document.replacing(at: way, with: 1) == nil)
    }
  }

  @Test func aPatchDoesWhatReplacingDoesWhereNoNullIsMeant() throws {
    let ways: [[JSONStep]] = [
      [.member("a"), .member("d")], [.member("a"), .member("b")], [.member("a"), .member("b"), .element(0)],
      [.member("a"), .member("b"), .element(1), .member("c")], [.member("a")],
    ]
    for way in ways {
      let patch = try #require(document.mergePatch(at: way, to: "new"))
      #expect(document.merged(with: patch) == document.replacing(at: way, with: "new"), "\(way)")
    }
  }

  @Test func twoPatchesAsOneDoWhatBothDo() {
    let first: JSONValue = ["a": ["d": 1], "e": ["f": 2]]
    let second: JSONValue = ["a": ["d": nil, "g": 3], "e": 4]
    let both = first.followed(byPatch: second)
    #expect(document.merged(with: both) == document.merged(with: first).merged(with: second))
    #expect(both.patchedValues.map(\.value) == [.null, 3, 4])
    #expect(
      both.patchedValues.map(\.steps) == [[.member("a"), .member("d")], [.member("a"), .member("g")], [.member("e")]])
  }
}
