import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct UnreachedTests {
  private static let networking = "7f00-7f10 r-xp 00000000 fe:00 1 /usr/lib/swift/linux/libFoundationNetworking.so\n"
  private static let preload = "7f20-7f30 r-xp 00000000 fe:00 2 /opt/lib/\(HookLibraries.preloadName)\n"

  /// What is read the first time and the second time, and what is believed.
  @Test(
    "a process that ended while it was looked at is not said to run without the hook",
    arguments: [
      (networking + preload, nil, networking + preload), (networking, networking, networking),
      (networking, networking + preload, networking + preload), (networking, "", nil), (networking, nil, nil),
      ("", networking, nil), (nil, networking, nil),
    ] as [(String?, String?, String?)])
  func whole(_ first: String?, _ second: String?, _ believed: String?) {
    var answers = [first, second]
    #expect(Unreached.whole { answers.removeFirst() } == believed)
  }
}
