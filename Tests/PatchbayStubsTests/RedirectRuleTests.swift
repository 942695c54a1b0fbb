import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

@Suite(.bounded) struct RedirectRuleTests {
  @Test func theseAreFollowed() {
    for status in 0..<1_000 {
      #expect(RedirectRule.follows(status) == [301, 302, 303, 305, 306, 307, 308].contains(status), "\(status)")
    }
  }

  @Test func aPostMovedAndWhateverIsSeenElsewhereBecomesAGet() {
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "post", ""] {
      for status in 300..<310 {
        let expected = status == 303 || [301, 302].contains(status) && method == "POST"
        #expect(RedirectRule.becomesGet(status, after: method) == expected, "\(status) after \(method)")
      }
    }
  }
}
