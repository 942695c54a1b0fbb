#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  @Suite(.bounded) struct AsideTests {
    private static func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
    private static func thread() -> UInt { pthread_self() }

    @Test func itIsDoneOnAThreadThatGoesAfterOthersAndOursStaysAsItIs() {
      let (own, before) = (Self.thread(), Self.niceness())
      let seen = aside { (thread: Self.thread(), niceness: Self.niceness()) }
      #expect(seen.thread != own)
      #expect(seen.niceness == max(10, before))
      #expect(Self.thread() == own && Self.niceness() == before)
    }

    @Test func whatItThrowsIsThrown() {
      #expect(throws: AttachError("no")) { try aside { () throws(AttachError) -> Int in throw AttachError("no") } }
    }
  }
#endif
